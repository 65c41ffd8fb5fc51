//! A moving address, like a floating address or a proxy in front of databases.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections at an address for ever, and forwards each to the address that the file names
/// when the connection arrives.
pub(super) async fn open(at: SocketAddr, file: &Path) -> Result<()> {
    let listener = TcpListener::bind(at).await?;
    loop {
        let (near, _) = listener.accept().await?;
        // A connection that cannot be forwarded is closed, as by a server that no longer runs.
        tokio::spawn(lead(near, file.to_owned()));
    }
}

async fn lead(mut near: TcpStream, file: PathBuf) -> Result<()> {
    let to: SocketAddr = tokio::fs::read_to_string(file).await?.trim().parse()?;
    let mut far = TcpStream::connect(to).await?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    tokio::io::copy_bidirectional(&mut near, &mut far).await?;
    Ok(())
}
