//! `runlane tokens`: what lets others use the API. A token is shown once, when it is made.

mod direct;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use runlane::access::Role;
use serde::Deserialize;
use serde_json::json;

use super::doc::Doc;
use super::remote::{Extra, Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, ago, now, plain};
use super::{args, print_json, say, seen};
use crate::cli::Failure;
use crate::cli::database::DatabaseArgs;

#[derive(Args)]
#[command(after_help = "\
A server that requires tokens needs a first one. Create it directly in the database, on SQLite before the server starts:
  runlane tokens create me --role admin --direct --database sqlite:runlane.db")]
pub(in crate::cli) struct TokensArgs {
    #[command(subcommand)]
    verb: Option<TokensVerb>,
    /// Access the database directly instead of through a server
    #[arg(long, global = true)]
    direct: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum TokensVerb {
    /// List tokens, without their secrets (the default)
    List,
    /// Create a token; its secret is shown once
    Create(CreateArgs),
    /// Revoke a token
    Revoke {
        /// The token's id
        id: String,
    },
}

#[derive(Args)]
struct CreateArgs {
    /// Name of its user or purpose
    name: String,
    /// Role: viewer, submitter, operator, admin or worker
    #[arg(long, value_name = "ROLE", default_value = "viewer")]
    role: Role,
    /// Valid in every workspace, not only in that of --workspace or of the token in use
    #[arg(long)]
    everywhere: bool,
    /// Lifetime (30d, 12h); default: valid until revoked
    #[arg(long, value_name = "DURATION", value_parser = args::duration)]
    expires: Option<SignedDuration>,
    /// Do nothing if a valid token with this name, role and workspace exists; its secret is not shown again
    #[arg(long)]
    if_not_exists: bool,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct Token {
    id: String,
    name: String,
    workspace: Option<String>,
    role: String,
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

pub(super) async fn tokens(args: TokensArgs) -> Result<ExitCode, Failure> {
    let verb = args.verb.unwrap_or(TokensVerb::List);
    let (answer, changed) = if args.direct {
        let store = args.database.database()?.open().await?;
        let workspace = args.remote.workspace();
        if let TokensVerb::Create(wanted) = &verb
            && wanted.if_not_exists
            && let (list, _) = direct::ask(store.as_ref(), workspace, &TokensVerb::List).await?
            && let Some(token) = wanted.find(&seen::list(&list)?, Some(workspace.unwrap_or("default")))
        {
            return Ok(already_there(&token));
        }
        direct::ask(store.as_ref(), workspace, &verb).await?
    } else {
        let remote = args.remote.remote()?;
        if let TokensVerb::Create(wanted) = &verb
            && wanted.if_not_exists
            && let list = seen::list(&remote.get(&["tokens"]).await?)?
            && let Some(token) = wanted.find(&list, args.remote.workspace())
        {
            return Ok(already_there(&token));
        }
        ask(&remote, &verb).await?
    };
    if args.remote.json {
        print_json(&answer);
    } else {
        say(&in_words(&verb, &answer, changed)?);
        if matches!(verb, TokensVerb::Create(_)) {
            eprintln!("store it now: it is not shown again");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The answer, and whether anything changed.
async fn ask(remote: &Remote, verb: &TokensVerb) -> Result<(Doc, bool), Failure> {
    Ok(match verb {
        TokensVerb::List => (remote.get(&["tokens"]).await?, true),
        TokensVerb::Create(args) => (remote.post(&["tokens"], Some(&args.body())).await?, true),
        TokensVerb::Revoke { id } => remote.change(Method::DELETE, &["tokens", id], Extra::default()).await?,
    })
}

/// Nothing on standard output: there is no secret to show.
fn already_there(token: &Token) -> ExitCode {
    let (name, id) = (plain(&token.name), plain(&token.id));
    eprintln!("token {name} ({id}) is already there; its secret is not shown again");
    ExitCode::SUCCESS
}

impl CreateArgs {
    /// The valid token that is as this one would be. Without a workspace, that of the list counts; one that sees all of them
    /// creates tokens in `default`.
    fn find(&self, tokens: &[Token], workspace: Option<&str>) -> Option<Token> {
        let sees_all = tokens.iter().any(|token| token.workspace.is_none());
        let workspace = workspace.or(sees_all.then_some("default"));
        let same_place = |token: &Token| match (&token.workspace, workspace) {
            (None, _) => self.everywhere,
            (Some(_), None) => !self.everywhere,
            (Some(its), Some(wanted)) => !self.everywhere && its == wanted,
        };
        let is_valid = |token: &Token| token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at > now());
        let same = |token: &&Token| token.name == self.name && token.role == self.role.as_str() && same_place(token);
        tokens.iter().filter(same).find(|token| is_valid(token)).cloned()
    }

    fn body(&self) -> Doc {
        let mut body = json!({"name": self.name, "role": self.role.as_str()});
        if self.everywhere {
            body["everywhere"] = json!(true);
        }
        if let Some(span) = self.expires {
            body["expires_in_seconds"] = json!(span.as_secs());
        }
        Doc::of(&body)
    }
}

fn in_words(verb: &TokensVerb, answer: &Doc, changed: bool) -> Result<String, String> {
    Ok(match verb {
        TokensVerb::List => table(&seen::list(answer)?),
        TokensVerb::Create(_) => {
            let secret = answer.field::<String>("secret").unwrap_or_default();
            format!("{}\n", plain(&secret))
        }
        TokensVerb::Revoke { id } if !changed => format!("token {} is already revoked\n", plain(id)),
        TokensVerb::Revoke { id } => format!("revoked token {}\n", plain(id)),
    })
}

fn table(tokens: &[Token]) -> String {
    let now = now();
    let mut table = Table::new(&["id", "name", "role", "workspace", "created", "expires", "state"]);
    for token in tokens {
        let ended = token.expires_at.is_some_and(|at| at <= now);
        table.add(vec![
            Cell::of(&token.id),
            Cell::of(&token.name),
            Cell::of(&token.role),
            Cell::of(token.workspace.as_deref().unwrap_or("(all)")),
            Cell::maybe(token.created_at.map(|at| ago(at, now))),
            Cell::of(token.expires_at.map_or("never".into(), |at| ago(at, now))),
            match (token.revoked_at.is_some(), ended) {
                (true, _) => Cell::of("revoked").warn(),
                (false, true) => Cell::of("expired").warn(),
                (false, false) => Cell::of("good"),
            },
        ]);
    }
    if table.is_empty() { "no tokens\n".into() } else { table.render(Paint::for_stdout()) }
}
