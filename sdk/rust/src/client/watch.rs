use super::Client;
use super::error::Error;
use super::options::{FIRST_WAIT_MS, LONGEST_WAIT_MS, OPEN_WITHIN_MS};
use super::retry::jittered;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tonic::{Code, Response, Status, Streaming};

/// The wait before a stream is reopened, and the longest such wait, in milliseconds.
const BACKOFF_MS: (u64, u64) = (FIRST_WAIT_MS.0, LONGEST_WAIT_MS);

/// A request for a stream that can be resumed.
pub trait Follow: Clone + Send + Sync + 'static {
    /// The type of the streamed events.
    type Event: Clone + Debug + Send + 'static;

    /// Opens the stream.
    fn open(self, client: &Client) -> impl Future<Output = Result<Response<Streaming<Self::Event>>, Status>> + Send;

    /// Moves the request behind an event. Returns the event that comes after it, if any. `began` is
    /// true after the first event.
    fn keep(&mut self, event: &Self::Event, began: bool) -> Option<Self::Event>;
}

/// A request for changes by their revisions.
pub(crate) trait FollowRevisions: Follow {
    /// Returns the field that takes the revision to continue after.
    fn place(&mut self) -> &mut i64;

    /// Returns the last revision of an event, if it has one.
    fn revision(event: &Self::Event) -> Option<i64>;

    /// Returns true for the event that begins a stream.
    fn opens(event: &Self::Event) -> bool;

    /// Returns the event that begins a stream after a revision.
    fn opened(revision: i64) -> Self::Event;

    /// Returns the event of lost revisions.
    fn gap(first: i64, last: i64) -> Self::Event;
}

/// Moves a request behind an event. No stream can resume after revision 0: revisions that came
/// while none was open are returned as a gap.
pub(crate) fn keep_revision<R: FollowRevisions>(request: &mut R, event: &R::Event, began: bool) -> Option<R::Event> {
    let revision = R::revision(event)?;
    let place = request.place();
    let lost = began && *place == 0 && revision > 0 && R::opens(event);
    *place = revision;
    lost.then(|| R::gap(1, revision))
}

/// An open stream that resumes by itself after the last event it delivered, as long as
/// the error is temporary. Dropping it ends it.
#[derive(Debug)]
pub struct Watch<R: Follow> {
    client: Client,
    request: R,
    stream: Option<Streaming<R::Event>>,
    /// Events that arrived and were not requested yet.
    ahead: VecDeque<R::Event>,
    /// False until the first event.
    began: bool,
    /// The last failure to open the first stream.
    late: Option<Error>,
    /// The number of attempts in a row that delivered no event.
    failures: u32,
}

impl Client {
    /// Follows what the request names: the changes of a subject, or the feed of events. Returns
    /// once the service has opened the stream.
    ///
    /// # Errors
    /// A refusal, at once; UNAVAILABLE if no service opens the stream in time.
    pub async fn follow<R: Follow>(&self, request: R) -> Result<Watch<R>, Error> {
        let (client, ahead) = (self.clone(), VecDeque::new());
        let mut watch = Watch { client, request, stream: None, ahead, began: false, late: None, failures: 0 };
        match timeout(Duration::from_millis(OPEN_WITHIN_MS), watch.read()).await {
            Ok(first) => watch.ahead.push_front(first?),
            Err(_) => {
                let late = || Status::unavailable(format!("the watch was not opened within {OPEN_WITHIN_MS} ms"));
                return Err(watch.late.unwrap_or_else(|| late().into()));
            }
        }
        Ok(watch)
    }
}

impl<R: Follow> Watch<R> {
    /// Waits for the next event, without a time limit, and returns it.
    ///
    /// # Errors
    /// Those of the method that a retry cannot resolve. Calling again opens the stream anew.
    pub async fn next(&mut self) -> Result<R::Event, Error> {
        match self.ahead.pop_front() {
            Some(event) => Ok(event),
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Result<R::Event, Error> {
        loop {
            let wait = match self.event().await {
                Ok(Some(event)) => {
                    self.take(&event);
                    return Ok(event);
                }
                Ok(None) => None,
                Err(status) => {
                    let error = Error::from(status);
                    if !may_come_back(&error, self.began) {
                        self.stream = None;
                        return Err(error);
                    }
                    let wait = error.retry_after();
                    self.late = Some(error).filter(|error| error.code() == Code::Unavailable);
                    wait
                }
            };
            self.stream = None;
            self.failures = self.failures.saturating_add(1);
            sleep(wait.unwrap_or_default().max(jittered(BACKOFF_MS, self.failures))).await;
        }
    }

    /// Keeps the place after an event.
    fn take(&mut self, event: &R::Event) {
        self.failures = 0;
        self.ahead.extend(self.request.keep(event, self.began));
        self.began = true;
    }

    async fn event(&mut self) -> Result<Option<R::Event>, Status> {
        if self.stream.is_none() {
            self.stream = Some(self.request.clone().open(&self.client).await?.into_inner());
        }
        match &mut self.stream {
            Some(stream) => stream.message().await,
            None => Ok(None),
        }
    }
}

/// Returns true if a stream that ended with this error may be reopened: the service says so, or the
/// connection broke without a response of the service. The first stream is reopened only if no
/// service is available.
fn may_come_back(error: &Error, began: bool) -> bool {
    let broken = matches!(error.code(), Code::Internal | Code::Unknown | Code::Cancelled);
    let unavailable = if began { error.is_retryable() } else { error.code() == Code::Unavailable };
    unavailable || broken && error.reason_name().is_empty()
}
