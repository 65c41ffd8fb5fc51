//! A watched subject, as tests read it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{SubjectChange, WatchOpened, WatchSubjectRequest, WatchSubjectResponse};
use tonic::{Status, Streaming};

use crate::Say;

/// The longest time until a change is delivered.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An open WatchSubject stream.
#[derive(Debug)]
pub struct Watch {
    stream: Streaming<WatchSubjectResponse>,
    opened: i64,
}

impl Watch {
    /// Watches the subject of `say` from after a revision.
    ///
    /// # Errors
    /// The server's.
    pub async fn open(say: &Say, after_revision: i64) -> Result<Self, Status> {
        let request = WatchSubjectRequest { subject: Some(say.key.clone()), after_revision };
        Self::of(say.client.subjects().watch_subject(request).await?.into_inner()).await
    }

    /// Wraps a stream that was opened by other means and has not been read.
    ///
    /// # Errors
    /// The server's; DATA_LOSS if the first event does not report the start of the watch.
    pub async fn of(mut stream: Streaming<WatchSubjectResponse>) -> Result<Self, Status> {
        match stream.message().await?.and_then(|first| first.event) {
            Some(Event::Opened(WatchOpened { revision })) => Ok(Self { stream, opened: revision }),
            other => Err(Status::data_loss(format!("it begins with {other:?}"))),
        }
    }

    /// Returns the revision after which every change is delivered.
    #[must_use]
    pub fn opened(&self) -> i64 {
        self.opened
    }

    /// Returns the next event.
    ///
    /// # Errors
    /// If no event arrives in time, or the stream ends.
    pub async fn event(&mut self) -> Result<Event> {
        let next = tokio::time::timeout(TIMEOUT, self.stream.message()).await.context("no event arrives")?;
        next?.context("the stream ended")?.event.context("an answer without event")
    }

    /// Waits for the next event, without a time limit.
    ///
    /// # Errors
    /// The server's; the error of a broken connection; DATA_LOSS if the stream ends without a
    /// status.
    pub async fn next(&mut self) -> Result<Event, Status> {
        let next = self.stream.message().await?.ok_or_else(|| Status::data_loss("the watch ended without a status"))?;
        next.event.ok_or_else(|| Status::data_loss("an answer without event"))
    }

    /// Returns the next event, which must be a change.
    ///
    /// # Errors
    /// If the event is a gap, or none arrives.
    pub async fn change(&mut self) -> Result<SubjectChange> {
        match self.event().await? {
            Event::Change(change) => Ok(change),
            other @ (Event::Gap(_) | Event::Opened(_)) => bail!("no change: {other:?}"),
        }
    }

    /// Returns the changes up to a revision, each of them once and in order.
    ///
    /// # Errors
    /// If a change is missing, repeated or out of order.
    pub async fn until(&mut self, after: i64, last: i64) -> Result<Vec<SubjectChange>> {
        let mut changes = Vec::new();
        for revision in after + 1..=last {
            let change = self.change().await?;
            anyhow::ensure!(change.revision == revision, "{} instead of {revision}", change.revision);
            changes.push(change);
        }
        Ok(changes)
    }

    /// Returns the status with which the stream ends; events before it are skipped.
    ///
    /// # Errors
    /// If the stream does not end in time, or ends without a status.
    pub async fn end(mut self) -> Result<Status> {
        let end = async {
            loop {
                match self.stream.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => bail!("the watch ended without a status"),
                    Err(status) => return Ok(status),
                }
            }
        };
        tokio::time::timeout(TIMEOUT, end).await.context("the watch does not end")?
    }
}
