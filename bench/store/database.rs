//! A fresh database for each measurement, and a transaction that gets in everybody's way.

use std::error::Error;

use tokio_postgres::{Client, NoTls};

pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

pub async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

pub async fn create(server: &str) -> Result<String> {
    let name = format!("bench_{}", uuid::Uuid::now_v7().simple());
    connect(server).await?.batch_execute(&format!("create database {name}")).await?;
    let (base, _) = server.rsplit_once('/').ok_or("the url names a database")?;
    Ok(format!("{base}/{name}"))
}

pub async fn drop(server: &str, url: &str) -> Result<()> {
    let (_, name) = url.rsplit_once('/').ok_or("the url names a database")?;
    connect(server).await?.batch_execute(&format!("drop database {name} with (force)")).await?;
    Ok(())
}

/// So that every measurement starts from tables in order and an empty log.
pub async fn vacuum(url: &str) -> Result<()> {
    let client = connect(url).await?;
    client.batch_execute("vacuum analyze").await?;
    client.batch_execute("checkpoint").await?;
    Ok(())
}

/// A transaction that has read the table and stays open: no version of a row that it could see may be removed.
pub struct Held(Client);

impl Held {
    pub async fn open(url: &str, table: &str) -> Result<Self> {
        let client = connect(url).await?;
        client.batch_execute("begin isolation level repeatable read").await?;
        client.query(&format!("select count(*) from {table}"), &[]).await?;
        Ok(Self(client))
    }

    pub async fn close(self) -> Result<()> {
        self.0.batch_execute("rollback").await?;
        Ok(())
    }
}
