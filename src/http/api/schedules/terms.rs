//! Under which permission a schedule runs, and whether its caller may say so.

use uuid::Uuid;

use crate::access::Permission;
use crate::actions::{GrantChoice, GrantRequest};
use crate::http::auth::Caller;
use crate::http::dto::GrantTerms;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::GrantId;
use crate::schedule::Scopes;

/// The grant that a body names or describes; `None` if it says nothing of one.
///
/// Who may only submit may not decide who pays: they run under grants of their own, or that were made out to them.
pub(super) async fn choice(
    server: &Server,
    caller: &Caller,
    grant_id: Option<Uuid>,
    terms: Option<GrantTerms>,
) -> Result<Option<GrantChoice>, Problem> {
    match (grant_id, terms) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(Problem::new(Code::ConflictingFields, "both grant_id and grant are given")
            .field("grant")
            .hint("name an existing grant with grant_id, or create one with grant")),
        (None, Some(terms)) => {
            if !caller.may(Permission::Operate) {
                return Err(not_yours("grant", "creating a grant for others requires the permission operate"));
            }
            let request = grant_request(terms).map_err(|problem| problem.within("grant"))?;
            Ok(Some(GrantChoice::New(request)))
        }
        (Some(id), None) => {
            let id = GrantId(id);
            let grant = server.store().grant(&caller.workspace, id).await?.ok_or_else(Problem::unknown_grant)?;
            if !caller.may(Permission::Operate) && grant.user.as_str() != caller.by.name {
                let detail = format!("grant {id} belongs to another user");
                return Err(not_yours("grant_id", &detail));
            }
            Ok(Some(GrantChoice::Existing(id)))
        }
    }
}

/// What to make of a caller's words.
pub(in crate::http::api) fn grant_request(terms: GrantTerms) -> Result<GrantRequest, Problem> {
    let GrantTerms { user_id, billing_account, scopes, expires_at } = terms;
    let scopes = Scopes::parse(scopes).map_err(|reason| {
        Problem::new(Code::InvalidField, format!("scopes: {reason}"))
            .field("scopes")
            .hint("list task names; mail.* matches a prefix, * matches any task")
    })?;
    let now = crate::clock::Clock::Database.host_now();
    if let Some(end) = expires_at.filter(|end| *end <= now) {
        return Err(Problem::new(Code::InvalidField, format!("{end} is in the past"))
            .field("expires_at")
            .hint("give a time in the future, or leave the field out"));
    }
    Ok(GrantRequest { user: user_id, billing_account, scopes, expires_at })
}

fn not_yours(field: &str, detail: &str) -> Problem {
    Problem::new(Code::Forbidden, detail)
        .field(field)
        .hint("leave the field out: the schedule then gets your own grant for this task")
}
