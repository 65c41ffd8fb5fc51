//! The round trips of batch reads over many tables, as a proxy before the server sees them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use riposte_core::{CommentId, ObjectType};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::databases::{ManualClock, TestDatabase};
use crate::subject::{Subject, member};

/// The reference layout.
const TABLES: TableCounts = TableCounts { subject: 50, index: 200 };

/// The bytes before the command of a packet.
const PACKET_HEADER: usize = 4;
/// The command of a ping.
const PING: u8 = 0x0e;

/// A proxy that counts the changes of direction from the server to a client.
#[derive(Debug, Default)]
pub(crate) struct QueryCounter {
    count: AtomicUsize,
}

impl QueryCounter {
    /// Starts a proxy to a server and returns its port.
    pub(crate) async fn proxy(self: &Arc<Self>, server: String) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let this = Arc::clone(self);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("the test server is up");
                for stream in [&client, &server] {
                    stream.set_nodelay(true).expect("set");
                }
                let (client_read, client_write) = client.into_split();
                let (server_read, server_write) = server.into_split();
                let responded = Arc::new(AtomicUsize::new(0));
                let direction =
                    |is_client| Direction { counter: Arc::clone(&this), responded: Arc::clone(&responded), is_client };
                tokio::spawn(direction(true).forward(client_read, server_write));
                tokio::spawn(direction(false).forward(server_read, client_write));
            }
        });
        port
    }

    /// Returns the round trips so far.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Returns the round trips that `read` makes once its connections are open. The first read
    /// opens the connection, and with it learns whether the server takes text queries.
    async fn of<T>(&self, read: impl AsyncFn() -> T) -> usize {
        read().await;
        read().await;
        let before = self.count();
        read().await;
        self.count() - before
    }
}

/// One direction of a connection through the proxy.
struct Direction {
    counter: Arc<QueryCounter>,
    /// 1 after the server sent something that no bytes of the client have followed, otherwise 0.
    responded: Arc<AtomicUsize>,
    is_client: bool,
}

impl Direction {
    async fn forward(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count) = from.read(&mut bytes).await {
            if count == 0 {
                break;
            }
            // The first bytes of a client after a response begin a round trip. The driver sends a
            // ping when a connection returns to its pool, for which no read waits.
            if self.is_client {
                let begun = self.responded.swap(0, Ordering::AcqRel);
                let is_ping = bytes[..count].get(PACKET_HEADER) == Some(&PING);
                self.counter.count.fetch_add(if is_ping { 0 } else { begun }, Ordering::AcqRel);
            } else {
                self.responded.store(1, Ordering::Release);
            }
            if to.write_all(&bytes[..count]).await.is_err() {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_read_over_many_tables_is_one_round_trip() {
    let Some(database) = TestDatabase::servers(1, TABLES).await else { return };
    // Writes go past the proxy: a connection that wrote is rolled back when it is released.
    let written = database.fresh().await;
    let TestDatabase::Servers(urls, _) = &database else { return };
    let (host, name) = urls[0].rsplit_once('/').expect("server/database");
    let (user, server) = host.rsplit_once('@').expect("user@server");
    let counter = Arc::new(QueryCounter::default());
    let port = counter.proxy(server.to_owned()).await;
    // The proxy has to recognise the pings.
    let url = format!("{user}@127.0.0.1:{port}/{name}?ssl-mode=DISABLED");
    let mut config = riposte_store::StoreConfig::mysql(&[url], TABLES);
    config.read.connections = 1;
    let store = SqlStore::open(&config, ManualClock::at_noon()).expect("the configuration is sound");
    let (mut keys, mut ids): (_, Vec<CommentId>) = (Vec::new(), Vec::new());
    for n in 0..100 {
        let subject = Subject::new(&written, &format!("subject {n}"));
        ids.extend(subject.create_roots(2).await);
        keys.push(subject.key.clone());
    }
    let reader = store.reader();
    let subjects = counter.of(async || {
        let found = reader.subjects(&keys).await.expect("read");
        assert!(found.iter().all(Option::is_some));
    });
    assert_eq!(subjects.await, 1, "100 subjects");
    let comments = counter.of(async || {
        let found = reader.comments(&ids).await.expect("read");
        assert!(found.iter().all(Option::is_some));
    });
    assert_eq!(comments.await, 1, "200 comments");
    let one = counter.of(async || reader.subjects(&keys[..1]).await.expect("read"));
    assert_eq!(one.await, 1, "one subject");
    let video = ObjectType::stored("video".to_owned());
    let history = counter.of(async || reader.member_comments(&video, &member(0), true, None, 20).await.expect("read"));
    assert_eq!(history.await, 1, "a page of a member history");
    store.close().await;
    written.close().await;
    database.drop().await;
}
