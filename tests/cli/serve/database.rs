//! Databases for a deployment: a file, or one of its own on the test server.

use tokio_postgres::{Client, NoTls};

/// Which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

/// An empty database, gone with this value.
pub struct Database {
    pub url: String,
    /// A connection to the server, and the name to drop there.
    on_server: Option<(Client, String)>,
}

impl Database {
    /// `None`, and a word about it, when no server was started for the tests.
    pub async fn empty(kind: Kind, folder: &std::path::Path) -> Option<Self> {
        if kind == Kind::Sqlite {
            return Some(Self { url: format!("sqlite:{}", folder.join("runlane.db").display()), on_server: None });
        }
        let Ok(server) = std::env::var("RUNLANE_TEST_POSTGRES") else {
            eprintln!("skipped: RUNLANE_TEST_POSTGRES is not set (make test starts a server)");
            return None;
        };
        let (client, connection) = tokio_postgres::connect(&server, NoTls).await.expect("the test server answers");
        tokio::spawn(connection);
        let name = format!("runlane_serve_{}", std::process::id());
        client.batch_execute(&format!("create database {name}")).await.expect("a database");
        let (address, _) = server.rsplit_once('/').expect("the url names a database");
        Some(Self { url: format!("{address}/{name}"), on_server: Some((client, name)) })
    }

    /// Drops it, whoever may still be connected.
    pub async fn drop(self) {
        if let Some((client, name)) = self.on_server {
            client.batch_execute(&format!("drop database {name} with (force)")).await.expect("dropped");
        }
    }
}
