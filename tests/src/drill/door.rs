//! An address that moves, as a floating one or a proxy before databases does.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};

/// Takes connections at an address for ever, and leads each to the address that the file names when it comes.
pub(super) async fn open(at: SocketAddr, file: &Path) -> Result<()> {
    let listener = TcpListener::bind(at).await?;
    loop {
        let (near, _) = listener.accept().await?;
        // One that leads nowhere is closed, as by a server that is gone.
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
