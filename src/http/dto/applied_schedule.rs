//! What came of creating or updating a schedule by its name.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Schedule;
use crate::run::Json;

/// What came of creating or updating a schedule by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AppliedSchedule {
    /// Whether the schedule was created, updated, or was so already. In a dry run, what would have happened.
    pub outcome: ApplyOutcome,
    /// Nothing was written: this says what would have been.
    pub dry_run: bool,
    /// The fields of an update that changed, or would change.
    pub changes: Vec<FieldChange>,
    /// The schedule as it is now; `null` where a dry run found none.
    #[schema(required)]
    pub schedule: Option<Schedule>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApplyOutcome {
    /// There was no schedule of this name.
    Created,
    /// It was something else before.
    Updated,
    /// It was so already: nothing was written.
    Unchanged,
}

/// A field and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldChange {
    /// Which one.
    #[schema(example = "cron")]
    pub field: String,
    /// Its value before.
    #[schema(value_type = Value, example = json!("30 2 * * *"))]
    pub from: Json,
    /// Its value after.
    #[schema(value_type = Value, example = json!("0 3 * * *"))]
    pub to: Json,
}

/// What follows from the other fields, or from time.
const DERIVED: [&str; 7] = ["id", "disabled", "next_slot", "last_slot", "version", "created_at", "updated_at"];

impl FieldChange {
    /// The fields by which two versions of a schedule differ.
    pub(in crate::http) fn between(before: &Schedule, after: &Schedule) -> Vec<Self> {
        let (before, after) = (fields(before), fields(after));
        let change = |(field, to): (String, Value)| {
            let from = before.get(&field).cloned().unwrap_or_default();
            (from != to && !DERIVED.contains(&field.as_str())).then(|| Self::of(field, &from, &to))
        };
        after.into_iter().filter_map(change).collect()
    }

    fn of(field: String, from: &impl Serialize, to: &impl Serialize) -> Self {
        let json = |value: Result<Json, _>| value.unwrap_or_else(|_: crate::run::InvalidJson| Json::null());
        Self { field, from: json(Json::of(from)), to: json(Json::of(to)) }
    }
}

fn fields(schedule: &Schedule) -> Map<String, Value> {
    match serde_json::to_value(schedule) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
