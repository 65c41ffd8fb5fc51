//! Ports to listen on.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, bail};

/// A free port of 127.0.0.1 outside the range that the system deals out to connections: while a killed server is down,
/// nobody else is given its port.
///
/// # Errors
/// When none is found in a hundred tries.
pub fn free_port() -> Result<u16> {
    for _ in 0..100 {
        // What the system would deal out next serves as the random number.
        let dealt = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let port = 10_000 + dealt % 20_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port in a hundred tries")
}
