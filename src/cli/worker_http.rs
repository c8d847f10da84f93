//! What a worker answers over HTTP: its metrics, whether it lives, and whether it works.
//!
//! Three pages for machines need no web framework, which a build without the API does not have.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use runlane::store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How long one request may take, and a database that can be used at most.
const PATIENCE: Duration = Duration::from_secs(10);
const DATABASE_PATIENCE: Duration = Duration::from_secs(2);

/// After a connection could not be taken, most likely because too many files are open.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The head of a request, in bytes.
const HEAD: usize = 8192;

/// So many at once; others wait.
const CONNECTIONS: usize = 64;

/// What the pages are made of.
pub(super) struct Pages {
    pub(super) scrape: Arc<dyn Fn() -> String + Send + Sync>,
    pub(super) store: Arc<dyn Store>,
    pub(super) stop: CancellationToken,
}

/// Answers for ever, one request a connection.
pub(super) async fn serve(listener: TcpListener, pages: Arc<Pages>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        let pages = Arc::clone(&pages);
        tokio::spawn(async move {
            // Whoever asked and did not wait for the answer does without it.
            let _ = tokio::time::timeout(PATIENCE, attend(stream, &pages)).await;
            drop(permit);
        });
    }
}

async fn attend(mut stream: TcpStream, pages: &Pages) -> io::Result<()> {
    let Some(head) = read_head(&mut stream).await? else { return Ok(()) };
    let (status, body) = match path(&head) {
        Some("/metrics" | "/") => ("200 OK", (pages.scrape)()),
        Some("/healthz") => ("200 OK", "ok\n".to_owned()),
        Some("/readyz") => pages.readiness().await,
        Some(_) => ("404 Not Found", "not found: /metrics, /healthz and /readyz are here\n".to_owned()),
        None => ("405 Method Not Allowed", "only GET is answered here\n".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// Everything up to the empty line; nothing if there is none, or too much before it.
async fn read_head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut part).await?;
        if read == 0 || head.len() > HEAD {
            return Ok(None);
        }
        head.extend_from_slice(&part[..read]);
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

/// Which page is asked for, without its query.
fn path(head: &str) -> Option<&str> {
    let target = head.strip_prefix("GET ")?.split([' ', '\r']).next()?;
    target.split('?').next()
}

impl Pages {
    async fn readiness(&self) -> (&'static str, String) {
        let unavailable = |why: &str| ("503 Service Unavailable", format!("{why}\n"));
        if self.stop.is_cancelled() {
            return unavailable("the worker is draining");
        }
        match tokio::time::timeout(DATABASE_PATIENCE, self.store.workspaces()).await {
            Ok(Ok(_)) => ("200 OK", "ready\n".to_owned()),
            Ok(Err(_)) => unavailable("the database cannot be used"),
            Err(_) => unavailable("the database does not answer in time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_stands_before_the_query() {
        assert_eq!(path("GET /metrics?name=a HTTP/1.1\r\n\r\n"), Some("/metrics"));
        assert_eq!(path("GET / HTTP/1.1\r\n\r\n"), Some("/"));
        assert_eq!(path("POST /metrics HTTP/1.1\r\n\r\n"), None);
    }
}
