//! Who asks, and whether they may.

mod caller;
mod known;
mod workspaces;

pub(in crate::http) use caller::Caller;
pub(in crate::http) use known::KnownTokens;
pub(in crate::http) use workspaces::KnownWorkspaces;

use std::net::IpAddr;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::{Code, Problem};
use super::rates::Asker;
use super::routes::{self, Needs};
use super::serve::Peer;
use super::state::Server;
use crate::access::{Secret, Token};
use crate::run::WorkspaceName;

/// How callers show who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// They need not: whoever can reach the server may do everything, so it serves its own machine only.
    None,
    /// By a token: `Authorization: Bearer rl_…`.
    Tokens,
}

/// Asked by machines, and as often as they were told to.
const METRICS: &str = "/metrics";

/// Where workspaces are listed and created. Whoever names one there may be about to create it.
const WORKSPACES: &str = "/v1/workspaces";

/// Names the workspace, where the caller may choose.
const WORKSPACE: &str = "x-runlane-workspace";

/// Finds out who asks, and lets them through if they may.
pub(super) async fn authorise(State(server): State<Server>, mut request: Request, next: Next) -> Response {
    let claim = match Claim::of(&request) {
        Ok(claim) => claim,
        Err(problem) => return problem.into_response(),
    };
    match claim.judged(&server).await {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Ok(None) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// What a request says of its caller, and needs of them.
struct Claim {
    needs: Needs,
    /// Whether the request counts towards the rate of its caller.
    counts: bool,
    /// Whether the workspace must exist.
    must_exist: bool,
    secret: Result<Secret, Problem>,
    workspace: Option<WorkspaceName>,
    peer: Option<IpAddr>,
}

impl Claim {
    /// A route that the table does not know lets nobody through.
    fn of(request: &Request) -> Result<Self, Problem> {
        let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let route = routes::find(request.method().as_str(), path).ok_or_else(|| no_route(request, path))?;
        let workspace = chosen(request.headers())?;
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        let (counts, must_exist) = (route.path != METRICS, route.path != WORKSPACES);
        Ok(Self { needs: route.needs, counts, must_exist, secret: secret(request.headers()), workspace, peer })
    }

    /// The caller, if who they are matters to the route.
    async fn judged(self, server: &Server) -> Result<Option<Caller>, Problem> {
        let (permission, everywhere) = match self.needs {
            Needs::Nothing => return Ok(None),
            Needs::Here(permission) => (permission, false),
            Needs::Everywhere(permission) => (permission, true),
        };
        if server.api.auth == Auth::None {
            self.count(server, Asker::at(self.peer))?;
            let caller = Caller::local(self.workspace.clone());
            self.workspace_must_exist(server, &caller).await?;
            return Ok(Some(caller));
        }
        let token = match self.token(server).await {
            Ok(token) => token,
            // Whoever guesses shall not do so without end.
            Err(problem) => return Err(self.count(server, Asker::at(self.peer)).err().unwrap_or(problem)),
        };
        self.count(server, Asker::Token(token.id))?;
        let caller = Caller::bearing(token, self.workspace.clone())?;
        caller.must_be_permitted(permission, everywhere)?;
        self.workspace_must_exist(server, &caller).await?;
        Ok(Some(caller))
    }

    /// Only one that was chosen can be misspelt: a token was made for its own.
    async fn workspace_must_exist(&self, server: &Server, caller: &Caller) -> Result<(), Problem> {
        match &self.workspace {
            Some(chosen) if self.must_exist && caller.only_workspace().is_none() => {
                server.known_workspaces.must_have(server.store(), chosen).await
            }
            _ => Ok(()),
        }
    }

    async fn token(&self, server: &Server) -> Result<Token, Problem> {
        let hash = self.secret.as_ref().map_err(Problem::clone)?.hash();
        let known = server.known_tokens.authenticate(server.store(), &hash).await?;
        known.ok_or_else(|| unauthenticated("the token is unknown, expired or revoked"))
    }

    fn count(&self, server: &Server, asker: Asker) -> Result<(), Problem> {
        if self.counts { server.rates.count(asker) } else { Ok(()) }
    }
}

/// The router asks here before it looks whether the path knows the method.
fn no_route(request: &Request, path: &str) -> Problem {
    let allowed = routes::methods(path);
    match HeaderValue::from_str(&allowed.join(", ")) {
        Ok(allow) if !allowed.is_empty() => {
            Problem::method_not_allowed(request.method(), request.uri().path()).header(header::ALLOW, allow)
        }
        _ => Problem::new(Code::InternalError, format!("no access rule for {path}")),
    }
}

fn secret(headers: &HeaderMap) -> Result<Secret, Problem> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.ok_or_else(|| unauthenticated("the request has no token"))?;
    let (scheme, text) = given.split_once(' ').unwrap_or((given, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(unauthenticated("the Authorization header does not begin with Bearer"));
    }
    Secret::parse(text.trim()).map_err(|error| unauthenticated(&error.to_string()))
}

fn unauthenticated(detail: &str) -> Problem {
    Problem::new(Code::Unauthenticated, detail)
        .field("Authorization")
        .hint("send `Authorization: Bearer rl_…` with a valid token")
        .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

fn chosen(headers: &HeaderMap) -> Result<Option<WorkspaceName>, Problem> {
    let Some(value) = headers.get(WORKSPACE) else { return Ok(None) };
    let refused = |reason: String| Problem::new(Code::InvalidHeader, reason).field("X-Runlane-Workspace");
    let name = std::str::from_utf8(value.as_bytes()).map_err(|_| refused("the name is not UTF-8 text".into()))?;
    WorkspaceName::parse(name).map(Some).map_err(|error| refused(error.to_string()))
}
