use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use tonic::codegen::BoxFuture;

/// Finds the addresses behind a name. It is asked at the first call, then every 20 seconds while there are calls, and
/// when an address turns out to be dead.
pub trait Resolve: Debug + Send + Sync {
    /// All addresses of a host, each with the port; none is an error of the caller's.
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
