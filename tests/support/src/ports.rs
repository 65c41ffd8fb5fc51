//! Free ports to listen on.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, bail};

/// Returns a free port of 127.0.0.1 outside the range from which the system assigns ports to
/// connections, so that no other process gets the port of a killed server.
///
/// # Errors
/// If none is found in a hundred tries.
pub fn free_port() -> Result<u16> {
    for _ in 0..100 {
        // The next port that the system would assign serves as the random number.
        let dealt = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let port = 10_000 + dealt % 20_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port in a hundred tries")
}
