//! Kills of the subscriber, of the servers and of the workers, one of which leads the relay, while
//! members write and moderators hide: the events, applied as they come, equal the rows. None comes
//! twice, and each member is named once for each comment, after its publication.
//!
//! `RIPOSTE_TEST_EVENT_KILLS` sets the number of kills.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::{
    CommentSort, CommentState, Content, CreateCommentRequest, CreateReplyRequest, DeleteCommentRequest,
    HideCommentRequest, UnhideCommentRequest, UpdateCommentRequest,
};
use riposte_sdk::{Client, Connection, Options};
use riposte_tests::mysql::Databases;
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, mysql, settings};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};
use tonic::{Code, Response, Status};

use super::backfill::Copy;

/// The kills of a run of all tests: one of each program.
const USUAL_KILLS: usize = 3;
/// The events that are received between two kills.
const EVENTS_BETWEEN: usize = 20;
/// The subjects, each with a writer of its own.
const SUBJECTS: usize = 8;
/// The longest wait for events. The lease of the relay ends after 5 s.
const LIMIT: Duration = Duration::from_secs(120);
/// The pause of a writer before it repeats a call that failed.
const PAUSE: Duration = Duration::from_millis(20);
/// All servers seal tokens by one key.
const KEYS: &str = "page_tokens.keys=[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]";
/// The author of each root.
const ROOT_AUTHOR: &str = "ann";
/// The member that edits mention.
const MENTIONED: &str = "cat";

/// A process with addresses that stay, and the arguments that start it again.
struct Process {
    arguments: Vec<String>,
    server: Option<Server>,
}

impl Process {
    async fn start(databases: &Databases, roles: &str) -> Result<Self> {
        let free = || anyhow::Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?);
        let (public, admin) = (free()?, free()?);
        let own = [
            format!("server.roles=[\"{roles}\"]"),
            format!("server.listen={public}"),
            format!("server.admin_listen={admin}"),
            KEYS.to_owned(),
        ];
        let arguments = [databases.arguments.clone(), settings::sets(own)].concat();
        let server = Some(Server::serve_with(&arguments).await?);
        Ok(Self { arguments, server })
    }

    fn running(&self) -> Result<&Server> {
        self.server.as_ref().context("the process does not run")
    }

    async fn kill_and_start(&mut self) -> Result<()> {
        self.server.take().context("the process does not run")?.crash().await?;
        self.server = Some(Server::serve_with(&self.arguments).await?);
        Ok(())
    }
}

/// `riposte events tail`, and what its events came to. Both are kept when the process is killed, as
/// in a program that stores the token with what it made of the events.
struct Subscriber {
    targets: [String; 2],
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    token: String,
    copy: Copy,
    ids: BTreeSet<String>,
    published: BTreeSet<String>,
    /// The comments and the members that events named for them.
    notices: BTreeSet<(String, String)>,
}

impl Subscriber {
    async fn start(targets: [String; 2]) -> Result<Self> {
        let (child, lines) = tail(&targets[0], "")?;
        let mut subscriber = Self {
            targets,
            child,
            lines,
            token: String::new(),
            copy: Copy::default(),
            ids: BTreeSet::new(),
            published: BTreeSet::new(),
            notices: BTreeSet::new(),
        };
        subscriber.read_until(|subscriber| !subscriber.token.is_empty()).await?;
        Ok(subscriber)
    }

    /// Kills the process, if it runs, and starts one at the other server. Lines that it had written
    /// and that were not read are lost.
    async fn kill_and_start(&mut self) -> Result<()> {
        // It may have ended by itself, as its server did.
        self.child.kill().await.or_else(|error| match self.child.try_wait() {
            Ok(Some(_)) => Ok(()),
            Ok(None) | Err(_) => Err(error),
        })?;
        self.targets.reverse();
        (self.child, self.lines) = tail(&self.targets[0], &self.token)?;
        Ok(())
    }

    /// Applies events until `is_enough`.
    async fn read_until(&mut self, is_enough: impl Fn(&Self) -> bool) -> Result<()> {
        let deadline = Instant::now() + LIMIT;
        while !is_enough(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = tokio::time::timeout(left, self.lines.next_line()).await;
            match line.with_context(|| format!("{} events, and then none for {LIMIT:?}", self.ids.len()))?? {
                Some(line) => self.apply(&line)?,
                None => {
                    tokio::time::sleep(PAUSE).await;
                    self.kill_and_start().await?;
                }
            }
        }
        Ok(())
    }

    fn apply(&mut self, line: &str) -> Result<()> {
        let item: Value = serde_json::from_str(line)?;
        ensure!(item["gap"].is_null(), "a gap, though all events are kept: {line}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let event = &item["event"];
        if !event.is_null() {
            ensure!(self.ids.insert(text(&event["id"])), "it came twice: {line}");
            let comment = text(&event["commentId"]);
            if event["kind"] == "EVENT_KIND_COMMENT_PUBLISHED" {
                ensure!(self.published.insert(comment.clone()), "published twice: {line}");
            }
            for notice in event["notices"].as_array().into_iter().flatten() {
                ensure!(self.published.contains(&comment), "a notice before the publication: {line}");
                let named = (comment.clone(), text(&notice["memberId"]));
                ensure!(self.notices.insert(named), "a member is named twice: {line}");
            }
        }
        (self.token, _) = self.copy.apply_line(line)?;
        Ok(())
    }
}

/// Starts `riposte events tail`.
fn tail(target: &str, token: &str) -> Result<(Child, Lines<BufReader<ChildStdout>>)> {
    let mut tail = command::riposte(["events", "tail", "article", "--target", target])?;
    if !token.is_empty() {
        tail.args(["--after", token]);
    }
    let mut child = tail.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    Ok((child, lines))
}

/// Repeats a call until a server answers. A write has a request id, so that it takes effect once.
async fn persist<T, F>(call: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    let passing = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled, Code::Unknown, Code::ResourceExhausted];
    loop {
        match call().await {
            Ok(response) => return Ok(response.into_inner()),
            Err(status) if passing.contains(&status.code()) => tokio::time::sleep(PAUSE).await,
            Err(status) => return Err(status.into()),
        }
    }
}

/// A writer under its own subject.
struct Writer {
    say: Say,
    admin: AdminServiceClient<Connection>,
    /// The comments, each with a member that an event must name for it.
    expected: BTreeSet<(String, String)>,
}

impl Writer {
    fn new(server: &Server) -> Result<Self> {
        let options = Options {
            target: server.target().to_owned(),
            admin_target: server.admin_target().to_owned(),
            ..Options::default()
        };
        let client = Client::open(options)?;
        Ok(Self { say: Say::on(&client, "article"), admin: client.admin()?, expected: BTreeSet::new() })
    }

    /// Writes until `done`: a root and a reply to it. An edit of the root mentions a member while a
    /// moderator hides the root, and shows it again. Some replies are deleted.
    async fn run(mut self, done: Arc<AtomicBool>) -> Result<Self> {
        let mut round = 0;
        while !done.load(Ordering::SeqCst) {
            let root = self.root().await?;
            let reply = self.reply(root).await?;
            self.expected.insert((reply.to_string(), ROOT_AUTHOR.to_owned()));
            let (is_edited, ()) = tokio::try_join!(self.edit(root), self.hide(root))?;
            if is_edited {
                self.expected.insert((root.to_string(), MENTIONED.to_owned()));
            }
            self.unhide(root).await?;
            if round % 3 == 0 {
                self.delete(reply).await?;
            }
            round += 1;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(self)
    }

    async fn root(&self) -> Result<i64> {
        let request = CreateCommentRequest {
            subject: Some(self.say.key.clone()),
            member_id: ROOT_AUTHOR.to_owned(),
            content: content("a root"),
            request_id: request_id(),
            ..CreateCommentRequest::default()
        };
        let made = persist(|| async { self.say.client.comments().create_comment(request.clone()).await }).await?;
        Ok(made.comment.context("no comment")?.id)
    }

    async fn reply(&self, parent: i64) -> Result<i64> {
        let request = CreateReplyRequest {
            parent_id: parent,
            member_id: "bob".to_owned(),
            content: content("a reply"),
            request_id: request_id(),
            ..CreateReplyRequest::default()
        };
        let made = persist(|| async { self.say.client.replies().create_reply(request.clone()).await }).await?;
        Ok(made.reply.context("no reply")?.id)
    }

    /// Returns `false` if the comment was hidden before its author could edit it.
    async fn edit(&self, id: i64) -> Result<bool> {
        let text = Content {
            text: "a root that mentions".to_owned(),
            mentioned_member_ids: vec![MENTIONED.to_owned()],
            ..Content::default()
        };
        let request = UpdateCommentRequest {
            id,
            member_id: ROOT_AUTHOR.to_owned(),
            content: Some(text),
            request_id: request_id(),
            ..UpdateCommentRequest::default()
        };
        let edited = persist(|| async { self.say.client.comments().update_comment(request.clone()).await }).await;
        match edited {
            Ok(_) => Ok(true),
            Err(error) => match error.downcast_ref::<Status>().map(Status::code) {
                Some(Code::FailedPrecondition | Code::NotFound) => Ok(false),
                Some(_) | None => Err(error),
            },
        }
    }

    async fn hide(&self, id: i64) -> Result<()> {
        let request = HideCommentRequest {
            id,
            moderator_id: "mod".to_owned(),
            request_id: request_id(),
            ..HideCommentRequest::default()
        };
        persist(|| async { self.admin.clone().hide_comment(request.clone()).await }).await.map(drop)
    }

    async fn unhide(&self, id: i64) -> Result<()> {
        let request = UnhideCommentRequest {
            id,
            moderator_id: "mod".to_owned(),
            request_id: request_id(),
            ..UnhideCommentRequest::default()
        };
        persist(|| async { self.admin.clone().unhide_comment(request.clone()).await }).await.map(drop)
    }

    async fn delete(&self, id: i64) -> Result<()> {
        let request = DeleteCommentRequest {
            id,
            member_id: "bob".to_owned(),
            request_id: request_id(),
            ..DeleteCommentRequest::default()
        };
        persist(|| async { self.say.client.comments().delete_comment(request.clone()).await }).await.map(drop)
    }

    /// Adds the comments as the rows have them.
    async fn add_rows(&self, rows: &mut Copy) -> Result<()> {
        for root in self.say.roots(CommentSort::Newest, 50).await? {
            rows.set(&self.say.key.object_id, root.id, root.state() == CommentState::Active);
            for reply in self.say.replies(root.id, CommentSort::Oldest, 50).await? {
                rows.set(&self.say.key.object_id, reply.id, reply.state() == CommentState::Active);
            }
        }
        Ok(())
    }
}

fn request_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_equal_the_rows_whatever_is_killed() -> Result<()> {
    let given = std::env::var_os("RIPOSTE_TEST_EVENT_KILLS").and_then(|kills| kills.into_string().ok());
    let kills = given.and_then(|kills| kills.parse().ok()).unwrap_or(USUAL_KILLS);
    let Some(servers) = mysql::servers() else { return Ok(()) };
    let databases = Databases::on(&servers, [""; 0]).await?;
    let mut apis = [Process::start(&databases, "api").await?, Process::start(&databases, "api").await?];
    let mut workers = [Process::start(&databases, "worker").await?, Process::start(&databases, "worker").await?];
    let [one, two] = &apis;
    let targets = [one.running()?.target().to_owned(), two.running()?.target().to_owned()];
    let mut subscriber = Subscriber::start(targets).await?;
    let done = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for number in 0..SUBJECTS {
        let writer = Writer::new(apis[number % 2].running()?)?;
        writers.push(tokio::spawn(writer.run(Arc::clone(&done))));
    }
    for kill in 0..kills {
        let seen = subscriber.ids.len();
        subscriber.read_until(|subscriber| subscriber.ids.len() >= seen + EVENTS_BETWEEN).await?;
        match kill % 3 {
            0 => subscriber.kill_and_start().await?,
            1 => apis[kill / 3 % 2].kill_and_start().await?,
            _ => workers[kill / 3 % 2].kill_and_start().await?,
        }
    }
    done.store(true, Ordering::SeqCst);
    let (mut rows, mut expected) = (Copy::default(), BTreeSet::new());
    for writer in writers {
        let mut writer = tokio::time::timeout(LIMIT, writer).await.context("a writer does not end")???;
        writer.add_rows(&mut rows).await?;
        expected.append(&mut writer.expected);
    }
    let equal = |subscriber: &Subscriber| subscriber.copy == rows && subscriber.notices == expected;
    if let Err(error) = subscriber.read_until(equal).await {
        let missing: Vec<_> = expected.symmetric_difference(&subscriber.notices).take(10).collect();
        bail!("{error:#}: the copy is the rows: {}; notices that differ: {missing:?}", subscriber.copy == rows);
    }
    eprintln!("{kills} kills: {} events, {} notices, none lost and none twice", subscriber.ids.len(), expected.len());
    Ok(())
}
