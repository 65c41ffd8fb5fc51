//! RebuildMemberHistory and RebuildRanks: what is derived from the comments, made anew from them.

use riposte_core::Error;
use riposte_core::ports::Rebuilt;
use riposte_sdk::v1;

use super::rounds::{Visit, Work};
use crate::rpc::Services;

/// Comments that are looked at between two answers.
const CHUNK: usize = 500;

/// The members' own histories: the sums so far.
#[derive(Debug, Default)]
pub(super) struct History {
    told: v1::RebuildMemberHistoryResponse,
}

/// The boards of ranked orders: the sums so far.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    told: v1::RebuildRanksResponse,
}

#[tonic::async_trait]
impl Work for History {
    type Answer = v1::RebuildMemberHistoryResponse;

    async fn visit(&mut self, at: &Visit<'_, Self::Answer>) -> Result<(), Error> {
        let mut after = None;
        loop {
            let rebuilt = at.services.comments.rebuild_history(at.caller, at.key, after, CHUNK).await?;
            let Rebuilt { comments, changed, next } = rebuilt;
            self.told.comments_checked += comments as i64;
            self.told.rows_changed += changed as i64;
            if next.is_none() {
                self.told.subjects_done += 1;
                self.told.resume_token = at.resume_token.to_owned();
            }
            at.tell(self.told.clone()).await?;
            if next.is_none() {
                return Ok(());
            }
            after = next;
        }
    }

    fn end(self, _: &Services) {}
}

#[tonic::async_trait]
impl Work for Ranks {
    type Answer = v1::RebuildRanksResponse;

    async fn visit(&mut self, at: &Visit<'_, Self::Answer>) -> Result<(), Error> {
        let mut after = None;
        loop {
            let rebuilt = at.services.comments.rebuild_boards(at.caller, at.key, after, CHUNK).await?;
            let Rebuilt { comments, changed, next } = rebuilt;
            self.told.comments_checked += comments as i64;
            self.told.comments_changed += changed as i64;
            if next.is_none() {
                self.told.subjects_done += 1;
                self.told.resume_token = at.resume_token.to_owned();
            }
            at.tell(self.told.clone()).await?;
            if next.is_none() {
                return Ok(());
            }
            after = next;
        }
    }

    fn end(self, _: &Services) {}
}
