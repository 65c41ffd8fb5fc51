//! RebuildMemberHistory and RebuildRanks: both rebuild derived state from the comments.

use riposte_core::ports::RebuildProgress;
use riposte_core::{CommentId, Error};
use riposte_sdk::v1;

use super::subject_sweep::{SubjectTask, SweepItem};
use crate::rpc::Services;

/// The number of comments that are checked between two responses.
const CHUNK: usize = 500;

/// Rebuilds member histories; holds the totals so far.
#[derive(Debug, Default)]
pub(super) struct RebuildHistory {
    told: v1::RebuildMemberHistoryResponse,
}

/// Rebuilds the rank index; holds the totals so far.
#[derive(Debug, Default)]
pub(super) struct RebuildRanks {
    told: v1::RebuildRanksResponse,
}

#[tonic::async_trait]
impl SubjectTask for RebuildHistory {
    type Answer = v1::RebuildMemberHistoryResponse;

    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error> {
        let comments = &at.services.comments;
        let rebuild = |after| comments.rebuild_history(at.caller, at.key, after, CHUNK);
        let add = |told: &mut Self::Answer, part: &RebuildProgress| {
            told.comments_checked += part.comments as i64;
            told.rows_changed += part.changed as i64;
        };
        let end = |told: &mut Self::Answer| {
            told.subjects_done += 1;
            at.resume_token.clone_into(&mut told.resume_token);
        };
        through(at, &mut self.told, rebuild, add, end).await
    }

    fn end(self, _: &Services) {}
}

#[tonic::async_trait]
impl SubjectTask for RebuildRanks {
    type Answer = v1::RebuildRanksResponse;

    async fn visit(&mut self, at: &SweepItem<'_, Self::Answer>) -> Result<(), Error> {
        let comments = &at.services.comments;
        let rebuild = |after| comments.rebuild_boards(at.caller, at.key, after, CHUNK);
        let add = |told: &mut Self::Answer, part: &RebuildProgress| {
            told.comments_checked += part.comments as i64;
            told.comments_changed += part.changed as i64;
        };
        let end = |told: &mut Self::Answer| {
            told.subjects_done += 1;
            at.resume_token.clone_into(&mut told.resume_token);
        };
        let changed = self.told.comments_changed;
        through(at, &mut self.told, rebuild, add, end).await?;
        if let Some(copies) = at.services.copies.as_ref().filter(|_| self.told.comments_changed > changed) {
            copies.forget(at.key).await;
        }
        Ok(())
    }

    fn end(self, _: &Services) {}
}

/// Processes the comments of one subject in chunks and sends the totals after each: `add` counts a
/// chunk, `end` the subject.
async fn through<A: Clone, F: Future<Output = Result<RebuildProgress, Error>>>(
    at: &SweepItem<'_, A>,
    told: &mut A,
    rebuild: impl Fn(Option<CommentId>) -> F,
    add: impl Fn(&mut A, &RebuildProgress),
    end: impl Fn(&mut A),
) -> Result<(), Error> {
    let mut after = None;
    loop {
        let part = rebuild(after).await?;
        add(told, &part);
        if part.next.is_none() {
            end(told);
        }
        at.tell(told.clone()).await?;
        after = part.next;
        if after.is_none() {
            return Ok(());
        }
    }
}
