use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use tonic::codegen::BoxFuture;

/// Resolves a name to addresses. The client calls it at the first call, then every 20 seconds while
/// there are calls, and when an address turns out to be dead.
pub trait Resolve: Debug + Send + Sync {
    /// Returns all addresses of a host, each with the port; the client treats an empty result as an
    /// error.
    fn resolve(&self, host: &str, port: u16) -> BoxFuture<Vec<SocketAddr>, io::Error>;
}

/// The system's DNS.
#[derive(Debug, Clone, Copy)]
pub struct Dns;

impl Resolve for Dns {
    fn resolve(&self, host: &str, port: u16) -> BoxFuture<Vec<SocketAddr>, io::Error> {
        let host = host.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}
