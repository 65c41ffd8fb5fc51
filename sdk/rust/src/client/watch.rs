use super::Client;
use super::error::Error;
use super::options::{FIRST_WAIT_MS, LONGEST_WAIT_MS};
use super::retry::jittered;
use std::future::Future;
use tokio::time::sleep;
use tonic::{Code, Response, Status, Streaming};

/// The wait before a stream is reopened, and the longest such wait, in milliseconds.
const BACKOFF_MS: (u64, u64) = (FIRST_WAIT_MS.0, LONGEST_WAIT_MS);

/// A request for a stream of changes that can be resumed.
pub trait Follow: Clone + Send + Sync + 'static {
    /// The type of the streamed events.
    type Event: Send;

    /// Opens the stream.
    fn open(self, client: &Client) -> impl Future<Output = Result<Response<Streaming<Self::Event>>, Status>> + Send;

    /// Changes this request so that it continues after an event.
    fn resume_after(&mut self, event: &Self::Event);
}

/// A stream of changes that resumes by itself after the last event it delivered, as long as the
/// error is temporary. Dropping it ends it.
#[derive(Debug)]
pub struct Watch<R: Follow> {
    client: Client,
    request: R,
    stream: Option<Streaming<R::Event>>,
    /// The number of attempts in a row that delivered no event.
    failures: u32,
}

impl Client {
    /// Follows the changes that the request names. No call is made before the first event is
    /// requested.
    pub fn follow<R: Follow>(&self, request: R) -> Watch<R> {
        Watch { client: self.clone(), request, stream: None, failures: 0 }
    }
}

impl<R: Follow> Watch<R> {
    /// Waits for the next event, without a time limit, and returns it.
    ///
    /// # Errors
    /// Those of the method that a retry cannot resolve. Calling again opens the stream anew.
    pub async fn next(&mut self) -> Result<R::Event, Error> {
        loop {
            let wait = match self.event().await {
                Ok(Some(event)) => {
                    self.failures = 0;
                    self.request.resume_after(&event);
                    return Ok(event);
                }
                Ok(None) => None,
                Err(status) => {
                    let error = Error::from(status);
                    if !may_come_back(&error) {
                        self.stream = None;
                        return Err(error);
                    }
                    error.retry_after()
                }
            };
            self.stream = None;
            self.failures = self.failures.saturating_add(1);
            sleep(wait.unwrap_or_default().max(jittered(BACKOFF_MS, self.failures))).await;
        }
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
/// connection broke without a response of the service.
fn may_come_back(error: &Error) -> bool {
    let broken = matches!(error.code(), Code::Internal | Code::Unknown | Code::Cancelled);
    error.is_retryable() || broken && error.reason_name().is_empty()
}
