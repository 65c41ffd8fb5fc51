//! A connection that is lost during COMMIT: the idempotency records determine the outcome, which is
//! never guessed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use riposte_core::{Effect, Error, LikeValue};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::commits::{comment, commit_one, create_command, key, like_command, query_number};
use crate::databases::{ManualClock, TestDatabase};

const PASS: u8 = 0;
/// The server executes the next COMMIT, and its response is lost.
const LOSE_RESPONSE: u8 = 1;
/// The next COMMIT is lost before it reaches the server.
const LOSE_COMMIT: u8 = 2;

/// The server executes the next COMMIT, and the proxy holds the response back. It reports that by
/// [`RESPONSE_HELD`], and drops the response when the test sets [`PASS`].
const HOLD_RESPONSE: u8 = 3;
const RESPONSE_HELD: u8 = 4;
/// The server receives the next COMMIT, and the connection stays open without a response.
const NO_RESPONSE: u8 = 5;

/// The end of a query that commits, alone or after other statements.
const COMMIT: &[u8] = b"COMMIT";

async fn wait_for(mode: &AtomicU8, wanted: u8) {
    while mode.load(Ordering::SeqCst) != wanted {
        tokio::task::yield_now().await;
    }
}

/// Starts a proxy in front of `server` that treats each connection according to `mode`. Returns its
/// port.
async fn start_proxy(server: String, mode: Arc<AtomicU8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(upstream) = TcpStream::connect(&server).await else { continue };
            tokio::spawn(forward(client, upstream, Arc::clone(&mode)));
        }
    });
    port
}

async fn forward(mut client: TcpStream, mut server: TcpStream, mode: Arc<AtomicU8>) {
    let (mut request, mut response) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut request) => {
                let Ok(len @ 1..) = read else { return };
                let commits = request[..len].ends_with(COMMIT);
                let fault = if commits { mode.swap(PASS, Ordering::SeqCst) } else { PASS };
                if fault == LOSE_COMMIT || server.write_all(&request[..len]).await.is_err() {
                    return;
                }
                if fault == LOSE_RESPONSE {
                    let _ = server.read(&mut response).await;
                    return;
                }
                if fault == NO_RESPONSE {
                    return std::future::pending().await;
                }
                if fault == HOLD_RESPONSE {
                    let _ = server.read(&mut response).await;
                    mode.store(RESPONSE_HELD, Ordering::SeqCst);
                    wait_for(&mode, PASS).await;
                    return;
                }
            }
            read = server.read(&mut response) => {
                let Ok(len @ 1..) = read else { return };
                if client.write_all(&response[..len]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// A database with two stores: one connects through the proxy, the other directly.
struct ProxiedDatabase {
    store: SqlStore,
    direct: SqlStore,
    /// The treatment of the next COMMIT of `store`.
    mode: Arc<AtomicU8>,
    database: TestDatabase,
}

impl ProxiedDatabase {
    /// Opens both stores, or returns `None` if the environment names no server. `store` waits at
    /// most `limit` for a server that does not respond.
    async fn open(limit: Duration) -> Option<Self> {
        let database = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await?;
        let clock = ManualClock::at_noon();
        let direct = database.migrated(&clock).await;
        let TestDatabase::Servers(urls, tables) = &database else { unreachable!("servers") };
        let (address, name) = urls[0].trim_start_matches("mysql://root@").split_once('/').expect("host:port/database");
        let mode = Arc::new(AtomicU8::new(PASS));
        let port = start_proxy(address.to_owned(), Arc::clone(&mode)).await;
        let url = format!("mysql://root@127.0.0.1:{port}/{name}?ssl-mode=disabled");
        let mut config = riposte_store::StoreConfig::mysql(&[url], *tables);
        config.transaction_limit = limit;
        let store = SqlStore::open(&config, clock).expect("the configuration is sound");
        Some(Self { store, direct, mode, database })
    }

    async fn close(self) {
        self.store.close().await;
        self.direct.close().await;
        self.database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_of_unknown_outcome_takes_effect_once_and_returns_the_first_result() {
    let Some(proxied) = ProxiedDatabase::open(Duration::from_secs(1)).await else { return };
    let ProxiedDatabase { store, direct, mode, .. } = &proxied;
    let subject = key("lost");
    let root = comment(&commit_one(store, &create_command(store, &subject).await).await.expect("created"));

    for (round, fault) in [LOSE_RESPONSE, LOSE_COMMIT, NO_RESPONSE, LOSE_RESPONSE, LOSE_COMMIT].into_iter().enumerate()
    {
        let command = create_command(store, &subject).await;
        mode.store(fault, Ordering::SeqCst);
        let output = commit_one(store, &command).await.expect("committed");
        assert_eq!(mode.load(Ordering::SeqCst), PASS, "the fault did not happen");
        assert_eq!(comment(&output).reference.floor as usize, round + 2);
        assert!(!output.replayed, "the caller sent it once");
        assert!(commit_one(store, &command).await.expect("again").replayed);

        let set = like_command(store, &subject, root.reference.id, &format!("m{round}"), LikeValue::Like);
        mode.store(fault, Ordering::SeqCst);
        let Effect::Like(like) = commit_one(store, &set).await.expect("committed").effect else { panic!("a like") };
        assert_eq!((like.changed, like.like_count as usize), (true, round + 1));
    }
    assert_eq!(query_number(direct, "SELECT COUNT(*) FROM comment_index").await, 6);
    assert_eq!(query_number(direct, "SELECT comment_count FROM comment_subject").await, 6);
    proxied.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_may_be_committed_is_never_reported_as_undone() {
    let Some(proxied) = ProxiedDatabase::open(Duration::from_secs(20)).await else { return };
    let ProxiedDatabase { store, direct, mode, .. } = &proxied;
    let subject = key("held");
    commit_one(store, &create_command(store, &subject).await).await.expect("the subject is created");

    let command = create_command(store, &subject).await;
    mode.store(HOLD_RESPONSE, Ordering::SeqCst);
    let (writer, batch) = (store.writer(), vec![command.clone()].into());
    let first = tokio::spawn(async move { writer.commit(&batch).await });
    wait_for(mode, RESPONSE_HELD).await;
    // The write is committed. The check of its outcome finds the subject locked by another
    // connection, for longer than it waits.
    let source = &direct.sources().all()[0];
    let tx = source.begin_write().await.expect("a transaction");
    let sql = |text: &str| Statement::from_string(source.write_pool().get_database_backend(), text);
    tx.execute_raw(sql("SET @unused = 1 /*M!, SESSION idle_transaction_timeout = 0 */")).await.expect("it may be idle");
    assert_eq!(tx.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await.expect("locked").len(), 1);
    mode.store(PASS, Ordering::SeqCst);
    assert_eq!(first.await.expect("no panic"), Err(Error::ShardUnavailable), "the outcome is unknown");
    tx.rollback().await.expect("unlocked");
    let again = commit_one(store, &command).await.expect("the repeat finds it");
    assert!(again.replayed && comment(&again).reference.floor == 2, "{again:?}");
    proxied.close().await;
}
