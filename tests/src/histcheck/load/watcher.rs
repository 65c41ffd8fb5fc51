//! One watcher: follows a subject during the faults, switches between the servers, and records the
//! changes that it receives.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{CommentChangeKind, GetSubjectRequest, SubjectChange, WatchSubjectRequest};
use tokio::sync::watch;
use tonic::{Code, Status};

use super::{Environment, SUBJECTS, failure_outcome};
use crate::Watch;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, ChangeKind, Nanos, Op, Outcome, WATCH_WINDOW, WatchedChange};
use crate::histcheck::names;

/// The subjects that are watched all the time, each by two watchers: the hot one, others with many
/// and with few writes, a quiet one, and two whose comments wait for review.
pub(crate) const WATCHED: [u32; 8] = [0, 1, 2, 7, 40, SUBJECTS as u32 - 10, names::REVIEWED, names::REVIEWED + 1];
/// The client number of the first watcher.
const CLIENT: u32 = 300_000;
/// The longest time of a watch at one server before the watcher goes to another; the changes must
/// not depend on the server.
const LONGEST_WATCH: Duration = Duration::from_secs(15);
/// The longest pause between two watches. Changes in the pause must be in the next stream.
const PAUSE: Duration = Duration::from_millis(500);
/// Time limit for a watch to begin, and at the end of a run to send all changes.
const WITHIN: Duration = Duration::from_secs(10);

/// A watcher of one subject.
#[derive(Debug)]
pub(crate) struct Watcher {
    client: u32,
    subject: u32,
    /// The last received revision; 0 if none was received, and the next stream begins with the
    /// next change.
    revision: i64,
    rng: StdRng,
}

impl Watcher {
    /// Returns the watchers of a run. Half of them begin with the next change, the others with the
    /// first change of the subject.
    pub(crate) fn all(seed: u64) -> impl Iterator<Item = Self> {
        let from = WATCHED.into_iter().flat_map(|subject| [(subject, 0), (subject, 1)]);
        (CLIENT..)
            .zip(from)
            .map(move |(client, (subject, revision))| Self { revision, ..Self::new(client, subject, seed) })
    }

    /// Returns a watcher that has received nothing yet.
    pub(crate) fn new(client: u32, subject: u32, seed: u64) -> Self {
        Self { client, subject, revision: 0, rng: StdRng::seed_from_u64(seed ^ u64::from(client)) }
    }

    /// Watches until `over` is true, and then until it has received all changes.
    ///
    /// # Errors
    /// Fails when the history cannot be written, or when at the end no server responds.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut over: watch::Receiver<bool>) -> Result<()> {
        while !*over.borrow() {
            let (length, server) = (LONGEST_WATCH.mul_f64(self.rng.random()), self.rng.random_range(0..SERVERS));
            let leave = async {
                let over = async { over.wait_for(|over| *over).await.is_ok() };
                tokio::time::timeout(length, over).await.is_ok()
            };
            self.watch(&environment, server, None, leave).await?;
            tokio::time::sleep(PAUSE.mul_f64(self.rng.random())).await;
        }
        let server = self.rng.random_range(0..SERVERS);
        self.catch_up(&environment, server).await
    }

    /// Watches until it has received all changes up to the subject's revision. It is called after
    /// the last write and the last fault.
    ///
    /// # Errors
    /// Fails when the server does not respond, or when the history cannot be written.
    pub(crate) async fn catch_up(mut self, environment: &Environment, server: usize) -> Result<()> {
        let key = Some(names::key(self.subject));
        let row = GetSubjectRequest { key, fresh: true, ..GetSubjectRequest::default() };
        let last = match SubjectServiceClient::new(environment.channels.to(server)).get_subject(row).await {
            Ok(response) => response.into_inner().subject.context("no subject")?.revision,
            // A subject is created with its first comment.
            Err(status) if status.code() == Code::NotFound => return Ok(()),
            Err(status) => return Err(status.into()),
        };
        if last == 0 {
            return Ok(());
        }
        if self.revision == 0 {
            // 0 would begin with the next change.
            self.revision = (last - WATCH_WINDOW).max(1);
        }
        match self.watch(environment, server, Some(last), tokio::time::sleep(WITHIN)).await? {
            Some(status) => {
                let text = status.to_string();
                ensure!(!failure_outcome(status).1, text);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Watches at a server until `leave` is ready, the revision `last` is received, or the stream
    /// breaks. Returns the status if the stream broke.
    async fn watch<T>(
        &mut self,
        environment: &Environment,
        server: usize,
        last: Option<i64>,
        leave: impl Future<Output = T>,
    ) -> Result<Option<Status>> {
        let mut begun = environment.now();
        let opened = tokio::time::timeout(WITHIN, self.open(environment, server)).await;
        let mut stream =
            match opened.unwrap_or_else(|_| Err(Status::deadline_exceeded("the watch did not begin in time"))) {
                Ok(stream) => stream,
                Err(status) => {
                    self.record(environment, server, begun, failure_outcome(status.clone()).0)?;
                    return Ok(Some(status));
                }
            };
        // The revision after which the stream begins, as the server reports it. The check compares
        // it with the last revision of this watcher.
        self.revision = stream.opened();
        let (mut leave, mut changes) = (pin!(leave), Vec::new());
        let broken = loop {
            let revision = changes.last().map_or(self.revision, |(revision, _): &WatchedChange| *revision);
            if last.is_some_and(|last| revision >= last) {
                break None;
            }
            let event = tokio::select! {
                event = stream.next() => event,
                _ = &mut leave => break None,
            };
            match event {
                Ok(Event::Change(change)) => changes.push(watched_change(&change)),
                Ok(Event::Gap(gap)) => {
                    self.record_changes(environment, server, begun, std::mem::take(&mut changes), None)?;
                    let (first, last) = (gap.first_revision, gap.last_revision);
                    self.record(environment, server, begun, Outcome::Gap { first, last })?;
                    (self.revision, begun) = (last, environment.now());
                }
                Ok(Event::Opened(_)) => break Some(Status::data_loss("the stream begins twice")),
                Err(status) => break Some(status),
            }
        };
        self.record_changes(environment, server, begun, changes, last)?;
        if let Some(status) = &broken {
            self.record(environment, server, begun, failure_outcome(status.clone()).0)?;
        }
        Ok(broken)
    }

    async fn open(&self, environment: &Environment, server: usize) -> Result<Watch, Status> {
        let request = WatchSubjectRequest { subject: Some(names::key(self.subject)), after_revision: self.revision };
        let mut service = SubjectServiceClient::new(environment.channels.to(server));
        Watch::of(service.watch_subject(request).await?.into_inner()).await
    }

    /// Records changes, which must be complete up to `last` if it is known.
    fn record_changes(
        &mut self,
        environment: &Environment,
        server: usize,
        begun: Nanos,
        changes: Vec<WatchedChange>,
        last: Option<i64>,
    ) -> Result<()> {
        let revision = changes.last().map_or(self.revision, |(revision, _)| *revision);
        let outcome = Outcome::Changes { changes: changes.into(), last: last.unwrap_or(revision) };
        self.record(environment, server, begun, outcome)?;
        self.revision = revision;
        Ok(())
    }

    fn record(&self, environment: &Environment, server: usize, begun: Nanos, outcome: Outcome) -> Result<()> {
        let (ended, client, server) = (environment.now(), self.client, server as u8);
        let call = Call::Watch { subject: self.subject, after: self.revision };
        environment.recorder.op(Op { client, server, begun, ended, request: (0, 0), call, outcome })
    }
}

/// Returns a change in the form of the history.
fn watched_change(change: &SubjectChange) -> WatchedChange {
    let kind = |kind| match kind {
        CommentChangeKind::Created => ChangeKind::Created,
        CommentChangeKind::Edited => ChangeKind::Edited,
        CommentChangeKind::StateChanged => ChangeKind::State,
        CommentChangeKind::Unspecified | CommentChangeKind::PinChanged | CommentChangeKind::Recounted => {
            ChangeKind::Other
        }
    };
    let comments = change.comments.iter().map(|comment| (comment.comment_id, kind(comment.kind())));
    (change.revision, comments.collect())
}
