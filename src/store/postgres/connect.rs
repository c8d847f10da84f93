//! Connections, and what their errors mean.

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, QueueMode, RecyclingMethod, Runtime};
use futures::Stream;
use futures::stream::poll_fn;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::{Result, StoreError};

/// Messages of the server that answer no query.
type Said = std::result::Result<AsyncMessage, tokio_postgres::Error>;

/// Where the database is and how to connect to it.
#[derive(Clone)]
pub(super) struct Target {
    config: tokio_postgres::Config,
    /// For messages: never with a password.
    pub(super) address: String,
    /// Off where statements cannot be prepared: behind a PgBouncer older than 1.21 in transaction mode.
    pub(super) prepared_statements: bool,
    /// Off where listening is in vain: behind a pooler in transaction mode.
    pub(super) listen: bool,
}

impl Target {
    /// Takes `postgres://…`, with `?prepared_statements=false` and `?listen=false` as extras of our own.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let (mut prepared_statements, mut listen) = (true, true);
        let mut kept = Vec::new();
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some((name @ "prepared_statements", word)) => prepared_statements = switch(url, name, word)?,
                Some((name @ "listen", word)) => listen = switch(url, name, word)?,
                _ => kept.push(pair),
            }
        }
        let plain = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
        let mut config = tokio_postgres::Config::from_str(&plain).map_err(|error| invalid(url, cause_of(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(invalid(url, "it names no host"));
        }
        let set = |name: &str| plain.split(['?', '&', ' ']).any(|pair| pair.split('=').next() == Some(name));
        notice_silence(&mut config, set);
        config.application_name("runlane");
        Ok(Self { address: address(&config), config, prepared_statements, listen })
    }

    /// A connection outside of every pool, and the messages on it that answer no query, which must be read for anything to
    /// happen on it.
    pub(super) async fn connect(&self) -> Result<(Client, impl Stream<Item = Said>)> {
        let (client, mut connection) =
            self.config.connect(self.tls()?).await.map_err(|error| refused("connecting", error))?;
        Ok((client, poll_fn(move |context| connection.poll_message(context))))
    }

    fn tls(&self) -> Result<MakeRustlsConnect> {
        let roots = rustls_native_certs::load_native_certs().certs;
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots);
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid(&self.address, error))?
            .with_root_certificates(store)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(tls))
    }

    pub(super) fn pool(&self, size: usize) -> Result<Pool> {
        let manager = Manager::from_config(
            self.config.clone(),
            self.tls()?,
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        Pool::builder(manager)
            .max_size(size)
            // The last one used first: it has its plans, and the pages of the database, at hand.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| invalid(&self.address, error))
    }
}

/// A host that vanished silently is noticed within some 15 s, idle or not, and one that does not answer within 5 s;
/// the library's own limits are two hours and none. What the URL has `set` stands.
fn notice_silence(config: &mut tokio_postgres::Config, set: impl Fn(&str) -> bool) {
    if !set("connect_timeout") {
        config.connect_timeout(Duration::from_secs(5));
    }
    if !set("keepalives_idle") {
        config.keepalives_idle(Duration::from_secs(5));
    }
    if !set("keepalives_interval") {
        config.keepalives_interval(Duration::from_secs(3));
    }
    if !set("keepalives_retries") {
        config.keepalives_retries(3);
    }
    // For what was sent and not acknowledged, during which no keepalives go out.
    if !set("tcp_user_timeout") {
        config.tcp_user_timeout(Duration::from_secs(15));
    }
}

fn switch(url: &str, name: &str, word: &str) -> Result<bool> {
    word.parse().map_err(|_| invalid(url, format!("{name} must be true or false")))
}

/// The cause of the driver's error, whose own message is empty.
fn cause_of(error: &tokio_postgres::Error) -> String {
    let found = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let found = found.replace('`', "");
    format!("{found}; write postgres://USER:PASSWORD@HOST:PORT/DATABASE").trim_start_matches("; ").to_owned()
}

fn invalid(url: &str, reason: impl std::fmt::Display) -> StoreError {
    StoreError::InvalidUrl { url: without_password(url), reason: reason.to_string() }
}

/// `postgres://user:secret@host/db` as `postgres://user@host/db`.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((user, host)) = rest.rsplit_once('@') else { return url.to_owned() };
    let name = user.split(':').next().unwrap_or_default();
    format!("{scheme}://{name}@{host}")
}

fn address(config: &tokio_postgres::Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("{host}:{port}/{}", config.get_dbname().unwrap_or("postgres"))
}

/// An error of the database while `doing` something.
pub(super) fn refused(doing: &'static str, source: tokio_postgres::Error) -> StoreError {
    StoreError::Database { doing, source: Box::new(source) }
}

fn postgres_error(error: &StoreError) -> Option<&tokio_postgres::Error> {
    match error {
        StoreError::Database { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

/// Whether somebody else got in the way and the whole transaction may simply be tried again: a deadlock, a
/// serialization failure, a lock not had in time, or a row that another transaction inserted first.
pub(super) fn is_contention(error: &StoreError) -> bool {
    if matches!(error, StoreError::Contended { .. }) {
        return true;
    }
    let code = postgres_error(error).and_then(|error| error.code());
    [
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::UNIQUE_VIOLATION,
    ]
    .iter()
    .any(|known| code == Some(known))
}

/// Whether the connection is gone, or the server is going.
pub(super) fn is_disconnect(error: &tokio_postgres::Error) -> bool {
    let going = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::CONNECTION_EXCEPTION,
        SqlState::CONNECTION_FAILURE,
        SqlState::CONNECTION_DOES_NOT_EXIST,
        SqlState::PROTOCOL_VIOLATION,
    ];
    let broken = std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>());
    broken || error.is_closed() || going.iter().any(|code| error.code() == Some(code))
}

/// Whether the connection was gone before anything was committed.
pub(super) fn lost_connection(error: &StoreError) -> bool {
    postgres_error(error).is_some_and(is_disconnect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_turn_prepared_statements_off() {
        let target = Target::parse("postgres://me:secret@db:6432/app?prepared_statements=false&sslmode=disable");
        let target = target.expect("a good url");
        assert!(!target.prepared_statements);
        assert_eq!(target.address, "db:6432/app");
    }

    #[test]
    fn a_vanished_host_is_noticed_in_seconds() {
        let config = Target::parse("postgres://me@db/app").expect("a good url").config;
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(5)));
        assert!(config.get_keepalives());
        let (interval, retries) = (config.get_keepalives_interval(), config.get_keepalives_retries());
        let (interval, retries) = (interval.expect("an interval"), retries.expect("a number"));
        assert!(config.get_keepalives_idle() + interval * retries <= Duration::from_secs(15));
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(15)));
    }

    #[test]
    fn what_a_url_says_about_silence_stands() {
        let set = "connect_timeout=7&keepalives_idle=60&keepalives_interval=9&keepalives_retries=2&tcp_user_timeout=30";
        let config = Target::parse(&format!("postgres://me@db/app?{set}")).expect("a good url").config;
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(7)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(60));
        assert_eq!(config.get_keepalives_interval(), Some(Duration::from_secs(9)));
        assert_eq!(config.get_keepalives_retries(), Some(2));
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(30)));
        let config = Target::parse("postgres://me@db/app?keepalives=0").expect("a good url").config;
        assert!(!config.get_keepalives());
    }

    #[test]
    fn a_url_may_turn_listening_off() {
        let target = Target::parse("postgres://me@db/app?listen=false").expect("a good url");
        assert!(!target.listen && target.prepared_statements);
        assert!(Target::parse("postgres://me@db/app?listen=perhaps").is_err());
    }

    #[test]
    fn a_bad_url_is_named_without_its_password() {
        let error = Target::parse("postgres://me:secret@db/app?prepared_statements=perhaps").err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("postgres://me@db/app"), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}
