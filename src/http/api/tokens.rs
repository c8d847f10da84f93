//! Tokens: who may do what.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::SignedDuration;

use crate::actions::{TokenRequest, create_token as make, revoke_token as revoke};
use crate::http::auth::Caller;
use crate::http::changed::Changed;
use crate::http::dto::{CreatedToken, IdOrPart, List, NewToken, Token};
use crate::http::extract::{Body, TokenPath};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;

/// List tokens
///
/// Lists the tokens of the workspace, newest first. A token that is valid in all workspaces and selects none sees all.
#[utoipa::path(get, path = "/v1/tokens", tag = "tokens",
    responses((status = 200, description = "All tokens", body = List<Token>)))]
pub(super) async fn list_tokens(State(server): State<Server>, caller: Caller) -> Result<Json<List<Token>>, Problem> {
    let tokens = server.store().tokens(caller.view()).await?;
    Ok(Json(List::whole(tokens.into_iter().map(Token::from).collect())))
}

/// Create a token
///
/// The response contains its secret, which is shown only once.
#[utoipa::path(post, path = "/v1/tokens", tag = "tokens", request_body = NewToken,
    responses((status = 201, description = "Created", body = CreatedToken)))]
pub(super) async fn create_token(
    State(server): State<Server>,
    caller: Caller,
    Body(wanted): Body<NewToken>,
) -> Result<(StatusCode, Json<CreatedToken>), Problem> {
    let request = request(&caller, wanted)?;
    let workspace = request.workspace.clone().unwrap_or_else(|| caller.workspace.clone());
    let made = make(server.store(), &caller.by, request).await?;
    let (token, secret) = made.ok_or_else(|| Problem::no_workspace_called(&workspace))?;
    Ok((StatusCode::CREATED, Json(CreatedToken { token: token.into(), secret: secret.expose().to_owned() })))
}

/// Revoke a token
///
/// The token stops working immediately in this process, and within 5 seconds in others.
#[utoipa::path(delete, path = "/v1/tokens/{id}", tag = "tokens",
    params(("id" = IdOrPart, Path, description = "The token")),
    responses((status = 200, description = "Revoked", body = Token)))]
pub(super) async fn revoke_token(
    State(server): State<Server>,
    caller: Caller,
    TokenPath(id): TokenPath,
) -> Result<Changed<Token>, Problem> {
    let revoked = revoke(server.store(), &caller.by, id, caller.view()).await;
    // Whatever the answer: whether it is still good is asked anew.
    server.known_tokens.forget(id);
    let (token, changed) = revoked?.ok_or_else(|| Problem::no_token(&id.to_string()))?;
    Ok(Changed { body: token.into(), changed })
}

fn request(caller: &Caller, wanted: NewToken) -> Result<TokenRequest, Problem> {
    let workspace = match (wanted.everywhere.unwrap_or(false), wanted.workspace) {
        (true, Some(_)) => {
            let detail = "a token is valid either in every workspace or in one";
            return Err(Problem::new(Code::ConflictingFields, detail).field("workspace"));
        }
        (true, None) => None,
        (false, given) => Some(given.unwrap_or_else(|| caller.workspace.clone())),
    };
    caller.must_reach(workspace.as_ref())?;
    if wanted.expires_in_seconds == Some(0) {
        return Err(Problem::new(Code::InvalidField, "the lifetime of a token must be greater than 0")
            .field("expires_in_seconds"));
    }
    let expires_in = wanted.expires_in_seconds.map(|seconds| SignedDuration::from_secs(seconds.into()));
    Ok(TokenRequest { workspace, name: wanted.name, role: wanted.role, expires_in })
}
