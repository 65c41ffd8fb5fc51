use super::Client;
use super::error::Error;
use super::retry::jittered;
use std::future::Future;
use tokio::time::sleep;
use tonic::{Code, Response, Status, Streaming};

/// The wait before a stream is opened again, and the longest one, in milliseconds.
const BACKOFF_MS: (u64, u64) = (100, 5_000);

/// A request for a stream of changes that can be resumed.
pub trait Follow: Clone + Send + Sync + 'static {
    /// What is streamed.
    type Event: Send;

    /// Opens the stream.
    fn open(self, client: &Client) -> impl Future<Output = Result<Response<Streaming<Self::Event>>, Status>> + Send;

    /// Makes this the request for what comes after an event.
    fn resume_after(&mut self, event: &Self::Event);
}

/// A stream of changes that resumes by itself behind the last one seen, for as long as the service may come back.
/// Dropping it ends it.
#[derive(Debug)]
pub struct Watch<R: Follow> {
    client: Client,
    request: R,
    stream: Option<Streaming<R::Event>>,
    /// How often in a row nothing came.
    failures: u32,
}

impl Client {
    /// Follows what the request names. Nothing is asked for before the first event is.
    pub fn follow<R: Follow>(&self, request: R) -> Watch<R> {
        Watch { client: self.clone(), request, stream: None, failures: 0 }
    }
}

impl<R: Follow> Watch<R> {
    /// The next event; waits for it as long as it takes.
    ///
    /// # Errors
    /// Those of the method that no wait can mend. Calling again opens the stream anew.
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

/// Whether a stream that ended so may be opened again: the service says so, or no answer of the service ended it.
fn may_come_back(error: &Error) -> bool {
    let broken = matches!(error.code(), Code::Internal | Code::Unknown | Code::Cancelled);
    error.is_retryable() || broken && error.reason_name().is_empty()
}
