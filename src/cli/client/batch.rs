//! Submits a batch, item by item judged: what is refused is named, what is put off is tried again.

use std::time::Duration;

use reqwest::Method;
use serde::Serialize;
use serde_json::Value;

use super::doc::Doc;
use super::problem::{ApiError, Problem};
use super::remote::{Extra, Remote};
use super::seen;
use crate::cli::Failure;

/// How often a server may say "later" before that is taken for a no.
const PATIENCE: u32 = 60;

/// How often in a row an answer may be lost.
const LOSSES: u32 = 8;

/// A submission and the number by which its owner knows it.
pub(super) struct Item {
    pub(super) number: u64,
    pub(super) run: Body,
}

/// The body of a submission, field by field.
pub(super) type Body = std::collections::BTreeMap<String, Doc>;

#[derive(Serialize)]
struct Runs<'a> {
    runs: Vec<&'a Body>,
}

/// What came of one.
pub(super) enum Outcome {
    /// There is a new run, or the one of that key took the request on.
    Submitted {
        id: String,
        is_new: bool,
    },
    /// The same request, or a run of that key, was there.
    AlreadyThere {
        id: String,
    },
    Refused(String),
}

/// Submits all of them, in as many requests as it takes. `waits` is told when the server asks for patience, or does not
/// answer. `answered` says whether it ever has: a server that is not there from the start is not waited for.
pub(super) async fn submit(
    remote: &Remote,
    answered: bool,
    mut items: Vec<Item>,
    waits: &dyn Fn(&str, u64),
) -> Result<Vec<(u64, Outcome)>, Failure> {
    let mut outcomes = Vec::with_capacity(items.len());
    let mut delays = 0;
    while !items.is_empty() {
        let body = Doc::of(&Runs { runs: items.iter().map(|item| &item.run).collect() });
        let later = match send(remote, &body, answered, waits).await {
            Ok(answer) => judge(&answer, std::mem::take(&mut items), &mut outcomes)?,
            Err(ApiError::Refused(problem)) => match culprit(&problem, items.len()) {
                // The whole batch was refused for the sake of one: nothing of it was stored, so the others go again.
                Some(index) => {
                    outcomes.push((items.remove(index).number, Outcome::Refused(without_path(&problem))));
                    continue;
                }
                None if matches!(problem.status, 429 | 503) => {
                    Later { items: std::mem::take(&mut items), problem: *problem }
                }
                None => return Err(ApiError::Refused(problem).into()),
            },
            Err(error) => return Err(error.into()),
        };
        items = later.items;
        if !items.is_empty() {
            delays += 1;
            if delays > PATIENCE {
                return Err(ApiError::Refused(Box::new(later.problem)).into());
            }
            let seconds = later.problem.retry_after.unwrap_or(1).clamp(1, 30);
            waits(&later.problem.in_short(), seconds);
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }
    Ok(outcomes)
}

/// One request, made again while its answer is lost. The key makes that safe: the server knows the batch again.
async fn send(remote: &Remote, body: &Doc, answered: bool, waits: &dyn Fn(&str, u64)) -> Result<Doc, ApiError> {
    let headers = [("Idempotency-Key", uuid::Uuid::now_v7().to_string())];
    let mut losses = 0;
    loop {
        let extra = Extra { headers: &headers, body: Some(body), ..Extra::default() };
        match remote.call(Method::POST, &["runs", "batch"], extra).await {
            Err(ApiError::Unreachable { source, .. }) if losses < LOSSES && (answered || !source.is_connect()) => {
                let seconds = 1 << losses.min(4);
                losses += 1;
                waits("the server does not answer", seconds);
                tokio::time::sleep(Duration::from_secs(seconds)).await;
            }
            answer => return answer,
        }
    }
}

/// What the server wants to be asked again, and why.
struct Later {
    items: Vec<Item>,
    problem: Problem,
}

fn judge(answer: &Doc, items: Vec<Item>, outcomes: &mut Vec<(u64, Outcome)>) -> Result<Later, String> {
    let answers: Vec<Value> = seen::list(answer)?;
    if answers.len() != items.len() {
        return Err(format!("the server answered {} of {} submissions", answers.len(), items.len()));
    }
    let mut later = Later { items: Vec::new(), problem: Problem::default() };
    for (item, answer) in items.into_iter().zip(answers) {
        let word = answer.get("outcome").and_then(Value::as_str).unwrap_or_default();
        let problem = answer.get("error").cloned().and_then(Problem::read);
        let id = answer.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        match (word, problem) {
            ("created", _) => outcomes.push((item.number, Outcome::Submitted { id, is_new: true })),
            ("replaced", _) => outcomes.push((item.number, Outcome::Submitted { id, is_new: false })),
            ("kept" | "existing", _) => outcomes.push((item.number, Outcome::AlreadyThere { id })),
            (_, Some(problem)) if problem.status == 429 => {
                later.problem = problem;
                later.items.push(item);
            }
            (_, Some(problem)) => outcomes.push((item.number, Outcome::Refused(without_path(&problem)))),
            (other, None) => outcomes.push((item.number, Outcome::Refused(format!("the server says {other:?}")))),
        }
    }
    Ok(later)
}

/// The item that a problem with the whole body is about: its field begins with `runs[7]`.
fn culprit(problem: &Problem, items: usize) -> Option<usize> {
    let (index, _) = problem.field()?.strip_prefix("runs[")?.split_once(']')?;
    index.parse().ok().filter(|index| *index < items)
}

/// The line is known by its own number; its place in the batch means nothing to anybody.
fn without_path(problem: &Problem) -> String {
    let words = problem.in_short();
    let Some(field) = problem.field().filter(|field| field.starts_with("runs[")) else { return words };
    let short = field.split_once(']').map_or(field, |(_, rest)| rest.trim_start_matches('.'));
    words.replace(field, short).trim_start_matches(": ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_problem_with_one_item_is_told_without_its_place_in_the_batch() {
        let document = json!({"status": 422, "code": "invalid_field", "title": "x", "field": "runs[7].priority",
            "detail": "runs[7].priority is 5000; −1000 to 1000 are allowed"});
        let problem = Problem::read(document).expect("a problem");
        assert_eq!(culprit(&problem, 10), Some(7));
        assert_eq!(culprit(&problem, 7), None);
        assert_eq!(without_path(&problem), "priority is 5000; −1000 to 1000 are allowed");
    }
}
