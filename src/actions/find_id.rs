//! Finds what a short id stands for: the beginning or the end of one full id.

use uuid::Uuid;

use crate::access::TokenId;
use crate::run::{GrantId, RunId, ScheduleId, WorkerId, WorkspaceName};
use crate::store::{Page, Result, RunFilter, ScheduleFilter, Store};

/// Fewer digits would nearly always be ambiguous.
const SHORTEST: usize = 4;

/// The digits of a full id.
const DIGITS: usize = 32;

/// How many candidates are named.
const CANDIDATES: usize = 5;

/// How many schedules or grants are read at a time.
const PAGE: usize = 500;

/// Part of an id: lower-case hexadecimal digits, without dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortId(String);

/// What a short id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing that the caller may see.
    Nothing,
    /// This.
    One(Uuid),
    /// Any of these, and perhaps of more.
    Several(Vec<Uuid>),
}

impl ShortId {
    /// Reads one; `None` if the text cannot be part of an id, or is too short for one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
        let is_part = (SHORTEST..DIGITS).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit());
        is_part.then_some(Self(digits))
    }

    fn matches(&self, id: Uuid) -> bool {
        let mut buffer = Uuid::encode_buffer();
        let digits: &str = id.simple().encode_lower(&mut buffer);
        digits.starts_with(&self.0) || digits.ends_with(&self.0)
    }

    /// The highest id that may begin so.
    fn highest(&self) -> Uuid {
        let padded = format!("{:f<DIGITS$}", self.0);
        u128::from_str_radix(&padded, 16).map(Uuid::from_u128).unwrap_or(Uuid::max())
    }

    fn judge(&self, ids: impl IntoIterator<Item = Uuid>) -> Found {
        let mut found: Vec<Uuid> = Vec::new();
        for id in ids.into_iter().filter(|id| self.matches(*id)) {
            if !found.contains(&id) && found.len() < CANDIDATES {
                found.push(id);
            }
        }
        match found.as_slice() {
            [] => Found::Nothing,
            [one] => Found::One(*one),
            _ => Found::Several(found),
        }
    }
}

/// A run of the workspace: any that begins so, and of the newest one that ends so.
pub async fn find_run(store: &dyn Store, workspace: &WorkspaceName, short: &ShortId) -> Result<Found> {
    let page = Page { limit: CANDIDATES, after: Some(RunId(short.highest())) };
    let begin = store.runs(workspace, &RunFilter::default(), &page).await?.data;
    let end = store.runs_ending(workspace, &short.0, CANDIDATES).await?;
    Ok(short.judge(begin.into_iter().map(|run| run.id.0).chain(end.into_iter().map(|run| run.0))))
}

/// A schedule of the workspace.
pub async fn find_schedule(store: &dyn Store, workspace: &WorkspaceName, short: &ShortId) -> Result<Found> {
    let (mut ids, mut page) = (Vec::new(), Page::<ScheduleId>::first(PAGE));
    loop {
        let listed = store.schedules(workspace, &ScheduleFilter::default(), &page).await?;
        ids.extend(listed.data.into_iter().map(|schedule| schedule.id.0).filter(|id| short.matches(*id)));
        page.after = listed.next;
        if page.after.is_none() {
            return Ok(short.judge(ids));
        }
    }
}

/// A grant of the workspace.
pub async fn find_grant(store: &dyn Store, workspace: &WorkspaceName, short: &ShortId) -> Result<Found> {
    let (mut ids, mut page) = (Vec::new(), Page::<GrantId>::first(PAGE));
    loop {
        let listed = store.grants(workspace, &page).await?;
        ids.extend(listed.data.into_iter().map(|grant| grant.id.0).filter(|id| short.matches(*id)));
        page.after = listed.next;
        if page.after.is_none() {
            return Ok(short.judge(ids));
        }
    }
}

/// A worker that is not forgotten yet.
pub async fn find_worker(store: &dyn Store, short: &ShortId) -> Result<Found> {
    let id = |worker: crate::store::Worker| -> WorkerId { worker.info.id };
    Ok(short.judge(store.workers().await?.into_iter().map(|worker| id(worker).0)))
}

/// A token of the workspace, or of any.
pub async fn find_token(store: &dyn Store, workspace: Option<&WorkspaceName>, short: &ShortId) -> Result<Found> {
    let id = |token: crate::access::Token| -> TokenId { token.id };
    Ok(short.judge(store.tokens(workspace).await?.into_iter().map(|token| id(token).0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_is_at_least_four_digits_of_one() {
        for text in ["", "abc", "no-id", "xyz1", "01a1e292-4f58-704e-830f-f9086c87eddb", "naïve"] {
            assert_eq!(ShortId::parse(text), None, "{text}");
        }
        assert_eq!(ShortId::parse("01A1e292-4f").expect("short").0, "01a1e2924f");
    }

    #[test]
    fn it_stands_for_the_one_id_that_begins_or_ends_so() {
        let ids: Vec<Uuid> = ["01a1e292-4f58-704e-830f-f9086c87eddb", "01a1e292-4f81-704f-89ae-ce483641fab1"]
            .map(|id| id.parse().expect("an id"))
            .to_vec();
        let find = |text| ShortId::parse(text).expect("short").judge(ids.clone());
        assert_eq!(find("01a1e2924f5"), Found::One(ids[0]));
        assert_eq!(find("3641FAB1"), Found::One(ids[1]));
        assert_eq!(find("01a1e292"), Found::Several(ids.clone()));
        assert_eq!(find("9086c87e"), Found::Nothing, "in the middle");
    }

    #[test]
    fn a_page_that_starts_at_the_highest_id_has_all_that_begin_so() {
        let short = ShortId::parse("01a1e292").expect("short");
        let id: Uuid = "01a1e292-ffff-7fff-bfff-ffffffffffff".parse().expect("an id");
        assert!(id < short.highest());
    }
}
