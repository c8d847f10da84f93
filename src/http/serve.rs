//! Serves until told to stop, then lets what is under way come to its end.

mod connections;

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(in crate::http) use self::connections::Peer;
use super::auth::Auth;
use super::router::router;
use super::state::Api;

/// Why a server did not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Everybody who can reach it could do everything.
    #[error("refusing to listen on {0} without tokens: listen on 127.0.0.1, or use --auth tokens")]
    OpenToAll(SocketAddr),
    /// The socket failed.
    #[error("cannot serve")]
    Io(#[from] io::Error),
}

/// Serves on `listener` until `stopping` is cancelled and the requests under way are answered, or their time is over.
pub async fn serve(listener: TcpListener, api: Api, stopping: CancellationToken) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    if matches!(api.auth, Auth::None) && !address.ip().to_canonical().is_loopback() {
        return Err(ServeError::OpenToAll(address));
    }
    let limits = api.limits;
    let router = router(api, stopping.clone());
    let mut open = connections::accept(listener, router, limits, stopping).await;
    let answered = async { while open.join_next().await.is_some() {} };
    if tokio::time::timeout(limits.shutdown_grace, answered).await.is_err() {
        tracing::warn!(grace = ?limits.shutdown_grace, "unfinished requests were cut off");
    }
    Ok(())
}
