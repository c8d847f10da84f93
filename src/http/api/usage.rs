//! What runs used up, and who pays.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::auth::Caller;
use crate::http::dto::{List, Name, UsageSum};
use crate::http::extract::Query;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::TaskName;
use crate::schedule::BillingAccount;
use crate::store::UsageFilter;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only usage charged to this account.
    #[param(value_type = Option<Name>)]
    account: Option<BillingAccount>,
    /// Only runs of this task.
    #[param(value_type = Option<Name>)]
    task: Option<TaskName>,
    /// Only this unit.
    unit: Option<String>,
    /// Start of the period: an instant, or a day in UTC.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// End of the period, exclusive: an instant, or a day in UTC.
    #[param(example = "2026-12-01")]
    until: Option<String>,
}

/// Sum up usage
///
/// By account, task, unit and day in UTC. Runs without a grant are charged to no account.
#[utoipa::path(get, path = "/v1/usage", tag = "usage", params(Wanted),
    responses((status = 200, description = "All sums", body = List<UsageSum>)))]
pub(super) async fn sum_usage(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<UsageSum>>, Problem> {
    let (from, until) = (instant("from", wanted.from.as_deref())?, instant("until", wanted.until.as_deref())?);
    let filter = UsageFilter { account: wanted.account, task: wanted.task, unit: wanted.unit, from, until };
    let sums = server.store().usage(&caller.workspace, &filter).await?;
    Ok(Json(List::whole(sums.into_iter().map(UsageSum::from).collect())))
}

fn instant(name: &str, text: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    match text.parse::<Timestamp>().ok().or_else(day) {
        Some(at) => Ok(Some(at)),
        None => Err(Problem::new(Code::InvalidParameter, format!("{text:?} is neither an instant nor a day"))
            .field(name)
            .hint("write 2026-11-16T00:00:00Z or 2026-11-16")),
    }
}
