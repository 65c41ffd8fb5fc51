//! A TCP proxy between a server and one of its stores, which injects network faults.
//!
//! TCP never loses data in the middle of a connection, and nothing would restore the data that a
//! half-open connection has dropped. When the fault ends, connections with dropped data are
//! therefore reset.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The behaviour of a proxy: to forward all data, or a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyMode {
    /// Data is forwarded unchanged.
    Forward,
    /// Each piece is delayed by up to this time.
    Delay(Duration),
    /// Data arrives in pieces of a few bytes.
    Slices,
    /// Nothing arrives at either end any more, and no end is notified; new connections are accepted
    /// and carry no data.
    Stalled,
    /// Nothing arrives at the server any more, while the store receives everything.
    OneWay,
    /// Every connection is reset at once, and each new one.
    Reset,
}

/// The longest piece, in bytes.
const PIECE: usize = 16 << 10;
/// The longest piece of a proxy that delays: data that arrives during a delay joins the next piece,
/// so that the throughput stays the same.
const DELAYED_PIECE: usize = 1 << 20;

/// Alters the data of one direction of a connection.
pub trait PieceFilter: Send {
    /// Returns the data that is forwarded when a piece arrives. What is held back must be forwarded
    /// with a later piece.
    fn pass(&mut self, piece: &[u8]) -> Vec<u8>;
}

/// The filters of a connection.
#[expect(missing_debug_implementations, reason = "filters have no state that a test would print")]
pub struct ConnectionFilter {
    /// Alters what the server sends.
    pub to_store: Box<dyn PieceFilter>,
    /// Alters what the store sends.
    pub to_server: Box<dyn PieceFilter>,
}

/// Forwards every piece unchanged.
struct Unchanged;

impl PieceFilter for Unchanged {
    fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        piece.to_vec()
    }
}

/// A proxy; dropping it cuts all its connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<ProxyMode>,
    listener: JoinHandle<()>,
}

/// The direction of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    ToStore,
    ToServer,
}

impl Proxy {
    /// Creates a proxy to a store on this machine.
    ///
    /// # Errors
    /// If no port is free.
    pub async fn to(port: u16) -> Result<Self> {
        Self::between(Ipv4Addr::LOCALHOST, port, 0).await
    }

    /// Creates a proxy that listens at this address of the machine. `seed` determines its random
    /// delays and pieces.
    ///
    /// # Errors
    /// If no port is free there.
    pub async fn between(here: Ipv4Addr, port: u16, seed: u64) -> Result<Self> {
        Self::filtered(here, port, seed, || ConnectionFilter {
            to_store: Box::new(Unchanged),
            to_server: Box::new(Unchanged),
        })
        .await
    }

    /// As [`Self::between`], with filters for each connection.
    ///
    /// # Errors
    /// If no port is free there.
    pub async fn filtered(
        here: Ipv4Addr,
        port: u16,
        seed: u64,
        filter: impl Fn() -> ConnectionFilter + Send + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind((here, 0)).await?;
        let address = listener.local_addr()?;
        let store = SocketAddr::from(([127, 0, 0, 1], port));
        let (mode, modes) = watch::channel(ProxyMode::Forward);
        let listener = tokio::spawn(async move {
            for connection in 0_u64.. {
                if let Ok((server, _)) = listener.accept().await {
                    let seed = seed.wrapping_add(2 * connection);
                    tokio::spawn(connect(server, store, (modes.clone(), filter()), seed));
                }
            }
        });
        Ok(Self { address, mode, listener })
    }

    /// Returns the port that the server connects to.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address that the server connects to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the mode.
    pub fn set(&self, mode: ProxyMode) {
        self.mode.send_replace(mode);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Relays one connection in both directions until either end closes it or a fault breaks it.
async fn connect(
    server: TcpStream,
    store: SocketAddr,
    (modes, filter): (watch::Receiver<ProxyMode>, ConnectionFilter),
    seed: u64,
) {
    let Ok(store) = TcpStream::connect(store).await else { return };
    if server.set_nodelay(true).is_err() || store.set_nodelay(true).is_err() {
        return;
    }
    let ((from_server, to_server), (from_store, to_store)) = (server.into_split(), store.into_split());
    let broken = tokio::select! {
        broken = carry(from_server, to_store, (Flow::ToStore, filter.to_store), modes.clone(), seed) => broken,
        broken = carry(from_store, to_server, (Flow::ToServer, filter.to_server), modes, seed.wrapping_add(1)) => broken,
    };
    // Both ends are dropped here, in any case.
    drop(broken);
}

/// Relays one direction; ends when the connection must end.
async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    (flow, mut filter): (Flow, Box<dyn PieceFilter>),
    mut modes: watch::Receiver<ProxyMode>,
    seed: u64,
) -> std::io::Result<()> {
    let (mut piece, mut random) = (vec![0; DELAYED_PIECE], StdRng::seed_from_u64(seed));
    loop {
        let now = *modes.borrow_and_update();
        if now == ProxyMode::Reset {
            return reset(&from, &to);
        }
        let most = if matches!(now, ProxyMode::Delay(_)) { DELAYED_PIECE } else { PIECE };
        let length = tokio::select! {
            changed = modes.changed() => match changed {
                Ok(()) => continue,
                Err(_gone) => return Ok(()),
            },
            read = from.read(&mut piece[..most]) => read?,
        };
        if length == 0 {
            return Ok(());
        }
        let drops = now == ProxyMode::Stalled || now == ProxyMode::OneWay && flow == Flow::ToServer;
        if drops {
            drop(modes.changed().await);
            return reset(&from, &to);
        }
        match now {
            ProxyMode::Delay(longest) => tokio::time::sleep(longest.mul_f64(random.random())).await,
            ProxyMode::Slices => {
                let passed = filter.pass(&piece[..length]);
                let mut rest = &passed[..];
                while !rest.is_empty() {
                    let (some, others) = rest.split_at(rest.len().min(random.random_range(1..64)));
                    to.write_all(some).await?;
                    tokio::task::yield_now().await;
                    rest = others;
                }
                continue;
            }
            ProxyMode::Forward | ProxyMode::Stalled | ProxyMode::OneWay | ProxyMode::Reset => {}
        }
        to.write_all(&filter.pass(&piece[..length])).await?;
    }
}

/// Makes both sockets close with RST when they are dropped.
fn reset(from: &OwnedReadHalf, to: &OwnedWriteHalf) -> std::io::Result<()> {
    from.as_ref().set_zero_linger()?;
    to.as_ref().set_zero_linger()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts a store that echoes its input, and returns a proxy to it.
    async fn echo() -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = stream.split();
                    drop(tokio::io::copy(&mut read, &mut write).await);
                });
            }
        });
        Proxy::to(port).await.unwrap()
    }

    async fn echoed(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
        let sent: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        stream.write_all(&sent).await?;
        let mut received = vec![0; sent.len()];
        stream.read_exact(&mut received).await?;
        assert_eq!(received, sent);
        Ok(received)
    }

    #[tokio::test]
    async fn forwarding_delayed_and_sliced_proxies_carry_everything() {
        let proxy = echo().await;
        let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        for mode in
            [ProxyMode::Forward, ProxyMode::Slices, ProxyMode::Delay(Duration::from_millis(5)), ProxyMode::Forward]
        {
            proxy.set(mode);
            echoed(&mut stream).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_stalled_proxy_carries_nothing_and_resets_when_the_fault_ends() {
        for mode in [ProxyMode::Stalled, ProxyMode::OneWay] {
            let proxy = echo().await;
            let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
            echoed(&mut stream).await.unwrap();
            proxy.set(mode);
            stream.write_all(b"lost").await.unwrap();
            let silence = tokio::time::timeout(Duration::from_millis(50), stream.read_u8()).await;
            assert!(silence.is_err(), "{mode:?}: {silence:?}");
            proxy.set(ProxyMode::Forward);
            assert!(stream.read_u8().await.is_err());
        }
    }

    #[tokio::test]
    async fn a_reset_ends_open_and_new_connections() {
        let proxy = echo().await;
        let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        echoed(&mut stream).await.unwrap();
        proxy.set(ProxyMode::Reset);
        assert!(stream.read_u8().await.is_err());
        let mut another = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        assert!(echoed(&mut another).await.is_err());
        proxy.set(ProxyMode::Forward);
        let mut third = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
        echoed(&mut third).await.unwrap();
    }
}
