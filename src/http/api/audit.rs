//! The audit log: who did what.

use axum::Json;
use axum::extract::State;

use super::lanes::Wanted;
use super::runs::page;
use crate::http::auth::Caller;
use crate::http::dto::{AuditRecord, List};
use crate::http::extract::{Query, from_cursor, to_cursor};
use crate::http::problem::Problem;
use crate::http::state::Server;

const LIST: &str = "audit";

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
    let found = server.store().audit(caller.view(), &page).await?;
    let next_cursor = found.next.map(|seq| to_cursor(LIST, &seq));
    Ok(Json(List { data: found.data.into_iter().map(AuditRecord::from).collect(), next_cursor }))
}
