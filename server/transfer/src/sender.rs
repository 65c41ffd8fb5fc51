//! One import stream. A limited number of items may be without a response at a time, and none of
//! these items is lost when a connection breaks.
//!
//! The server responds to the items in order, and a repeated item changes nothing. So items without
//! a response are sent again on the next connection.

use std::collections::{HashSet, VecDeque};
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::{ImportCommentsRequest, ImportCommentsResponse, ImportOutcome, ItemError};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::batch::{OrderedComment, SubjectBatch};
use super::input::SourcePosition;
use super::ordering::Orphans;
use super::proto;
use super::record::{Comment, Like, Problem, Record, Reject, SUBJECT_REJECTED, SubjectState};
use super::shared::ImportShared;
use super::votes::{self, VotePolicy};

const BACKOFF_MIN: Duration = Duration::from_millis(100);
/// The words for a connection that ended.
const BROKEN: &str = "the connection broke";
/// The words for errors of the system.
const OUTAGES: [(ErrorKind, &str); 8] = [
    (ErrorKind::ConnectionRefused, "nothing accepts connections at its address"),
    (ErrorKind::TimedOut, "the connection timed out"),
    (ErrorKind::HostUnreachable, "its address is unreachable"),
    (ErrorKind::NetworkUnreachable, "its address is unreachable"),
    (ErrorKind::ConnectionReset, BROKEN),
    (ErrorKind::ConnectionAborted, BROKEN),
    (ErrorKind::BrokenPipe, BROKEN),
    (ErrorKind::UnexpectedEof, BROKEN),
];
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// One stream of an import, which sends one subject after the other.
#[derive(Debug)]
pub(crate) struct ImportSender {
    client: AdminServiceClient<Connection>,
    shared: Arc<ImportShared>,
    stop: watch::Receiver<bool>,
    stream: Option<OpenStream>,
    in_flight: VecDeque<Item>,
    /// Rejected orphans, whose parent the server does not know; they are sent again as roots.
    unplaced_orphans: Vec<(Comment, Option<SourcePosition>)>,
    /// The external ids of the rejected comments of the current subject.
    rejected_ids: HashSet<String>,
    /// True if the server rejected the record of the current subject.
    is_subject_rejected: bool,
    /// The time for which the sender has waited for the server since its last response.
    waited: Duration,
}

/// The two ends of a connection, and the index of the next response.
#[derive(Debug)]
struct OpenStream {
    requests: mpsc::Sender<ImportCommentsRequest>,
    responses: Streaming<ImportCommentsResponse>,
    index: i64,
}

#[derive(Debug, Clone)]
struct Item {
    record: Record,
    orphan: bool,
    place: Option<SourcePosition>,
}

impl ImportSender {
    /// Creates a sender whose stream is opened with its first item.
    pub(crate) fn new(
        client: AdminServiceClient<Connection>,
        shared: Arc<ImportShared>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let (stream, in_flight, unplaced_orphans) = (None, VecDeque::new(), Vec::new());
        Self {
            client,
            shared,
            stop,
            stream,
            in_flight,
            unplaced_orphans,
            rejected_ids: HashSet::new(),
            is_subject_rejected: false,
            waited: Duration::ZERO,
        }
    }

    /// Imports the subjects of the queue until it ends or a stop is requested, and waits for the
    /// last response.
    ///
    /// # Errors
    /// The server can no longer be reached, rejects the caller, or violates the contract; the
    /// rejects file cannot be written.
    pub(crate) async fn run(mut self, mut queue: mpsc::Receiver<SubjectBatch>) -> Result<()> {
        while let Some(batch) = self.next_batch(&mut queue).await {
            self.import_subject(batch).await?;
        }
        self.drain().await?;
        self.close().await;
        Ok(())
    }

    /// Ends the stream and waits for the server to end it too. Otherwise the server would log a
    /// broken call after a successful import.
    async fn close(&mut self) {
        let Some(OpenStream { requests, mut responses, .. }) = self.stream.take() else { return };
        drop(requests);
        // All items have a response, so a further response or error of the server changes nothing.
        let _end = tokio::time::timeout(CLOSE_TIMEOUT, responses.message()).await;
    }

    async fn next_batch(&mut self, queue: &mut mpsc::Receiver<SubjectBatch>) -> Option<SubjectBatch> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => None,
            batch = queue.recv() => batch,
        }
    }

    async fn import_subject(&mut self, batch: SubjectBatch) -> Result<()> {
        let SubjectBatch { subject, subject_place, continues, requires_subject, comments, likes, .. } = batch;
        let SubjectBatch { rejects, repeated, .. } = batch;
        if !continues {
            self.rejected_ids.clear();
            self.is_subject_rejected = false;
        }
        self.shared.totals.repeated.add(repeated);
        self.shared.totals.done.add(repeated);
        for reject in rejects {
            if let Record::Comment(comment) = &reject.record {
                self.rejected_ids.insert(comment.external_id.clone());
            }
            self.reject(reject)?;
        }
        if requires_subject {
            let withholds = subject.state != SubjectState::Active;
            self.send(Item { record: Record::Subject(subject), orphan: false, place: subject_place }).await?;
            if withholds {
                // Without this record the comments would create a subject that is more public.
                self.drain().await?;
            }
        }
        let mut voted = Vec::new();
        for OrderedComment { comment, orphan, place } in comments {
            if self.is_subject_rejected {
                self.reject_with_subject(Record::Comment(comment), place)?;
                continue;
            }
            if comment.votes.total() > 0 {
                voted.push(vote_stub(&comment));
            }
            self.send_comment(comment, orphan, place).await?;
        }
        if voted.is_empty() && likes.is_empty() {
            return Ok(());
        }
        // After this, it is known which comments the server has rejected.
        self.drain().await?;
        self.send_votes(&voted).await?;
        for like in likes {
            match self.is_subject_rejected {
                true => self.reject_with_subject(Record::Like(like), None)?,
                false => self.send_like(like).await?,
            }
        }
        Ok(())
    }

    fn reject_with_subject(&self, record: Record, place: Option<SourcePosition>) -> Result<()> {
        let message = "the server rejected the record of its subject, without which it might become public";
        self.reject(Reject { record, problem: Problem::new(SUBJECT_REJECTED, message).placed(place) })
    }

    /// Sends a comment. If the comment is an orphan that may become a root, it is sent alone: its
    /// response, and if necessary its repetition as a root, come before the next comment gets a
    /// floor.
    async fn send_comment(&mut self, comment: Comment, orphan: bool, place: Option<SourcePosition>) -> Result<()> {
        let sent_alone = orphan && self.shared.orphans == Orphans::Root;
        if sent_alone {
            self.drain().await?;
        }
        self.send(Item { record: Record::Comment(comment), orphan, place }).await?;
        if sent_alone {
            self.drain().await?;
            for (mut comment, place) in std::mem::take(&mut self.unplaced_orphans) {
                let parent = comment.parent_external_id.take().unwrap_or_default();
                comment.put_metadata("orphan_of", &parent);
                self.send(Item { record: Record::Comment(comment), orphan: false, place }).await?;
            }
        }
        Ok(())
    }

    async fn send_votes(&mut self, voted: &[Comment]) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        for comment in voted {
            let total = comment.votes.total();
            if shared.votes == VotePolicy::Skip || self.rejected_ids.contains(&comment.external_id) {
                // The votes of a rejected comment are part of its line in the rejects file.
                shared.totals.votes_skipped.add(total);
                shared.totals.done.add(if shared.votes == VotePolicy::Skip { 0 } else { total });
                continue;
            }
            for like in votes::likes(comment, &shared.source) {
                self.send(Item { record: Record::Like(like), orphan: false, place: None }).await?;
            }
        }
        Ok(())
    }

    async fn send_like(&mut self, like: Like) -> Result<()> {
        if self.rejected_ids.contains(&like.comment_external_id) {
            let problem = Problem::new("COMMENT_REJECTED", "the comment that it belongs to was rejected");
            return self.reject(Reject { record: Record::Like(like), problem });
        }
        self.send(Item { record: Record::Like(like), orphan: false, place: None }).await
    }

    /// Sends one item as soon as fewer items than the window are without a response. After a stop
    /// the item is not sent; the next run of the import sends it.
    async fn send(&mut self, item: Item) -> Result<()> {
        while self.in_flight.len() >= self.shared.window {
            self.receive().await?;
        }
        if *self.stop.borrow() {
            return Ok(());
        }
        self.shared.throttle.wait().await;
        let request = proto::request(&item.record, &self.shared.source);
        self.in_flight.push_back(item);
        match &self.stream {
            // A broken stream is noticed when the next response is received; this item is then sent
            // again with the others.
            Some(stream) => stream.requests.send(request).await.unwrap_or_default(),
            None => self.connect().await?,
        }
        Ok(())
    }

    /// Waits for the responses to all sent items.
    async fn drain(&mut self) -> Result<()> {
        while !self.in_flight.is_empty() {
            self.receive().await?;
        }
        Ok(())
    }

    /// Receives the next response; opens a new connection as often as necessary.
    async fn receive(&mut self) -> Result<()> {
        loop {
            let Some(stream) = &mut self.stream else {
                self.connect().await?;
                continue;
            };
            let status = match stream.responses.message().await {
                Ok(Some(response)) => {
                    let expected = stream.index;
                    stream.index += 1;
                    return self.record_response(response, expected);
                }
                Ok(None) => Status::unavailable("the server ended the stream before its last response"),
                Err(status) => status,
            };
            self.stream = None;
            self.back_off(status).await?;
            self.shared.totals.resent.add(self.in_flight.len().try_into().unwrap_or(u64::MAX));
        }
    }

    /// Opens a stream and sends all items without a response. Retries while the server cannot be
    /// reached.
    async fn connect(&mut self) -> Result<()> {
        loop {
            let (requests, stream) = mpsc::channel(self.shared.window + 1);
            for item in &self.in_flight {
                // The channel has capacity for the whole window.
                requests.try_send(proto::request(&item.record, &self.shared.source)).unwrap_or_default();
            }
            match self.client.import_comments(ReceiverStream::new(stream)).await {
                Ok(responses) => {
                    self.stream = Some(OpenStream { requests, responses: responses.into_inner(), index: 0 });
                    return Ok(());
                }
                Err(status) => self.back_off(status).await?,
            }
        }
    }

    /// Waits before the next attempt, each time longer. Only a response to an item resets the wait.
    /// Returns an error if another attempt is useless, if the limit of the outage is reached, or
    /// after a stop.
    async fn back_off(&mut self, status: Status) -> Result<()> {
        if !is_transient(&status) {
            return Err(status).context("the import was refused");
        }
        if self.waited >= self.shared.outage_limit || *self.stop.borrow() {
            return Err(status).with_context(|| format!("the server did not answer for {:?}", self.waited));
        }
        if !self.shared.outage.swap(true, Ordering::Relaxed) {
            let outage_limit = self.shared.outage_limit;
            let words = outage_words(&status);
            (self.shared.report)(&format!("the server does not answer ({words}); trying for {outage_limit:?}"));
        }
        let wait = (BACKOFF_MIN + self.waited).min(BACKOFF_MAX);
        let mut stop = self.stop.clone();
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => {}
            () = tokio::time::sleep(wait) => {}
        }
        self.waited += wait;
        Ok(())
    }

    /// Counts a response. It belongs to the oldest item without a response.
    fn record_response(&mut self, response: ImportCommentsResponse, expected: i64) -> Result<()> {
        self.waited = Duration::ZERO;
        self.shared.outage.store(false, Ordering::Relaxed);
        let outcome = response.outcome();
        let ImportCommentsResponse { index, external_id, error, .. } = response;
        ensure!(index == expected, "the server broke the contract: response {index} came where {expected} was due");
        let item = self.in_flight.pop_front().context("the server broke the contract: a response to no item")?;
        let totals = &self.shared.totals;
        let kind = totals.kind(&item.record);
        match outcome {
            ImportOutcome::Created => kind.created.add(1),
            ImportOutcome::Unchanged => kind.unchanged.add(1),
            ImportOutcome::Rejected => return self.handle_rejection(item, error.unwrap_or_default()),
            ImportOutcome::Unspecified => bail!("the server broke the contract: no outcome for {external_id}"),
        }
        if matches!(&item.record, Record::Like(like) if like.synthetic) {
            totals.synthetic.add(1);
        }
        totals.done.add(1);
        Ok(())
    }

    fn handle_rejection(&mut self, item: Item, error: ItemError) -> Result<()> {
        let concerns_all = matches!(error.reason.as_str(), "OBJECT_TYPE_UNKNOWN" | "CALLER_NOT_ALLOWED");
        if concerns_all && !self.shared.totals.has_accepted() {
            let object_type = &item.record.key().object_type;
            bail!(
                "the server takes no comments about the object type {object_type:?} ({}); register the type or grant it \
                 to this caller in the server's configuration, or name another with --object-type",
                error.message
            );
        }
        let missing = error.reason == "COMMENT_NOT_FOUND";
        let problem = match (&item.record, missing) {
            (Record::Comment(comment), true) => match (item.orphan, self.shared.orphans) {
                (true, Orphans::Root) => {
                    self.unplaced_orphans.push((comment.clone(), item.place));
                    return Ok(());
                }
                (true, Orphans::Reject | Orphans::Tombstone) => Problem::new(
                    "PARENT_MISSING",
                    "its subject has no such parent, neither in the files nor on the server",
                ),
                (false, _) => Problem::new("PARENT_REJECTED", "its parent was rejected"),
            },
            (Record::Comment(_) | Record::Subject(_) | Record::Like(_), _) => problem_of(error),
        };
        match &item.record {
            Record::Comment(comment) => {
                self.rejected_ids.insert(comment.external_id.clone());
            }
            Record::Subject(_) => self.is_subject_rejected = true,
            Record::Like(_) => {}
        }
        self.reject(Reject { record: item.record, problem: problem.placed(item.place) })
    }

    fn reject(&self, reject: Reject) -> Result<()> {
        self.shared.totals.rejected.add(1);
        self.shared.totals.done.add(1);
        self.shared.reject(reject)
    }
}

/// Returns the comment reduced to the fields that its votes need, because they are sent after all
/// comments.
fn vote_stub(comment: &Comment) -> Comment {
    Comment {
        key: comment.key.clone(),
        source: comment.source.clone(),
        external_id: comment.external_id.clone(),
        create_time: comment.create_time,
        votes: comment.votes,
        ..Comment::default()
    }
}

/// Returns the server's error as a problem, whose message includes all invalid fields once.
fn problem_of(error: ItemError) -> Problem {
    let ItemError { reason, message, violations, .. } = error;
    let fields = violations.iter().map(|violation| format!("{}: {}", violation.field, violation.description));
    let fields = fields.filter(|field| !message.contains(field.as_str())).collect::<Vec<_>>();
    let texts: Vec<String> = std::iter::once(message).chain(fields).filter(|text| !text.is_empty()).collect();
    Problem { reason, message: texts.join("; ") }
}

/// Returns the words for a server that does not answer, without those of the transport.
fn outage_words(status: &Status) -> String {
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            let words = OUTAGES.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, words)| (*words).to_owned());
            return words.unwrap_or_else(|| without_number(&error.to_string()));
        }
        cause = error.source();
    }
    let text = status.message();
    if ["h2 ", "http2", "transport error", "hyper"].iter().any(|word| text.contains(word)) {
        return BROKEN.to_owned();
    }
    without_number(text)
}

/// Removes the number that the system gives an error.
fn without_number(text: &str) -> String {
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Returns true if another attempt may succeed after this error.
pub(crate) fn is_transient(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted | Code::DeadlineExceeded | Code::Cancelled => true,
        // A connection that breaks within a stream is reported with one of these codes, and with
        // the transport's error as its source.
        Code::Unknown | Code::Internal => std::error::Error::source(status).is_some(),
        Code::Ok
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::DataLoss
        | Code::Unauthenticated => false,
    }
}
