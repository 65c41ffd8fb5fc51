//! A connection that is lost around COMMIT: the outcome is determined by the request keys, never
//! guessed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use riposte_core::{Effect, Error, LikeValue};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::commits::{assign_sequence, comment, create, key, like, one};
use crate::databases::{ManualClock, Place};

const PASS: u8 = 0;
/// The server receives the next COMMIT and responds, and the response is lost.
const LOSE_ANSWER: u8 = 1;
/// The next COMMIT itself is lost.
const LOSE_COMMIT: u8 = 2;

/// The server responds to the next COMMIT, and the proxy holds the response back ([`KEPT`]) until
/// the test lets it drop it.
const KEEP_ANSWER: u8 = 3;
const KEPT: u8 = 4;
/// The server receives the next COMMIT; from then on the connection stays open without a response.
const SILENCE: u8 = 5;

/// The command byte of a query, and its text.
const COMMIT: &[u8] = b"\x03COMMIT";

async fn until(mode: &AtomicU8, wanted: u8) {
    while mode.load(Ordering::SeqCst) != wanted {
        tokio::task::yield_now().await;
    }
}

/// Listens in front of `server`, and treats each connection according to `mode`.
async fn proxy(server: String, mode: Arc<AtomicU8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(upstream) = TcpStream::connect(&server).await else { continue };
            tokio::spawn(pass(client, upstream, Arc::clone(&mode)));
        }
    });
    port
}

async fn pass(mut client: TcpStream, mut server: TcpStream, faults: Arc<AtomicU8>) {
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(len @ 1..) = read else { return };
                let commits = asked[..len].windows(COMMIT.len()).any(|bytes| bytes == COMMIT);
                let mode = if commits { faults.swap(PASS, Ordering::SeqCst) } else { PASS };
                if mode == LOSE_COMMIT || server.write_all(&asked[..len]).await.is_err() {
                    return;
                }
                if mode == LOSE_ANSWER {
                    let _ = server.read(&mut answered).await;
                    return;
                }
                if mode == SILENCE {
                    return std::future::pending().await;
                }
                if mode == KEEP_ANSWER {
                    let _ = server.read(&mut answered).await;
                    faults.store(KEPT, Ordering::SeqCst);
                    until(&faults, PASS).await;
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(len @ 1..) = read else { return };
                if client.write_all(&answered[..len]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// A database with two stores: one connects through the proxy, the other directly.
struct Faulty {
    store: SqlStore,
    direct: SqlStore,
    /// The treatment of the next COMMIT of `store`.
    mode: Arc<AtomicU8>,
    place: Place,
}

impl Faulty {
    /// Returns `None` where no server is named; `store` waits at most `limit` for an unresponsive
    /// one.
    async fn open(limit: Duration) -> Option<Self> {
        let place = Place::servers(1, TableCounts { subject: 1, index: 1 }).await?;
        let clock = ManualClock::at_noon();
        let direct = place.migrated(&clock).await;
        let Place::Servers(urls, tables) = &place else { unreachable!("servers") };
        let (address, database) =
            urls[0].trim_start_matches("mysql://root@").split_once('/').expect("host:port/database");
        let mode = Arc::new(AtomicU8::new(PASS));
        let port = proxy(address.to_owned(), Arc::clone(&mode)).await;
        let url = format!("mysql://root@127.0.0.1:{port}/{database}?ssl-mode=disabled");
        let mut config = riposte_store::StoreConfig::mysql(&[url], *tables);
        config.transaction_limit = limit;
        let store = SqlStore::open(&config, clock).expect("sound");
        Some(Self { store, direct, mode, place })
    }

    async fn close(self) {
        self.store.close().await;
        self.direct.close().await;
        self.place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_of_unknown_outcome_happens_exactly_once_and_is_answered_as_the_first() {
    let Some(faulty) = Faulty::open(Duration::from_secs(1)).await else { return };
    let Faulty { store, direct, mode, .. } = &faulty;
    let subject = key("lost");
    let root = comment(&one(store, &create(store, &subject).await).await.expect("created"));

    for (round, fault) in [LOSE_ANSWER, LOSE_COMMIT, SILENCE, LOSE_ANSWER, LOSE_COMMIT].into_iter().enumerate() {
        let command = create(store, &subject).await;
        mode.store(fault, Ordering::SeqCst);
        let output = one(store, &command).await.expect("settled");
        assert_eq!(mode.load(Ordering::SeqCst), PASS, "the fault did not happen");
        assert_eq!(comment(&output).reference.floor as usize, round + 2);
        assert!(!output.replayed, "the caller asked once");
        assert!(one(store, &command).await.expect("again").replayed);

        let set = like(store, &subject, root.reference.id, &format!("m{round}"), LikeValue::Like);
        mode.store(fault, Ordering::SeqCst);
        let Effect::Like(answer) = one(store, &set).await.expect("settled").effect else { panic!("a like") };
        assert_eq!((answer.changed, answer.like_count as usize), (true, round + 1));
    }
    assert_eq!(assign_sequence(direct, "SELECT COUNT(*) FROM comment_index").await, 6);
    assert_eq!(assign_sequence(direct, "SELECT comment_count FROM comment_subject").await, 6);
    faulty.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_committed_is_never_called_undone() {
    let Some(faulty) = Faulty::open(Duration::from_secs(20)).await else { return };
    let Faulty { store, direct, mode, .. } = &faulty;
    let subject = key("kept");
    one(store, &create(store, &subject).await).await.expect("the subject comes into being");

    let command = create(store, &subject).await;
    mode.store(KEEP_ANSWER, Ordering::SeqCst);
    let (writer, batch) = (store.writer(), vec![command.clone()].into());
    let asked = tokio::spawn(async move { writer.commit(&batch).await });
    until(mode, KEPT).await;
    // The write is committed. The check of its outcome finds the subject locked by another
    // connection, for longer than it waits.
    let source = &direct.sources().all()[0];
    let tx = source.begin_write().await.expect("a transaction");
    let sql = |text: &str| Statement::from_string(source.write_pool().get_database_backend(), text);
    tx.execute_raw(sql("SET @rest = 1 /*M!, SESSION idle_transaction_timeout = 0 */")).await.expect("it may rest");
    assert_eq!(tx.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await.expect("locked").len(), 1);
    mode.store(PASS, Ordering::SeqCst);
    assert_eq!(asked.await.expect("no panic"), Err(Error::ShardUnavailable), "it was called undone");
    tx.rollback().await.expect("let go");
    let again = one(store, &command).await.expect("the repeat finds it");
    assert!(again.replayed && comment(&again).reference.floor == 2, "{again:?}");
    faulty.close().await;
}
