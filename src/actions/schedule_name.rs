//! Finds a free name for a schedule that was given none.

use super::schedule_plan::check_schedule_name;
use crate::run::{ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{Schedule, ScheduleName};
use crate::store::{Result, Store, StoreError};

/// Up to so many schedules of a task are numbered; after that, names end in random digits.
const NUMBERED: usize = 20;

/// Names have at most so many bytes.
const MOST_BYTES: usize = 200;

/// What a schedule is to be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// As its spec says. If that name is taken, so it is.
    #[default]
    AsGiven,
    /// After its task: `report`, or where that is taken `report-2`, `report-3` and so on.
    AfterTask,
}

/// The name of the task, or the first free one that begins so. The name that `own` has counts as free.
pub(super) async fn free_name(
    store: &dyn Store,
    workspace: &WorkspaceName,
    task: &TaskName,
    own: Option<ScheduleId>,
) -> Result<ScheduleName> {
    for number in 1..=NUMBERED {
        let name = numbered(task, number)?;
        let is_free = |found: Option<Schedule>| found.is_none_or(|found| Some(found.id) == own);
        if check_schedule_name(&name).is_ok() && is_free(store.schedule_named(workspace, &name).await?) {
            return Ok(name);
        }
    }
    let random = ScheduleId::new().0.simple().to_string();
    with_end(task, &format!("-{}", &random[24..]))
}

fn numbered(task: &TaskName, number: usize) -> Result<ScheduleName> {
    with_end(task, &if number == 1 { String::new() } else { format!("-{number}") })
}

fn with_end(task: &TaskName, end: &str) -> Result<ScheduleName> {
    let text = task.as_str();
    let fits = text.floor_char_boundary(MOST_BYTES - end.len());
    ScheduleName::parse(format!("{}{end}", &text[..fits])).map_err(|error| StoreError::Corrupt(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_be_too_long_is_cut_between_characters() {
        let long = TaskName::parse("ä".repeat(100)).expect("a name");
        assert_eq!(numbered(&long, 1).expect("a name").as_str(), long.as_str());
        assert_eq!(numbered(&long, 12).expect("a name").as_str(), format!("{}-12", "ä".repeat(98)));
    }
}
