//! A proxy with a delay: all data to and from a server arrives a little later. It makes a few
//! connections the bottleneck, so that neither the service nor the concurrent load is one.

use anyhow::Result;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// The maximum number of bytes of one piece.
const PIECE: usize = 64 << 10;

/// The server, and the delay.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Address of the server
    #[arg(long)]
    to: SocketAddr,
    /// The delay of a request and its response together, in milliseconds
    #[arg(long, default_value_t = 5)]
    ms: u64,
}

/// Forwards data until the process ends. It writes its address as `riposte serve` does.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    eprintln!("{}", serde_json::json!({ "message": "listening", "grpc": address }));
    eprintln!("{}", serde_json::json!({ "message": "serving" }));
    loop {
        let (near, _) = listener.accept().await?;
        tokio::spawn(carry(near, args.clone()));
    }
}

async fn carry(near: TcpStream, Args { to, ms }: Args) -> Result<()> {
    let far = TcpStream::connect(to).await?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    // The client waits for the response: all of the delay may be in one direction.
    tokio::spawn(pass(far_in, near_out, Duration::ZERO));
    pass(near_in, far_out, Duration::from_millis(ms)).await
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, later: Duration) -> Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return Ok(to.shutdown().await?);
        }
        if !later.is_zero() {
            sleep(later).await;
        }
        to.write_all(&piece[..length]).await?;
    }
}
