//! The last reads of comments that wait for review: the queue and the first pages at both servers,
//! the changes of their subjects, the statements to their authors, and what became of reports.

use anyhow::{Context, Result};

use super::{CLIENT, READ, perform};
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, PublicRead, ReviewCall};
use crate::histcheck::load::{Environment, REVIEWED_SUBJECTS, REVIEWERS, Watcher, reviewed_members};
use crate::histcheck::names::REVIEWED;

/// Reads the queue and the subjects. All leases have ended.
///
/// # Errors
/// Fails when a read fails, since no fault is injected any more.
pub(super) async fn read(environment: &Environment, seed: u64) -> Result<()> {
    for number in 0..SERVERS {
        for leased in [true, false] {
            let call = Call::Review { subject: REVIEWED, call: ReviewCall::Queue { leased } };
            perform(environment, CLIENT + 20, (call, READ), number).await.context("reading the queue")?;
        }
    }
    for member in reviewed_members(REVIEWERS) {
        let call = Call::Review { subject: REVIEWED, call: ReviewCall::Statements { member } };
        perform(environment, CLIENT + 20, (call, READ), member as usize % SERVERS)
            .await
            .context("reading statements")?;
    }
    for (number, (comment, reporter)) in environment.reviewed.reports().into_iter().enumerate() {
        let call = Call::Review { subject: REVIEWED, call: ReviewCall::OwnReports { comment, reporter } };
        perform(environment, CLIENT + 20, (call, READ), number % SERVERS).await.context("reading own reports")?;
    }
    for subject in REVIEWED..REVIEWED + REVIEWED_SUBJECTS {
        for number in 0..SERVERS {
            let read = ReviewCall::Public { read: PublicRead::List, viewer: None, fresh: false };
            perform(environment, CLIENT + 20, (Call::Review { subject, call: read }, READ), number).await?;
        }
        let number = subject as usize % SERVERS;
        Watcher::new(CLIENT + 21, subject, seed).catch_up(environment, number).await?;
    }
    Ok(())
}
