//! The same on the database itself: how the first token comes about.

use runlane::access::{Token, TokenId, TokenName};
use runlane::actions::{By, Found, ShortId, TokenRequest, create_token, find_token, revoke_token};
use runlane::run::WorkspaceName;
use runlane::store::Store;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{CreateArgs, TokensVerb};
use crate::cli::Failure;
use crate::cli::client::doc::Doc;

/// Answers as the API does, and whether anything changed.
pub(super) async fn ask(store: &dyn Store, workspace: Option<&str>, verb: &TokensVerb) -> Result<(Doc, bool), Failure> {
    Ok(match verb {
        TokensVerb::List => {
            let tokens: Vec<Value> = store.tokens(None).await?.iter().map(shown).collect();
            (Doc::of(&json!({"data": tokens, "next_cursor": null})), true)
        }
        TokensVerb::Create(args) => (create(store, workspace, args).await?, true),
        TokensVerb::Revoke { id } => (Doc::default(), revoke(store, id).await?),
    })
}

async fn create(store: &dyn Store, workspace: Option<&str>, args: &CreateArgs) -> Result<Doc, Failure> {
    let workspace = workspace.map(WorkspaceName::parse).transpose()?.unwrap_or_default();
    let request = TokenRequest {
        workspace: (!args.everywhere).then(|| workspace.clone()),
        name: TokenName::parse(args.name.as_str())?,
        role: args.role,
        expires_in: args.expires,
    };
    let made = create_token(store, &By::local(workspace.clone()), request).await?;
    let missing = || {
        format!(
            "there is no workspace {:?}\n  hint: create it first with `runlane workspaces create`",
            workspace.as_str()
        )
    };
    let (token, secret) = made.ok_or_else(missing)?;
    let mut shown = shown(&token);
    shown["secret"] = json!(secret.expose());
    Ok(Doc::of(&shown))
}

async fn revoke(store: &dyn Store, id: &str) -> Result<bool, Failure> {
    let token = TokenId(full_id(store, id).await?);
    let revoked = revoke_token(store, &By::local(WorkspaceName::default()), token, None).await?;
    revoked.map(|(_, changed)| changed).ok_or_else(|| no_token(id).into())
}

async fn full_id(store: &dyn Store, text: &str) -> Result<Uuid, Failure> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let short = ShortId::parse(text).ok_or_else(|| no_token(text))?;
    match find_token(store, None, &short).await? {
        Found::One(id) => Ok(id),
        Found::Nothing => Err(no_token(text).into()),
        Found::Several(_) => Err(format!("{text:?} is part of several ids of tokens; give more of it").into()),
    }
}

fn no_token(text: &str) -> String {
    format!("there is no token {text:?}\n  hint: `runlane tokens list --direct` shows their ids")
}

fn shown(token: &Token) -> Value {
    json!({
        "id": token.id.to_string(),
        "name": token.name.to_string(),
        "workspace": token.workspace.as_ref().map(ToString::to_string),
        "role": token.role.as_str(),
        "created_at": token.created_at.to_string(),
        "expires_at": token.expires_at.map(|at| at.to_string()),
        "revoked_at": token.revoked_at.map(|at| at.to_string()),
    })
}
