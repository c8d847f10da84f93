//! `runlane grants`: under whose permission schedules run. Revoking one shows what that stops, and asks first.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::doc::Doc;
use super::remote::{Extra, Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, ago, counted, now, plain};
use super::{args, exit, print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct GrantsArgs {
    #[command(subcommand)]
    verb: Option<GrantsVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum GrantsVerb {
    /// List grants, newest first (the default)
    List,
    /// Show a grant and what runs under it
    Show {
        /// The grant's id
        id: String,
    },
    /// Create a grant
    Create {
        #[command(flatten)]
        terms: Terms,
        /// Use the valid grant of this user with the same account and scopes, if there is one
        #[arg(long)]
        if_not_exists: bool,
    },
    /// Check whether a grant allows a task now; exits with 1 if not
    Validate {
        /// The grant's id
        id: String,
        /// Task to check; without it, check whether the grant is valid at all
        #[arg(long, short, value_name = "NAME")]
        task: Option<String>,
    },
    /// Revoke a grant for good: nothing starts under it any more
    Revoke {
        /// The grant's id
        id: String,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
}

/// What a grant is to allow.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Grant")]
pub(super) struct Terms {
    /// User on whose behalf runs execute
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Billing account charged for usage
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Task it allows: a name, mail.* for a prefix, or * for any; can be repeated
    #[arg(long, value_name = "TASK")]
    scope: Vec<String>,
    /// When it expires: a duration from now (30d), or a time
    #[arg(long, value_name = "WHEN", value_parser = end)]
    expires: Option<Timestamp>,
}

fn end(text: &str) -> Result<Timestamp, String> {
    let after = |span| now().checked_add(span).map_err(|_| format!("{text:?} is too far away"));
    match args::duration(text) {
        Ok(span) => after(span),
        Err(_) => args::instant(text).map_err(|_| format!("{text:?} is neither a duration (30d) nor a time")),
    }
}

impl Terms {
    /// What is to be sent; `None` if nothing was said.
    pub(super) fn given(&self) -> Result<Option<Doc>, String> {
        match (&self.user, &self.account, self.scope.as_slice()) {
            (None, None, []) if self.expires.is_none() => Ok(None),
            (Some(user), Some(account), [_, ..]) => {
                let mut body = json!({"user_id": user, "billing_account": account, "scopes": self.scope});
                if let Some(end) = self.expires {
                    body["expires_at"] = json!(end.to_string());
                }
                Ok(Some(Doc::of(&body)))
            }
            _ => Err("a grant needs --user, --account and at least one --scope".into()),
        }
    }
}

impl Terms {
    /// The valid grant that allows the same for the same user and account, until whenever.
    fn find(&self, grants: &[Doc]) -> Result<Option<Doc>, String> {
        let wanted: BTreeSet<&String> = self.scope.iter().collect();
        for doc in grants {
            let grant: Grant = seen::read(doc)?;
            let whose =
                (Some(&grant.user_id), Some(&grant.billing_account)) == (self.user.as_ref(), self.account.as_ref());
            let same_scopes = grant.scopes.iter().collect::<BTreeSet<_>>() == wanted;
            if whose && same_scopes && state(&grant, now()) == "good" {
                return Ok(Some(doc.clone()));
            }
        }
        Ok(None)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Grant {
    id: String,
    user_id: String,
    billing_account: String,
    scopes: Vec<String>,
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    schedules: Vec<Granted>,
    waiting_runs: u64,
    running_runs: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Granted {
    id: String,
    name: String,
    enabled: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Verdict {
    valid: bool,
    code: Option<String>,
    message: Option<String>,
}

pub(super) async fn grants(args: GrantsArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let json = args.remote.json;
    match args.verb.unwrap_or(GrantsVerb::List) {
        GrantsVerb::List => list(&remote, json).await,
        GrantsVerb::Show { id } => {
            let answer = remote.get(&["grants", &id]).await?;
            show(&answer, json, card(&seen::read(&answer)?, Paint::for_stdout()))
        }
        GrantsVerb::Create { terms, if_not_exists } => {
            if if_not_exists && let Some(same) = terms.find(&seen::all(&remote, &["grants"]).await?.data)? {
                eprintln!("the grant is already there");
                return show(&same, json, format!("{}\n", plain(&seen::read::<Grant>(&same)?.id)));
            }
            let body = terms.given().and_then(|body| body.ok_or("a grant needs --user, --account and --scope".into()));
            let answer = remote.post(&["grants"], Some(&body.map_err(exit::Usage)?)).await?;
            let grant: Grant = seen::read(&answer)?;
            show(&answer, json, format!("{}\n", plain(&grant.id)))
        }
        GrantsVerb::Validate { id, task } => validate(&remote, &id, task, json).await,
        GrantsVerb::Revoke { id, yes } => revoke(&remote, &id, yes, json).await,
    }
}

fn show(answer: &Doc, json: bool, words: String) -> Result<ExitCode, Failure> {
    if json {
        print_json(answer);
    } else {
        say(&words);
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let found = seen::all(remote, &["grants"]).await?;
    if json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    let now = now();
    let mut table = Table::new(&["id", "user", "account", "scopes", "created", "expires", "state"]);
    for grant in &found.data {
        let grant: Grant = seen::read(grant)?;
        let good = state(&grant, now) == "good";
        let state = Cell::of(state(&grant, now));
        table.add(vec![
            Cell::of(&grant.id),
            Cell::of(&grant.user_id),
            Cell::of(&grant.billing_account),
            Cell::of(grant.scopes.join(", ")),
            Cell::maybe(grant.created_at.map(|at| ago(at, now))),
            Cell::of(grant.expires_at.map_or("never".into(), |at| ago(at, now))),
            if good { state } else { state.warn() },
        ]);
    }
    say(&if table.is_empty() { "no grants\n".into() } else { table.render(Paint::for_stdout()) });
    Ok(ExitCode::SUCCESS)
}

fn state(grant: &Grant, now: Timestamp) -> &'static str {
    match (grant.revoked_at, grant.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(end)) if end <= now => "expired",
        _ => "good",
    }
}

async fn validate(remote: &Remote, id: &str, task: Option<String>, json: bool) -> Result<ExitCode, Failure> {
    let query: Vec<_> = task.map(|task| ("task", task)).into_iter().collect();
    let answer = remote.find(&["grants", id, "validate"], &query).await?;
    let verdict: Verdict = seen::read(&answer)?;
    let words = match (verdict.valid, verdict.message) {
        (true, _) => "valid\n".to_owned(),
        (false, message) => {
            format!("{} ({})\n", plain(&message.unwrap_or_default()), plain(&verdict.code.unwrap_or_default()))
        }
    };
    show(&answer, json, words)?;
    Ok(if verdict.valid { ExitCode::SUCCESS } else { ExitCode::from(exit::FAILED) })
}

/// Asks on a terminal; where nobody can answer, whoever called it meant it only if they said so.
async fn revoke(remote: &Remote, id: &str, yes: bool, json: bool) -> Result<ExitCode, Failure> {
    if !yes {
        let grant: Grant = seen::read(&remote.get(&["grants", id]).await?)?;
        if grant.revoked_at.is_none() && !agreed(&grant)? {
            say("not revoked\n");
            return Ok(ExitCode::from(exit::FAILED));
        }
    }
    let (answer, changed) = remote.change(Method::POST, &["grants", id, "revoke"], Extra::default()).await?;
    let grant: Grant = seen::read(&answer)?;
    let words = match changed {
        true => format!("revoked grant {}\n{}", plain(id), stops(&grant)),
        false => format!("grant {} is already revoked\n", plain(id)),
    };
    show(&answer, json, words)
}

fn agreed(grant: &Grant) -> Result<bool, Failure> {
    eprint!("revoking grant {} (user {}) is for good\n{}", plain(&grant.id), plain(&grant.user_id), stops(grant));
    if !std::io::stdin().is_terminal() {
        return Err(exit::Usage(
            "cannot ask for confirmation without a terminal; --yes revokes the grant without asking".into(),
        )
        .into());
    }
    eprint!("revoke it? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn stops(grant: &Grant) -> String {
    let mut text = String::new();
    let stopped = grant.schedules.iter().filter(|schedule| schedule.enabled);
    for schedule in stopped {
        let _ = writeln!(text, "  stops schedule {} ({})", plain(&schedule.name), plain(&schedule.id));
    }
    if grant.waiting_runs > 0 {
        let _ = writeln!(text, "  {} will fail instead of starting", counted(grant.waiting_runs, "waiting run"));
    }
    if grant.running_runs > 0 {
        let goes = if grant.running_runs == 1 { "goes" } else { "go" };
        let runs = counted(grant.running_runs, "run");
        let _ = writeln!(text, "  {runs} under way {goes} on to the end unless cancelled, and will not be tried again");
    }
    if text.is_empty() { "  nothing runs under it\n".into() } else { text }
}

fn card(grant: &Grant, paint: Paint) -> String {
    let now = now();
    let mut text = format!("grant {}  {}\n", paint.strong(&plain(&grant.id)), state(grant, now));
    let mut line = |name: &str, words: Option<String>| {
        if let Some(words) = words {
            let _ = writeln!(text, "  {}{}", paint.quiet(&format!("{name:<11}")), plain(&words));
        }
    };
    let time =
        |at: Option<Timestamp>| at.map(|at| format!("{} ({})", ago(at, now), at.strftime("%Y-%m-%d %H:%M:%S UTC")));
    line("user", Some(grant.user_id.clone()));
    line("account", Some(grant.billing_account.clone()));
    line("scopes", Some(grant.scopes.join(", ")));
    line("created", time(grant.created_at));
    line("expires", time(grant.expires_at));
    line("revoked", time(grant.revoked_at));
    line("waiting", Some(counted(grant.waiting_runs, "run")));
    line("running", Some(counted(grant.running_runs, "run")));
    for schedule in &grant.schedules {
        let state = if schedule.enabled { "" } else { ", disabled" };
        line("schedule", Some(format!("{} ({}{state})", schedule.name, schedule.id)));
    }
    text
}
