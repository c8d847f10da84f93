//! `runlane tokens`: what lets others use the API. A token is shown once, when it is made.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::remote::{Extra, RemoteArgs};
use super::render::{Cell, Paint, Table, ago, now, plain};
use super::{args, print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct TokensArgs {
    #[command(subcommand)]
    verb: Option<TokensVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum TokensVerb {
    /// List them, without their secrets (also without a verb)
    List,
    /// Make one; its secret is shown once
    Create {
        /// What it is for
        name: String,
        /// What it may do
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        scopes: Vec<String>,
        /// The workspace it belongs to; without it, that of the token in use
        #[arg(long, value_name = "NAME")]
        workspace: Option<String>,
        /// When it ends (30d, 12h); without it, never
        #[arg(long, value_name = "SPAN", value_parser = args::duration)]
        expires: Option<SignedDuration>,
    },
    /// End one, at once
    Revoke {
        /// Its id
        id: String,
    },
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Token {
    id: String,
    name: String,
    workspace: Option<String>,
    scopes: Vec<String>,
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

pub(super) async fn tokens(args: TokensArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let (answer, words) = match args.verb.unwrap_or(TokensVerb::List) {
        TokensVerb::List => {
            let answer = remote.get(&["tokens"]).await?;
            let words = table(&answer)?;
            (answer, words)
        }
        TokensVerb::Create { name, scopes, workspace, expires } => {
            let answer = remote.post(&["tokens"], Some(&request(name, scopes, workspace, expires))).await?;
            let secret = answer.get("token").and_then(Value::as_str).unwrap_or_default().to_owned();
            (answer, format!("{}\nkeep it now: it is not shown again\n", plain(&secret)))
        }
        TokensVerb::Revoke { id } => {
            let answer = remote.call(Method::DELETE, &["tokens", &id], Extra::default()).await?;
            (answer, format!("token {} is of no use any more\n", plain(&id)))
        }
    };
    if args.remote.json {
        print_json(&answer);
    } else {
        say(&words);
    }
    Ok(ExitCode::SUCCESS)
}

fn request(name: String, scopes: Vec<String>, workspace: Option<String>, expires: Option<SignedDuration>) -> Value {
    let mut body = Map::new();
    body.insert("name".into(), json!(name));
    if !scopes.is_empty() {
        body.insert("scopes".into(), json!(scopes));
    }
    if let Some(workspace) = workspace {
        body.insert("workspace".into(), json!(workspace));
    }
    if let Some(span) = expires {
        body.insert("expires_at".into(), json!(runlane::clock::later(now(), span).to_string()));
    }
    Value::Object(body)
}

fn table(answer: &Value) -> Result<String, String> {
    let now = now();
    let mut table = Table::new(&["id", "name", "workspace", "scopes", "created", "used", "expires", "state"]);
    for token in seen::list::<Token>(answer)? {
        let ended = token.expires_at.is_some_and(|at| at <= now);
        table.add(vec![
            Cell::of(&token.id),
            Cell::of(&token.name),
            Cell::maybe(token.workspace.as_ref()),
            Cell::of(token.scopes.join(",")),
            Cell::maybe(token.created_at.map(|at| ago(at, now))),
            Cell::maybe(token.last_used_at.map(|at| ago(at, now))),
            Cell::of(token.expires_at.map_or("never".into(), |at| ago(at, now))),
            match (token.revoked_at.is_some(), ended) {
                (true, _) => Cell::of("revoked").warn(),
                (false, true) => Cell::of("expired").warn(),
                (false, false) => Cell::of("valid"),
            },
        ]);
    }
    Ok(if table.is_empty() { "no tokens\n".into() } else { table.render(Paint::for_stdout()) })
}
