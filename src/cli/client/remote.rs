//! Talks to the API: one request, one answer, and errors in words.

use std::time::Duration;

use super::doc::Doc;
use super::problem::{ApiError, option_of};
use clap::Args;
use reqwest::header::HeaderValue;
use reqwest::{Client, Method, RequestBuilder, Response, Url};

/// Long enough for an answer that the server was asked to wait for.
const PATIENCE: Duration = Duration::from_secs(60);
const CONNECT: Duration = Duration::from_secs(5);

/// Which server is meant, and how its answers are shown.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub(in crate::cli) struct RemoteArgs {
    /// Address of the API
    #[arg(long, global = true, value_name = "URL", env = "RUNLANE_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// Access token
    #[arg(long, global = true, value_name = "TOKEN", env = "RUNLANE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Workspace, if the token is valid in all of them
    #[arg(long, global = true, value_name = "NAME", env = "RUNLANE_WORKSPACE")]
    workspace: Option<String>,
    /// Print the API's JSON instead of text and tables
    #[arg(long, global = true)]
    pub(super) json: bool,
}

/// The same options before the command: `runlane --json runs list`. They have the ids of those in [`RemoteArgs`], so clap
/// hands their values down to these; given in both places, the one after the command wins.
#[derive(Args, Debug)]
#[command(next_help_heading = "Server (for commands that use the API)")]
pub(in crate::cli) struct LeadingArgs {
    /// Address of the API
    #[arg(id = "url", long, value_name = "URL")]
    url: Option<String>,
    /// Access token
    #[arg(id = "token", long, value_name = "TOKEN")]
    token: Option<String>,
    /// Workspace, if the token is valid in all of them
    #[arg(id = "workspace", long, value_name = "NAME")]
    workspace: Option<String>,
    /// Print the API's JSON instead of text and tables
    #[arg(id = "json", long)]
    json: bool,
}

impl LeadingArgs {
    /// The first of them that is there.
    pub(in crate::cli) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--url", self.url.is_some()),
            ("--token", self.token.is_some()),
            ("--workspace", self.workspace.is_some()),
            ("--json", self.json),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// A server.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    http: Client,
    base: Url,
    token: Option<String>,
    workspace: Option<String>,
}

/// What is sent with a request, besides its address.
#[derive(Default)]
pub(super) struct Extra<'a> {
    pub(super) query: &'a [(&'a str, String)],
    pub(super) headers: &'a [(&'a str, String)],
    pub(super) body: Option<&'a Doc>,
}

impl RemoteArgs {
    /// Another server.
    #[cfg(all(feature = "worker", target_os = "linux"))]
    pub(super) fn at(self, url: &str, token: &str) -> Self {
        Self { url: url.to_owned(), token: Some(token.to_owned()), ..self }
    }

    pub(super) fn remote(&self) -> Result<Remote, ApiError> {
        let wrong = |reason: String| ApiError::Url { url: self.url.clone(), reason };
        let base = address(&self.url).map_err(|reason| wrong(reason.into()))?;
        // reqwest would bring aws-lc, another minute of C to compile. An error says that a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http =
            Client::builder().connect_timeout(CONNECT).user_agent(concat!("runlane/", env!("CARGO_PKG_VERSION")));
        let http = http.build().map_err(|error| wrong(error.to_string()))?;
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        for (option, value) in [("--token", &self.token), ("--workspace", &self.workspace)] {
            if value.as_ref().is_some_and(|value| HeaderValue::from_bytes(value.as_bytes()).is_err()) {
                return Err(ApiError::Unsendable { option: option.to_owned() });
            }
        }
        Ok(Remote { http, base, token: given(&self.token), workspace: given(&self.workspace) })
    }

    pub(super) fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref().filter(|name| !name.is_empty())
    }
}

/// Reads the address of a server, or says in plain words why it is none.
fn address(url: &str) -> Result<Url, &'static str> {
    let begins = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if url.is_empty() {
        return Err("it is empty");
    }
    if !begins("http://") && !begins("https://") {
        return Err("it does not begin with http:// or https://");
    }
    // The parser's words are for programmers. What is left to go wrong is the host and the port.
    Url::parse(url).map_err(|error| match error.to_string().as_str() {
        "empty host" => "it names no host",
        "invalid port number" => "its port is not a number from 1 to 65535",
        _ => "its host is not a name or an address",
    })
}

impl Remote {
    /// Where it is, as it was given.
    pub(super) fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    pub(super) async fn get(&self, path: &[&str]) -> Result<Doc, ApiError> {
        self.call(Method::GET, path, Extra::default()).await
    }

    pub(super) async fn find(&self, path: &[&str], query: &[(&str, String)]) -> Result<Doc, ApiError> {
        self.call(Method::GET, path, Extra { query, ..Extra::default() }).await
    }

    pub(super) async fn post(&self, path: &[&str], body: Option<&Doc>) -> Result<Doc, ApiError> {
        self.call(Method::POST, path, Extra { body, ..Extra::default() }).await
    }

    /// Asks below `/v1` and reads the whole answer.
    pub(super) async fn call(&self, method: Method, path: &[&str], extra: Extra<'_>) -> Result<Doc, ApiError> {
        self.call_for_outcome(method, path, extra).await.map(|(answer, _)| answer)
    }

    /// As [`Remote::call`]; says also whether the request changed anything.
    pub(super) async fn change(
        &self,
        method: Method,
        path: &[&str],
        extra: Extra<'_>,
    ) -> Result<(Doc, bool), ApiError> {
        let (answer, outcome) = self.call_for_outcome(method, path, extra).await?;
        Ok((answer, outcome != "unchanged"))
    }

    /// As [`Remote::call`], with the word that says what came of a submission.
    pub(super) async fn call_for_outcome(
        &self,
        method: Method,
        path: &[&str],
        extra: Extra<'_>,
    ) -> Result<(Doc, String), ApiError> {
        let mut request = self.request(method, &self.v1(path)).query(extra.query).timeout(PATIENCE);
        for (name, value) in extra.headers {
            let value = HeaderValue::from_bytes(value.as_bytes());
            let value = value.map_err(|_| ApiError::Unsendable { option: option_of(name).to_owned() })?;
            request = request.header(*name, value);
        }
        if let Some(body) = extra.body {
            request = request.json(body);
        }
        let response = self.send(request).await?;
        let outcome = response.headers().get("x-runlane-outcome").and_then(|word| word.to_str().ok());
        let outcome = outcome.unwrap_or_default().to_owned();
        let bytes = response.bytes().await.map_err(|error| self.unreachable(error))?;
        if bytes.is_empty() {
            return Ok((Doc::default(), outcome));
        }
        let answer = serde_json::from_slice(&bytes);
        answer.map(|answer| (answer, outcome)).map_err(|_| self.not_runlane("its answer is not JSON".into()))
    }

    /// Opens a stream of events.
    pub(super) async fn stream(&self, path: &[&str], last_event: Option<&str>) -> Result<Response, ApiError> {
        let mut request = self.request(Method::GET, &self.v1(path)).header("Accept", "text/event-stream");
        if let Some(id) = last_event {
            request = request.header("Last-Event-ID", id);
        }
        self.send(request).await
    }

    /// Asks something outside of `/v1`, such as `readyz`; any status is an answer.
    pub(super) async fn outside(&self, path: &str) -> Result<Response, ApiError> {
        let request = self.request(Method::GET, &self.at(&[path])).timeout(CONNECT);
        request.send().await.map_err(|error| self.unreachable(error))
    }

    fn request(&self, method: Method, url: &Url) -> RequestBuilder {
        let mut request = self.http.request(method, url.clone());
        if let Some(workspace) = &self.workspace {
            request = request.header("X-Runlane-Workspace", workspace.as_bytes());
        }
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ApiError> {
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(ApiError::refused(self.address(), response).await)
    }

    fn v1(&self, path: &[&str]) -> Url {
        let mut whole = vec!["v1"];
        whole.extend_from_slice(path);
        self.at(&whole)
    }

    /// Names of lanes and queues may contain slashes, so each part of the path is escaped on its own.
    fn at(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn unreachable(&self, source: reqwest::Error) -> ApiError {
        ApiError::Unreachable { url: self.address().to_owned(), source: source.without_url() }
    }

    fn not_runlane(&self, reason: String) -> ApiError {
        ApiError::Foreign { url: self.address().to_owned(), reason }
    }
}

/// The full id of what a short one stands for: a body or a query takes no other.
pub(super) async fn full_id(remote: &Remote, noun: &str, text: &str) -> Result<String, ApiError> {
    if uuid::Uuid::parse_str(text).is_ok() {
        return Ok(text.to_owned());
    }
    let found = remote.get(&[noun, text]).await?;
    found.field("id").ok_or_else(|| remote.not_runlane("its answer has no id".into()))
}

/// The body with the full id where a field has a short one.
pub(super) async fn with_full_id(remote: &Remote, body: Doc, field: &str, noun: &str) -> Result<Doc, ApiError> {
    let Some(given) = body.field::<String>(field) else { return Ok(body) };
    let id = full_id(remote, noun, &given).await?;
    let mut fields: std::collections::BTreeMap<String, Doc> = body.read().unwrap_or_default();
    fields.insert(field.to_owned(), Doc::of(&id));
    Ok(Doc::of(&fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(url: &str) -> RemoteArgs {
        RemoteArgs { url: url.into(), token: None, workspace: None, json: false }
    }

    #[test]
    fn names_are_escaped_and_a_path_in_the_url_is_kept() {
        let remote = args("https://example.org/queue/").remote().expect("a server");
        assert_eq!(remote.v1(&["lanes", "a/b c", "release"]).path(), "/queue/v1/lanes/a%2Fb%20c/release");
        assert_eq!(remote.address(), "https://example.org/queue");
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_an_example() {
        for url in ["localhost:8080", "ftp://example.org", "::"] {
            let error = args(url).remote().expect_err("refused").to_string();
            assert!(error.contains(url) && error.contains("http://127.0.0.1:8080"), "{error}");
        }
    }
}
