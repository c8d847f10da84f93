//! The audit log: who did what.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use super::runs::page;
use crate::http::auth::Caller;
use crate::http::dto::{AuditRecord, List};
use crate::http::extract::{Query, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;
use crate::store::AuditFilter;

const LIST: &str = "audit";

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// By somebody of this name.
    #[param(example = "ops")]
    actor: Option<String>,
    /// Of this action (`run.cancel`), or of all that concern a noun (`run`).
    #[param(example = "run.cancel")]
    action: Option<String>,
    /// On this subject: the full id, or the name.
    subject: Option<String>,
    /// Then or later.
    since: Option<Timestamp>,
    /// At most so many; 50 unless given.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
    /// `next_cursor` of the page before.
    #[param(pattern = "^([0-9a-f]{2})+$")]
    cursor: Option<String>,
}

/// Read the audit log
///
/// Newest first. A token that is valid in all workspaces and selects none sees the records of all workspaces.
#[utoipa::path(get, path = "/v1/audit", tag = "tokens", params(Wanted),
    responses((status = 200, description = "A page of the log", body = List<AuditRecord>)))]
pub(super) async fn list_audit(
    State(server): State<Server>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<AuditRecord>>, Problem> {
    let page = page(wanted.limit, from_cursor(LIST, wanted.cursor.as_deref())?)?;
    let Wanted { actor, action, subject, since, .. } = wanted;
    let filter = AuditFilter { actor, action, subject, since };
    let found = server.store().audit(caller.view(), &filter, &page).await?;
    let next_cursor = found.next.map(|seq| to_cursor(LIST, &seq));
    Ok(Json(List { data: found.data.into_iter().map(AuditRecord::from).collect(), next_cursor }))
}
