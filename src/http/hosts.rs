//! Which names the server answers to, and whose pages may use it.
//!
//! A page in a browser can make requests to this machine; by a name that its owner points here, even read the answers.
//! Such requests show themselves by their `Host` and `Origin`.

use std::borrow::Cow;

use axum::extract::Request;
use axum::http::{HeaderMap, header};

use super::auth::Auth;
use super::problem::{Code, Problem};
use super::state::Api;

/// Refuses what came by a name, or from a page, that may not.
pub(super) fn check(api: &Api, request: &Request) -> Result<(), Problem> {
    let host = request.uri().authority().map(|authority| authority.as_str().into());
    let host = host.or_else(|| text(request.headers(), header::HOST)).unwrap_or_default();
    judge(api, &host, text(request.headers(), header::ORIGIN).as_deref())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<Cow<'_, str>> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()))
}

fn judge(api: &Api, host: &str, origin: Option<&str>) -> Result<(), Problem> {
    let any_host = api.hosts.is_empty() && !matches!(api.auth, Auth::None);
    if !any_host && !is_local(host) && !api.hosts.iter().any(|allowed| names(allowed, host)) {
        return Err(Problem::new(Code::HostNotAllowed, format!("the server does not accept the host name {host:?}"))
            .field("Host")
            .hint("if it is yours, add it to the setting allowed_hosts"));
    }
    let Some(origin) = origin else { return Ok(()) };
    let own = origin.split_once("://").is_some_and(|(_, its_host)| its_host.eq_ignore_ascii_case(host));
    if own || api.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
        return Ok(());
    }
    Err(Problem::new(Code::OriginNotAllowed, format!("web pages of {origin:?} may not use this server"))
        .field("Origin")
        .hint("if it is yours, add it to the setting allowed_origins"))
}

/// With or without the port.
fn names(allowed: &str, host: &str) -> bool {
    allowed.eq_ignore_ascii_case(host) || allowed.eq_ignore_ascii_case(without_port(host))
}

fn is_local(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|local| local.eq_ignore_ascii_case(without_port(host)))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_does_not_matter_to_a_name() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:80"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example:80", "127.0.0.1.nip.io", "[::2]", "localhost:x"] {
            assert!(!is_local(host), "{host}");
        }
        assert!(names("runs.example", "runs.example:443") && names("runs.example:443", "runs.example:443"));
        assert!(!names("runs.example:443", "runs.example:80"));
    }
}
