//! The same on the database itself: how the first token comes about.

use runlane::access::{NewToken, Secret, Token, TokenId, TokenName};
use runlane::run::WorkspaceName;
use runlane::store::{CreateTokenOutcome, RevokeOutcome, Store};
use serde_json::{Value, json};

use super::{CreateArgs, TokensVerb};
use crate::cli::Failure;
use crate::cli::client::doc::Doc;

/// Answers as the API does.
pub(super) async fn ask(store: &dyn Store, workspace: Option<&str>, verb: &TokensVerb) -> Result<Doc, Failure> {
    match verb {
        TokensVerb::List => {
            let tokens: Vec<Value> = store.tokens(None).await?.iter().map(shown).collect();
            Ok(Doc::of(&json!({"data": tokens, "next_cursor": null})))
        }
        TokensVerb::Create(args) => create(store, workspace, args).await,
        TokensVerb::Revoke { id } => revoke(store, id).await,
    }
}

async fn create(store: &dyn Store, workspace: Option<&str>, args: &CreateArgs) -> Result<Doc, Failure> {
    let workspace = workspace.map(WorkspaceName::parse).transpose()?.unwrap_or_default();
    let secret = Secret::generate();
    let request = NewToken {
        id: TokenId::new(),
        workspace: (!args.everywhere).then(|| workspace.clone()),
        name: TokenName::parse(args.name.as_str())?,
        role: args.role,
        hash: secret.hash(),
        expires_in: args.expires,
    };
    match store.create_token(&request).await? {
        CreateTokenOutcome::Created(token) => {
            let mut shown = shown(&token);
            shown["secret"] = json!(secret.expose());
            Ok(Doc::of(&shown))
        }
        CreateTokenOutcome::UnknownWorkspace => Err(format!("there is no workspace {workspace}").into()),
        CreateTokenOutcome::DuplicateId | CreateTokenOutcome::DuplicateHash => Err("it was made before".into()),
    }
}

async fn revoke(store: &dyn Store, id: &str) -> Result<Doc, Failure> {
    let token = TokenId(id.parse().map_err(|_| format!("{id:?} is no id of a token"))?);
    match store.revoke_token(token).await? {
        RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked => Ok(Doc::default()),
        RevokeOutcome::NotFound => Err(format!("there is no token {id}").into()),
    }
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
