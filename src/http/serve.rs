//! Serves until told to stop, then lets what is under way come to its end.

use std::io;
use std::net::SocketAddr;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

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
    let grace = api.limits.shutdown_grace;
    let router = router(api, stopping.clone());
    // Answers are small and often many: none should wait for another to fill a packet.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let told = stopping.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move { told.cancelled().await });
    let too_late = async {
        stopping.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        served = server => Ok(served?),
        () = too_late => {
            tracing::warn!(?grace, "requests still under way were cut off");
            Ok(())
        }
    }
}
