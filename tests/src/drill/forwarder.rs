//! An address whose target can change, like a floating address or a proxy in front of databases.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections at an address without end, and forwards each to the address that the file
/// contains when the connection arrives.
pub(super) async fn run(address: SocketAddr, file: &Path) -> Result<()> {
    let listener = TcpListener::bind(address).await?;
    loop {
        let (client, _) = listener.accept().await?;
        // A connection that cannot be forwarded is closed, as by a server that no longer runs.
        tokio::spawn(forward(client, file.to_owned()));
    }
}

async fn forward(mut client: TcpStream, file: PathBuf) -> Result<()> {
    let target: SocketAddr = tokio::fs::read_to_string(file).await?.trim().parse()?;
    let mut server = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
