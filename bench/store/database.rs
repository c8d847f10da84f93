//! A fresh database for each measurement.
use tokio_postgres::NoTls;

async fn client(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("connect");
    tokio::spawn(connection);
    client
}

pub async fn create(url: &str) -> String {
    let name = format!("bench_{}", uuid::Uuid::now_v7().simple());
    client(url).await.batch_execute(&format!("create database {name}")).await.expect("create database");
    let (base, _) = url.rsplit_once('/').expect("a database name");
    format!("{base}/{name}")
}

pub async fn vacuum(url: &str) {
    client(url).await.batch_execute("vacuum analyze").await.expect("vacuum");
    client(url).await.batch_execute("checkpoint").await.expect("checkpoint");
}
