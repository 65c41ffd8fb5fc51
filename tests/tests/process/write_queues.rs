//! Waiting writes: a write that a full queue refuses has no effect, and an accepted one takes
//! effect even after its caller has given up.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::{Comment, CommentSort, Content, CreateCommentRequest, ErrorReason, SubjectKey};
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, refused};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

/// One table of each kind, so that the row of a subject is easy to lock; the smallest queues.
const SETS: [&str; 16] = [
    "--set",
    "store.subject_tables=1",
    "--set",
    "store.index_tables=1",
    "--set",
    "write_queues.partition_queue=512",
    "--set",
    "store.lock_wait_timeout=30s",
    "--set",
    "store.transaction_timeout=2min",
    "--set",
    "limits.writes=4096",
    "--set",
    "server.max_write_time=9s",
    "--set",
    "limits.write_wait=1s",
];

/// A server, one subject with one comment, and a transaction that holds the subject's row.
struct Jam {
    server: Server,
    say: Say,
    callers: Vec<Caller>,
    holder: Child,
}

/// The number of connections: each carries as many concurrent calls as the server permits.
const CONNECTIONS: usize = 12;

/// A client without the retries of the SDK.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) channel: Channel,
    pub(super) key: SubjectKey,
}

impl Caller {
    /// Creates a comment. The same number is the same request.
    pub(super) async fn create(self, number: usize, time: Duration) -> Result<Comment, Status> {
        let mut request = Request::new(CreateCommentRequest {
            subject: Some(self.key),
            member_id: format!("m{number}"),
            content: Some(Content { text: "waits".to_owned(), ..Content::default() }),
            request_id: format!("018f0000-0000-4000-8000-{number:012x}"),
            ..CreateCommentRequest::default()
        });
        request.set_timeout(time);
        let made = CommentServiceClient::new(self.channel).create_comment(request).await?;
        made.into_inner().comment.ok_or_else(|| Status::unknown("no comment"))
    }
}

impl Jam {
    /// Returns `None`, with a message, without database servers.
    async fn new() -> Result<Option<Self>> {
        let Some([url, _]) = mysql::servers() else { return Ok(None) };
        let databases = Databases::on(std::slice::from_ref(&url), SETS).await?;
        let server = Server::serve_with(&databases.arguments).await?;
        let say = Say::on(&server.client()?, "article");
        say.comment("first", "the subject comes into being").await?;
        let endpoint = Endpoint::from_shared(server.target().to_owned())?;
        let mut callers = Vec::new();
        for _ in 0..CONNECTIONS {
            callers.push(Caller { channel: endpoint.connect().await?, key: say.key.clone() });
        }
        Ok(Some(Self { server, say, callers, holder: hold(&url, &databases.name, "TRUE").await? }))
    }

    /// Returns the connection for the call of this number.
    fn caller(&self, number: usize) -> Caller {
        self.callers[number % CONNECTIONS].clone()
    }

    /// Releases the row.
    async fn release(&mut self) -> Result<()> {
        drop(self.holder.stdin.take());
        ensure!(self.holder.wait().await?.success(), "the holder failed");
        Ok(())
    }
}

/// Opens a connection with a transaction that locks the subjects selected by the condition `which`.
pub(super) async fn hold(url: &str, database: &str, which: &str) -> Result<Child> {
    hold_rows(url, database, &format!("SELECT 'held', id FROM comment_subject WHERE {which}")).await
}

/// Opens a connection with a transaction that locks the rows of a SELECT, whose first column is
/// 'held'.
pub(super) async fn hold_rows(url: &str, database: &str, select: &str) -> Result<Child> {
    let address = url.rsplit_once('@').context("no user")?.1;
    let (host, port) = address.split_once(':').context("no port")?;
    let mut client = Command::new("mariadb");
    client.args(["--no-defaults", "--protocol=tcp", "--host", host, "--port", port, "--user=root", "--unbuffered"]);
    client.args(["--skip-column-names", "--database", database]).kill_on_drop(true);
    let mut holder = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let stdin = holder.stdin.as_mut().context("no stdin")?;
    let lock = format!("BEGIN; {select} FOR UPDATE;\n");
    stdin.write_all(b"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;\n").await?;
    stdin.write_all(lock.as_bytes()).await?;
    stdin.flush().await?;
    let mut lines = BufReader::new(holder.stdout.take().context("no stdout")?).lines();
    let line = tokio::time::timeout(Duration::from_secs(10), lines.next_line()).await??.unwrap_or_default();
    ensure!(line.starts_with("held"), "{line}");
    Ok(holder)
}

#[tokio::test]
async fn a_full_write_queue_rejects_without_effect_and_the_rejected_calls_can_be_repeated() -> Result<()> {
    let Some(mut jam) = Jam::new().await? else { return Ok(()) };
    // A batch of at most 512 is at the database and waits for the row; 512 more fit into the queue.
    let (count, capacity) = (1_200, 1_024);
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..count {
        let caller = jam.caller(n);
        calls.spawn(async move { (n, caller.create(n, Duration::from_secs(9)).await) });
    }
    let mut rejected = Vec::new();
    while rejected.len() < count - capacity {
        let (n, outcome) = calls.join_next().await.context("all were answered while the row was held")??;
        let status = outcome.clone().err().context("committed under a held row")?;
        ensure!(status.metadata().contains_key("riposte-not-executed"), "{status:?}");
        ensure!(refused(outcome)? == (Code::ResourceExhausted, ErrorReason::Overloaded), "{status:?}");
        let delay = status.get_details_retry_info().and_then(|info| info.retry_delay);
        ensure!(delay.is_some_and(|delay| !delay.is_zero()), "no RetryInfo: {status:?}");
        rejected.push(n);
    }
    jam.release().await?;
    let mut made = 0;
    for (n, outcome) in calls.join_all().await {
        match outcome {
            Ok(_) => made += 1,
            Err(status) => {
                ensure!(status.metadata().contains_key("riposte-not-executed"), "{status:?}");
                rejected.push(n);
            }
        }
    }
    let stored = jam.say.roots(CommentSort::Oldest, 100).await?;
    ensure!(stored.len() == made + 1, "{} stand, {made} were answered", stored.len());
    let members: BTreeSet<&str> = stored.iter().map(|comment| comment.member_id.as_str()).collect();
    for n in &rejected {
        ensure!(!members.contains(format!("m{n}").as_str()), "a refused call had an effect");
    }
    let again = jam.caller(rejected[0]).create(rejected[0], Duration::from_secs(9)).await?;
    ensure!(again.floor as usize == stored.len() + 1, "{again:?}");
    jam.server.stop().await?;
    Ok(())
}

#[tokio::test]
async fn callers_that_disconnect_cancel_nothing_and_a_repeat_finds_the_comment() -> Result<()> {
    let Some(mut jam) = Jam::new().await? else { return Ok(()) };
    let calls = (0..200).map(|n| jam.caller(n).create(n, Duration::from_millis(300)));
    for outcome in futures::future::join_all(calls).await {
        let status = outcome.err().context("committed under a held row")?;
        ensure!(!status.metadata().contains_key("riposte-not-executed"), "it may still happen: {status:?}");
    }
    jam.release().await?;
    let mut floors = BTreeSet::new();
    for n in 0..200 {
        let made = jam.caller(n).create(n, Duration::from_secs(9)).await?;
        ensure!(made.member_id == format!("m{n}") && floors.insert(made.floor), "{made:?}");
    }
    let stored = jam.say.roots(CommentSort::Oldest, 100).await?;
    ensure!(stored.len() == 201, "{} stand", stored.len());
    ensure!(floors == (2..=201).collect(), "floors have gaps");
    jam.server.stop().await?;
    Ok(())
}
