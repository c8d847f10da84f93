//! A wire to the database that can fall silent: nothing is refused, nothing is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(super) struct Wire {
    pub(super) url: String,
    silent: Arc<watch::Sender<bool>>,
    /// How many transactions were begun over it.
    transactions: Arc<AtomicUsize>,
}

impl Wire {
    /// To the database at `url`.
    pub(super) async fn to(url: &str) -> Self {
        let (_, rest) = url.split_once('@').expect("a user");
        let (server, name) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let here = listener.local_addr().expect("an address");
        let (silent, transactions) = (Arc::new(watch::Sender::new(false)), Arc::new(AtomicUsize::new(0)));
        tokio::spawn(serve(listener, server.to_owned(), Arc::clone(&silent), Arc::clone(&transactions)));
        Self { url: format!("postgres://postgres@{here}/{name}"), silent, transactions }
    }

    pub(super) fn transactions(&self) -> usize {
        self.transactions.load(Ordering::SeqCst)
    }

    pub(super) fn fall_silent(&self) {
        self.silent.send_replace(true);
    }

    pub(super) fn speak(&self) {
        self.silent.send_replace(false);
    }
}

async fn serve(
    listener: TcpListener,
    server: String,
    silent: Arc<watch::Sender<bool>>,
    transactions: Arc<AtomicUsize>,
) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(upstream) = TcpStream::connect(&server).await else { continue };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = upstream.into_split();
        tokio::spawn(pass(from_client, to_server, silent.subscribe(), Some(Arc::clone(&transactions))));
        tokio::spawn(pass(from_server, to_client, silent.subscribe(), None));
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut silent: watch::Receiver<bool>,
    transactions: Option<Arc<AtomicUsize>>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut buffer).await {
        if silent.wait_for(|silent| !silent).await.is_err() || read == 0 {
            return;
        }
        if let Some(transactions) = &transactions {
            // As the simple queries with which every transaction of the store begins have it.
            let begun = buffer[..read].windows(5).filter(|word| word == b"begin").count();
            transactions.fetch_add(begun, Ordering::SeqCst);
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
