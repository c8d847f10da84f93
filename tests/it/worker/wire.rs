//! A wire to the database that can fall silent: nothing is refused, nothing is answered.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(super) struct Wire {
    pub(super) url: String,
    silent: Arc<watch::Sender<bool>>,
}

impl Wire {
    /// To the database at `url`.
    pub(super) async fn to(url: &str) -> Self {
        let (_, rest) = url.split_once('@').expect("a user");
        let (server, name) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let here = listener.local_addr().expect("an address");
        let silent = Arc::new(watch::Sender::new(false));
        tokio::spawn(serve(listener, server.to_owned(), Arc::clone(&silent)));
        Self { url: format!("postgres://postgres@{here}/{name}"), silent }
    }

    pub(super) fn fall_silent(&self) {
        self.silent.send_replace(true);
    }

    pub(super) fn speak(&self) {
        self.silent.send_replace(false);
    }
}

async fn serve(listener: TcpListener, server: String, silent: Arc<watch::Sender<bool>>) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(upstream) = TcpStream::connect(&server).await else { continue };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = upstream.into_split();
        tokio::spawn(pass(from_client, to_server, silent.subscribe()));
        tokio::spawn(pass(from_server, to_client, silent.subscribe()));
    }
}

async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, mut silent: watch::Receiver<bool>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut buffer).await {
        if silent.wait_for(|silent| !silent).await.is_err() || read == 0 {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
