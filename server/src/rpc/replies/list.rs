//! ListReplies.

use prost::Message;
use riposte_core::comments::{At, ListRankedReplies, ListReplies, RankedAt};
use riposte_core::page::{Located, Order, ReplyPage};
use riposte_core::rank::Along;
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use super::ReplyCalls;
use crate::rpc::about::under;
use crate::rpc::answer::{Asked, MAX_BYTES};
use crate::rpc::parse::{Sort, Stand, Violations, Where};
use crate::rpc::refusal::Refusal;
use crate::rpc::walk::Walk;
use crate::rpc::{about, answer, parse};

/// What was asked for, beside the place.
struct Terms {
    root: Located,
    limit: usize,
    min_revision: i64,
    fresh: bool,
}

impl ReplyCalls {
    pub(super) async fn list(
        &self,
        caller: Caller,
        request: v1::ListRepliesRequest,
    ) -> Result<v1::ListRepliesResponse, Refusal> {
        let mut v = Violations::default();
        let root = v.comment(&self.0.comments, &caller, "root_id", request.root_id).await?;
        let sort = v.take(parse::sort(request.sort, Order::Oldest).and_then(Sort::of_replies));
        let walk = root.as_ref().zip(sort).map(|((root, _), sort)| Walk::replies(&caller, root.id, sort));
        let asked =
            Where { page_token: &request.page_token, around_comment_id: request.around_comment_id, around_floor: 0 };
        let stand = parse::place(&mut v, asked, walk.as_ref(), &self.0.tokens);
        let limit = v.take(parse::page_size(request.page_size));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let ((root, _), walk, stand, limit, min_revision) = v.all((root, walk, stand, limit, min_revision))?;
        let subject = root.subject.clone();
        let terms = Terms { root, limit, min_revision, fresh: request.fresh };
        let (page, asked) = self.list_read(&caller, terms, stand).await.map_err(|error| {
            let refusal = under(&subject)(error);
            match stand {
                // The root was found: it is the other comment that is not there.
                Stand::Floor(_, At::Comment(id)) | Stand::Rank(_, RankedAt::Comment(id)) => {
                    refusal.or_about(about::comment(id.get()))
                }
                Stand::Floor(_, At::Start(_)) | Stand::Rank(..) => refusal,
            }
        })?;
        let subject_revision = page.subject.revision;
        let root = answer::comment(page.root);
        let replies = page.replies.map(answer::comment);
        let room = MAX_BYTES.saturating_sub(root.encoded_len());
        let (replies, ends) = answer::cut(replies, &asked, room);
        Ok(v1::ListRepliesResponse {
            replies: replies.items,
            next_page_token: self.0.seal(walk.context(), ends.next)?,
            previous_page_token: self.0.seal(walk.context(), ends.previous)?,
            root: Some(root),
            subject_revision,
            degraded: self.0.degraded(),
        })
    }

    /// The page, and what its ends are told by.
    async fn list_read(&self, caller: &Caller, terms: Terms, stand: Stand) -> Result<(ReplyPage, Asked), Error> {
        let Terms { root, limit, min_revision, fresh } = terms;
        let comments = self.0.answering(fresh);
        match stand {
            Stand::Floor(order, at) => {
                let ask = ListReplies { root, order, at, limit, min_revision };
                let page = comments.list_replies(caller, &ask).await?;
                Ok((page, Asked::Floor(order, at)))
            }
            // The one that replies have.
            Stand::Rank(_, at) => {
                let ask = ListRankedReplies { root, at, limit, min_revision };
                let Along { page, trail } = comments.list_ranked_replies(caller, &ask).await?;
                Ok((page, Asked::Rank(at, trail)))
            }
        }
    }
}
