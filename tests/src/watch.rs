//! A watched subject, as tests read it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{SubjectChange, WatchOpened, WatchSubjectRequest, WatchSubjectResponse};
use tonic::{Status, Streaming};

use crate::Say;

/// How long a change may take to be told.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open WatchSubject stream.
#[derive(Debug)]
pub struct Watch {
    stream: Streaming<WatchSubjectResponse>,
    opened: i64,
}

impl Watch {
    /// Watches the subject of `say` behind a revision.
    ///
    /// # Errors
    /// The server's.
    pub async fn open(say: &Say, after_revision: i64) -> Result<Self, Status> {
        let request = WatchSubjectRequest { key: Some(say.key.clone()), after_revision };
        Self::of(say.client.subjects().watch_subject(request).await?.into_inner()).await
    }

    /// A stream that was opened by other means, none of whose events was read.
    ///
    /// # Errors
    /// The server's; DATA_LOSS where it does not tell at first that the watch has begun.
    pub async fn of(mut stream: Streaming<WatchSubjectResponse>) -> Result<Self, Status> {
        match stream.message().await?.and_then(|first| first.event) {
            Some(Event::Opened(WatchOpened { revision })) => Ok(Self { stream, opened: revision }),
            other => Err(Status::data_loss(format!("it begins with {other:?}"))),
        }
    }

    /// The revision behind which everything is told.
    #[must_use]
    pub fn opened(&self) -> i64 {
        self.opened
    }

    /// The next event.
    ///
    /// # Errors
    /// When none comes in time, or the stream ends.
    pub async fn event(&mut self) -> Result<Event> {
        let next = tokio::time::timeout(PATIENCE, self.stream.message()).await.context("nothing is told")?;
        next?.context("the stream ended")?.event.context("an answer without event")
    }

    /// The next event, however late it comes.
    ///
    /// # Errors
    /// The server's; that of a connection that breaks; DATA_LOSS where the stream ends without any.
    pub async fn next(&mut self) -> Result<Event, Status> {
        let next = self.stream.message().await?.ok_or_else(|| Status::data_loss("it ended without saying why"))?;
        next.event.ok_or_else(|| Status::data_loss("an answer without event"))
    }

    /// The next event, which is a change.
    ///
    /// # Errors
    /// When it is a gap, or none comes.
    pub async fn change(&mut self) -> Result<SubjectChange> {
        match self.event().await? {
            Event::Change(change) => Ok(change),
            other @ (Event::Gap(_) | Event::Opened(_)) => bail!("no change: {other:?}"),
        }
    }

    /// The changes up to a revision, each of them once and in order.
    ///
    /// # Errors
    /// When one is left out, told twice or out of order.
    pub async fn until(&mut self, after: i64, last: i64) -> Result<Vec<SubjectChange>> {
        let mut changes = Vec::new();
        for revision in after + 1..=last {
            let change = self.change().await?;
            anyhow::ensure!(change.revision == revision, "{} instead of {revision}", change.revision);
            changes.push(change);
        }
        Ok(changes)
    }

    /// Why the stream ends; what is told before that is passed over.
    ///
    /// # Errors
    /// When it does not end in time, or ends without a status.
    pub async fn end(mut self) -> Result<Status> {
        let end = async {
            loop {
                match self.stream.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => bail!("it ended without saying why"),
                    Err(status) => return Ok(status),
                }
            }
        };
        tokio::time::timeout(PATIENCE, end).await.context("it does not end")?
    }
}
