//! A server that knows the callers of the scenarios.

use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{DeleteSubjectRequest, ErrorReason};
use riposte_sdk::{Client, Code, Listener, Options};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const START: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(20);

/// A `riposte dev` whose callers have their names as tokens. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Callers {
    process: Child,
    /// The address of the services.
    pub(crate) target: String,
    metrics: String,
}

impl Callers {
    #[expect(clippy::disallowed_methods, reason = "the caller of the tests names the scenarios and the server")]
    pub(crate) async fn start(more: &[&str]) -> Self {
        let (file, program) = (std::env::var("RIPOSTE_CONFORMANCE"), std::env::var("RIPOSTE_DEV_BINARY"));
        let file = Path::new(&file.unwrap()).join("callers.toml");
        let folder = TempDir::new().unwrap();
        let endpoints = folder.path().join("endpoints.json");
        let mut command = Command::new(program.unwrap());
        command.args(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--set"]);
        command.arg(format!("auth.callers_file={}", file.display())).arg("--endpoint-file").arg(&endpoints);
        command.args(more);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while !endpoints.exists() {
            assert!(start.elapsed() < START, "the server did not start");
            tokio::time::sleep(AGAIN).await;
        }
        let endpoints: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&endpoints).unwrap()).unwrap();
        let address = |name: &str| endpoints[name].as_str().unwrap().to_owned();
        Self { process, target: address("grpc"), metrics: address("metrics") }
    }

    /// Returns a client of one caller.
    pub(crate) fn client(&self, caller: &str) -> Client {
        let (target, token) = (self.target.clone(), Some(caller.to_owned()));
        Client::open(Options { target, token, insecure_token: true, ..Options::default() }).unwrap()
    }

    /// Returns the number of watches that are open at the server.
    async fn streams(&self) -> Option<String> {
        self.metric("riposte_watch_streams").await
    }

    /// Returns the number of connections that the server closed for their control frames; `None`
    /// if it closed none.
    pub(crate) async fn closed(&self) -> Option<String> {
        self.metric("riposte_connections_refused_total{limit=\"control_frames\"}").await
    }

    async fn metric(&self, name: &str) -> Option<String> {
        let mut connection = TcpStream::connect(&self.metrics).await.unwrap();
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.metrics);
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).await.unwrap();
        let values =
            |line: &str| line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '{'])).map(str::to_owned);
        text.lines().find_map(values).and_then(|rest| rest.rsplit(' ').next().map(str::to_owned))
    }

    async fn wait_for_streams(&self, wanted: &str) -> Result<(), String> {
        let start = Instant::now();
        loop {
            let found = self.streams().await;
            if found.as_deref() == Some(wanted) {
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                return Err(format!("{found:?} streams, not {wanted}"));
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        // A process that has ended already is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the kind and the revisions of the next event; `None` at the end.
async fn next_of(listener: &mut Listener) -> Option<(&'static str, i64, i64)> {
    let event = tokio::time::timeout(LIMIT, listener.next()).await.unwrap().unwrap()?;
    Some(match event.event.unwrap() {
        Event::Opened(opened) => ("opened", opened.revision, opened.revision),
        Event::Change(change) => ("change", change.revision, change.revision),
        Event::Gap(gap) => ("gap", gap.first_revision, gap.last_revision),
    })
}

/// Shares one stream among `count` listeners, one of which falls behind.
pub(crate) async fn listeners(unique: &str, count: usize) -> Result<(), String> {
    let server = Callers::start(&[]).await;
    let client = server.client("writer");
    let subject = client.subject("article", unique);
    let failure = |error: riposte_sdk::Error| error.to_string();
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(subject.listen(None).await.map_err(failure)?);
    }
    let mut slow = subject.listen(2_usize).await.map_err(failure)?;
    server.wait_for_streams("1").await?;
    let mut changes = Vec::new();
    for text in ["1", "2", "3", "4"] {
        subject.comment("m1", text).await.map_err(failure)?;
        let revision = subject.get().await.map_err(failure)?.subject.unwrap().revision;
        changes.push(("change", revision, revision));
    }
    for listener in &mut all {
        assert_eq!(next_of(listener).await, Some(("opened", 0, 0)));
        for change in &changes {
            assert_eq!(next_of(listener).await, Some(*change));
        }
    }
    let lost = changes[1].1;
    for expected in [Some(("opened", 0, 0)), Some(changes[0]), Some(("gap", lost, lost)), None] {
        assert_eq!(next_of(&mut slow).await, expected);
    }
    assert_eq!((slow.dropped(), all[0].dropped()), (true, false));
    drop(all.remove(0));
    let mut late = subject.listen(None).await.map_err(failure)?;
    assert_eq!(next_of(&mut late).await, Some(("opened", changes[3].1, changes[3].1)));
    server.wait_for_streams("1").await?;
    drop((all, late));
    server.wait_for_streams("0").await?;
    let delete = DeleteSubjectRequest { key: Some((*subject).clone()), ..DeleteSubjectRequest::default() };
    client.subjects().delete_subject(delete).await.unwrap();
    assert_eq!(subject.listen(None).await.unwrap_err().reason(), ErrorReason::SubjectNotFound);
    assert_eq!(subject.listen(0_usize).await.unwrap_err().code(), Code::InvalidArgument);
    server.wait_for_streams("0").await
}

/// Reads `count` comments by their ids.
pub(crate) async fn by_ids(client: &Client, unique: &str, count: usize) -> Result<(), String> {
    let subject = client.subject("article", unique);
    let failure = |error: riposte_sdk::Error| error.to_string();
    let mut ids = Vec::new();
    for at in 0..count {
        ids.push(subject.comment("m1", at.to_string()).await.map_err(failure)?.id);
    }
    ids.reverse();
    let wanted = ids.iter().copied().chain([0, 1, ids[count - 1]]);
    let found = client.comments_by_id(wanted, None).await.map_err(failure)?;
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), ids);
    assert!(client.comments_by_id([], None).await.map_err(failure)?.is_empty());
    assert_eq!(client.comments_by_id([-1], None).await.unwrap_err().reason(), ErrorReason::FieldInvalid);
    Ok(())
}
