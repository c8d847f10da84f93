//! Takes connections, so many at once, and sees each through.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::http::state::Limits;

/// After a connection could not be taken, most likely because too many files are open.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How often a silent HTTP/2 connection is asked whether anybody is there.
const PING: Duration = Duration::from_secs(30);

/// The least that the HTTP library takes for a limit.
const LEAST_HEADER_BYTES: usize = 8192;

/// From where a request came.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct Peer(pub(in crate::http) IpAddr);

/// Accepts connections until `stopping` is cancelled; answers with those that are still open.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stopping: CancellationToken,
) -> JoinSet<()> {
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut open = JoinSet::new();
    loop {
        let (stream, peer, permit) = tokio::select! {
            () = stopping.cancelled() => return open,
            Some(_) = open.join_next() => continue,
            next = next(&listener, &room) => next,
        };
        let (router, stopping) = (router.clone(), stopping.clone());
        open.spawn(async move {
            attend(stream, peer, router, limits, stopping).await;
            drop(permit);
        });
    }
}

/// The next connection, once there is room for it. Until then callers wait in the machine's own queue.
async fn next(listener: &TcpListener, room: &Arc<Semaphore>) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = Arc::clone(room).acquire_owned().await else { return std::future::pending().await };
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, permit),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }
}

async fn attend(stream: TcpStream, peer: SocketAddr, router: Router, limits: Limits, stopping: CancellationToken) {
    // Answers are small and often many: none should wait for another to fill a packet.
    drop(stream.set_nodelay(true));
    let routes = TowerToHyperService::new(router);
    let asked = Notify::new();
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        asked.notify_one();
        request.extensions_mut().insert(Peer(peer.ip()));
        routes.call(request)
    });
    let builder = builder(&limits);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // The library minds the time from the first byte of a request on, and between two; not before it knows the protocol.
    let silent = async {
        match timeout(limits.header_wait, asked.notified()).await {
            Ok(()) => std::future::pending().await,
            Err(_) => tracing::debug!(%peer, "the connection sent no request"),
        }
    };
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = silent => return,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let header_bytes = limits.header_bytes.max(LEAST_HEADER_BYTES);
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_wait)
        .max_headers(limits.headers)
        .max_buf_size(header_bytes);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .max_header_list_size(u32::try_from(header_bytes).unwrap_or(u32::MAX));
    builder
}
