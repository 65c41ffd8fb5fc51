//! A watched subject, as tests read it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{SubjectChange, WatchSubjectRequest, WatchSubjectResponse};
use tonic::{Status, Streaming};

use crate::Say;

/// How long a change may take to be told.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open WatchSubject stream.
#[derive(Debug)]
pub struct Watch(Streaming<WatchSubjectResponse>);

impl Watch {
    /// Watches the subject of `say` behind a revision.
    ///
    /// # Errors
    /// The server's.
    pub async fn open(say: &Say, after_revision: i64) -> Result<Self, Status> {
        let request = WatchSubjectRequest { key: Some(say.key.clone()), after_revision };
        Ok(Self(say.client.subjects().watch_subject(request).await?.into_inner()))
    }

    /// A stream that was opened by other means.
    #[must_use]
    pub fn of(stream: Streaming<WatchSubjectResponse>) -> Self {
        Self(stream)
    }

    /// The next event.
    ///
    /// # Errors
    /// When none comes in time, or the stream ends.
    pub async fn event(&mut self) -> Result<Event> {
        let next = tokio::time::timeout(PATIENCE, self.0.message()).await.context("nothing is told")?;
        next?.context("the stream ended")?.event.context("an answer without event")
    }

    /// The next event, which is a change.
    ///
    /// # Errors
    /// When it is a gap, or none comes.
    pub async fn change(&mut self) -> Result<SubjectChange> {
        match self.event().await? {
            Event::Change(change) => Ok(change),
            Event::Gap(gap) => bail!("a gap: {gap:?}"),
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
                match self.0.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => bail!("it ended without saying why"),
                    Err(status) => return Ok(status),
                }
            }
        };
        tokio::time::timeout(PATIENCE, end).await.context("it does not end")?
    }
}
