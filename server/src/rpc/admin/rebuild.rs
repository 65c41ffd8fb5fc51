//! RebuildMemberHistory: the members' own histories, from the comments.

use riposte_core::Error;
use riposte_core::ports::Rebuilt;
use riposte_sdk::v1;

use super::rounds::{Visit, Work};
use crate::rpc::Services;

/// Comments that are looked at between two answers.
const CHUNK: usize = 500;

/// The sums so far.
#[derive(Debug, Default)]
pub(super) struct Rebuild {
    told: v1::RebuildMemberHistoryResponse,
}

#[tonic::async_trait]
impl Work for Rebuild {
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
