//! Fills the columns of runs into the SQL, so that no statement spells them out.
//!
//! A statement may contain `{which.what}`, or `{which.what but NAME NAME}` to leave columns out:
//!
//! | which | the columns |
//! |---|---|
//! | `runs`, `history` | of that table |
//! | `both` | that both tables have |
//! | `new` | that a new run brings |
//!
//! | what | becomes |
//! |---|---|
//! | `columns` | their names |
//! | `input` | the parameters that carry them, from the first on |
//! | `changes` | assignments from the parameters, of those that can change |
//! | a column's name | the parameter that carries this column |

use std::borrow::Cow;
use std::fmt::Write;

use super::columns::{COLUMNS, Column, Table, Written};

/// How a database writes parameters.
pub(in crate::store) struct Dialect {
    /// The parameter, numbered from 1, in the list of all.
    pub(in crate::store) input: fn(usize, &Column) -> String,
    /// The value of a column in the rest of the statement.
    pub(in crate::store) value: fn(usize, &Column) -> String,
}

/// A set of columns that statements name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Columns {
    Runs,
    History,
    Both,
    New,
}

impl Columns {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "runs" => Some(Self::Runs),
            "history" => Some(Self::History),
            "both" => Some(Self::Both),
            "new" => Some(Self::New),
            _ => None,
        }
    }

    /// The columns, in their order.
    pub(in crate::store) fn iter(self) -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().filter(move |column| match self {
            Self::Runs => column.table != Table::Finished,
            Self::History => column.table != Table::Live,
            Self::Both => column.table == Table::Both,
            Self::New => matches!(column.written, Written::Once | Written::Always),
        })
    }
}

/// Replaces every placeholder in a statement.
///
/// # Panics
/// When a placeholder means nothing.
pub(in crate::store) fn expand<'a>(sql: &'a str, dialect: &Dialect) -> Cow<'a, str> {
    let mut parts = sql.split('{');
    let first = parts.next().unwrap_or_default();
    if first.len() == sql.len() {
        return sql.into();
    }
    let mut expanded = first.to_owned();
    for part in parts {
        let (placeholder, rest) = part.split_once('}').unwrap_or_else(|| panic!("a brace is not closed in: {sql}"));
        let text = filled(placeholder, dialect).unwrap_or_else(|| panic!("{{{placeholder}}} means nothing in: {sql}"));
        expanded.push_str(&text);
        expanded.push_str(rest);
    }
    expanded.into()
}

fn filled(placeholder: &str, dialect: &Dialect) -> Option<String> {
    let (wanted, but) = placeholder.split_once(" but ").unwrap_or((placeholder, ""));
    let (which, what) = wanted.split_once('.')?;
    let left_out: Vec<&str> = but.split_whitespace().collect();
    let columns = Columns::from_word(which)?.iter().filter(|column| !left_out.contains(&column.name));
    let mut numbered = (1..).zip(columns);
    Some(match what {
        "columns" => list(numbered.map(|(_, column)| column.name.to_owned())),
        "input" => list(numbered.map(|(number, column)| (dialect.input)(number, column))),
        "changes" => {
            let changing = numbered.filter(|(_, column)| matches!(column.written, Written::Always | Written::Later));
            list(changing.map(|(number, column)| format!("{} = {}", column.name, (dialect.value)(number, column))))
        }
        name => {
            let (number, column) = numbered.find(|(_, column)| column.name == name)?;
            (dialect.value)(number, column)
        }
    })
}

/// Broken into lines, to be readable in a log.
fn list(parts: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut line = 0;
    for part in parts {
        let _ = match (text.is_empty(), line + part.len() > 100) {
            (true, _) => write!(text, "{part}"),
            (false, false) => write!(text, ", {part}"),
            (false, true) => {
                line = 0;
                write!(text, ",\n    {part}")
            }
        };
        line += part.len() + 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERED: Dialect = Dialect {
        input: |number, _| format!("?{number}"),
        value: |number, column| format!("<{} {number}>", column.name),
    };

    #[test]
    fn a_statement_without_placeholders_stays_as_it_is() {
        assert!(matches!(expand("select 1", &NUMBERED), Cow::Borrowed("select 1")));
    }

    #[test]
    fn columns_parameters_and_single_values_are_filled_in() {
        let sql = expand("insert into runs ({runs.columns}) values ({runs.input}) -- {runs.workspace}", &NUMBERED);
        assert!(sql.starts_with("insert into runs (id, seq, workspace, "), "{sql}");
        assert!(sql.contains("values (?1, ?2, ?3, ") && sql.ends_with(" -- <workspace 3>"), "{sql}");
        let live = Columns::Runs.iter().count();
        assert!(sql.contains(&format!("?{live})")) && !sql.contains(&format!("?{}", live + 1)), "{sql}");
    }

    #[test]
    fn what_never_changes_is_not_assigned() {
        let sql = expand("set {runs.changes}", &NUMBERED);
        assert!(sql.contains("status = <status ") && sql.contains("epoch = <epoch "), "{sql}");
        for fixed in ["id =", "seq =", "workspace =", "requested_at =", "slot =", "output ="] {
            assert!(!sql.contains(&format!(" {fixed}")), "{fixed} in {sql}");
        }
    }

    #[test]
    fn columns_can_be_left_out() {
        let all = expand("{both.columns}", &NUMBERED).into_owned();
        let some = expand("{both.columns but id error_code}", &NUMBERED);
        assert_eq!(all.matches(',').count() - 2, some.matches(',').count());
        assert!(!some.contains("error_code") && some.contains("error_message"), "{some}");
    }

    #[test]
    #[should_panic(expected = "{runs.nothing} means nothing")]
    fn a_placeholder_that_means_nothing_is_refused() {
        expand("select {runs.nothing}", &NUMBERED);
    }
}
