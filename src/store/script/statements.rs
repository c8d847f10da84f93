//! The SQL of a database: one file per statement, the same names everywhere.

/// Declares the statements of a database from `sql/<name>.sql` beside the caller, with the columns of runs filled in.
macro_rules! statements {
    ($dialect:path: $($name:ident)+) => {
        /// The text of every statement.
        #[derive(Clone)]
        pub(in crate::store) struct Statements {
            $(pub(in crate::store) $name: std::borrow::Cow<'static, str>,)+
        }

        impl Statements {
            pub(in crate::store) fn new() -> Self {
                let sql = |text: &'static str| $crate::store::script::expand(text, &$dialect);
                Self { $($name: sql(include_str!(concat!("sql/", stringify!($name), ".sql"))),)+ }
            }

            /// Breaks a statement on purpose, so that tests can see whether the breakage is noticed.
            ///
            /// # Panics
            /// When there is no such statement, or it does not contain `from`: then nothing would be broken.
            #[cfg(feature = "conformance")]
            pub(in crate::store) fn sabotage(&mut self, name: &str, from: &str, to: &str) {
                let statement = match name {
                    $(stringify!($name) => &mut self.$name,)+
                    _ => panic!("there is no statement {name}"),
                };
                assert!(statement.contains(from), "statement {name} does not contain {from:?}");
                *statement = statement.replace(from, to).into();
            }
        }
    };
}

pub(in crate::store) use statements;

/// The statements of a file that has several, parted by lines that begin with `-- then`.
///
/// # Panics
/// When there are not so many: the file and the code that runs it belong together.
pub(in crate::store) fn steps<const N: usize>(sql: &str) -> [&str; N] {
    let mut rest = sql.split("\n-- then");
    let first = rest.next().into_iter();
    // What follows on the line of the mark is a comment.
    let others = rest.map(|step| step.split_once('\n').map_or("", |(_, statement)| statement));
    let steps: Vec<&str> = first.chain(others).collect();
    let count = steps.len();
    steps.try_into().unwrap_or_else(|_| panic!("{N} statements expected, {count} found in: {sql}"))
}
