//! Servers of this process, on the loopback.

use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::service::Routes;

/// Returns a listener at a free port, and its address. Connections are accepted from now on, and
/// served once a server takes the listener.
pub(crate) async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Serves until the task is aborted or the test ends.
pub(crate) fn serve(routes: Routes, listener: TcpListener) -> JoinHandle<()> {
    let server = tonic::transport::Server::builder().add_routes(routes);
    tokio::spawn(async move { server.serve_with_incoming(TcpListenerStream::new(listener)).await.unwrap() })
}
