//! The listening sockets of the process.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpSocket};

/// The maximum number of connections that wait to be accepted, as far as the system allows
/// (`net.core.somaxconn`, usually 4,096).
const BACKLOG: u32 = 4_096;

/// Listens with a backlog that a burst of clients does not fill before the process runs next. A
/// restarted process does not wait for the connections of its predecessor. `key` is the setting
/// that has the address.
pub(super) fn bind(address: SocketAddr, key: &str) -> Result<TcpListener> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().with_context(|| format!("cannot listen on {address} ({key})"))
}
