//! The comments of a subject that only their author sees, and those with an edit that waits.

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::ports::UnlistedRow;
use crate::read::Comments;
use crate::read::proposals::own_proposals;
use crate::read::subjects::{check_listable, existing};

/// A request for a part of the unlisted comments of a member.
#[derive(Debug, Clone)]
pub struct ListUnlisted {
    /// The subject.
    pub subject: SubjectKey,
    /// The author.
    pub member: MemberId,
    /// The thread; `None` for all threads.
    pub root: Option<CommentId>,
    /// The lowest revision of the subject that the result may show.
    pub min_revision: i64,
    /// The comment before which the page starts; `None` for the newest.
    pub before: Option<CommentId>,
    /// The maximum number of comments.
    pub limit: usize,
}

/// A comment that only its author sees, or one in sight with an edit that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedComment {
    /// The comment as its author sees it.
    pub view: CommentView,
    /// The newest edit of a comment in sight.
    pub proposal: Option<Proposal>,
}

/// A part of the unlisted comments of a member.
#[derive(Debug)]
pub struct UnlistedPage {
    /// The comments, newest first. A page may be short.
    pub comments: Vec<UnlistedComment>,
    /// The comment before which the next page starts; `None` at the end.
    pub next: Option<CommentId>,
    /// A revision of the subject that the comments show; they may be newer.
    pub revision: i64,
}

impl Comments {
    /// Returns the comments of a member that wait for review, were refused within 7 days or have an
    /// edit that waits, as their author sees them.
    ///
    /// # Errors
    /// Those of [`Comments::watchable`];
    /// [`RevisionNotReached`](crate::domain::error::Error::RevisionNotReached).
    pub async fn unlisted_comments(&self, caller: &Caller, request: &ListUnlisted) -> Result<UnlistedPage> {
        let ListUnlisted { subject: key, member, root, min_revision, before, limit } = request;
        let found = self.subjects(caller, std::slice::from_ref(key), *min_revision).await?.pop().flatten();
        let subject = existing(key, found)?;
        check_listable(&subject, *min_revision)?;
        // A subject that only auto_create implies has no comments, and most subjects never had one
        // that only its author sees.
        if subject.version == 0 || !subject.unlisted {
            return Ok(UnlistedPage { comments: Vec::new(), next: None, revision: subject.revision });
        }
        // Read after the subject, the rows show its revision or a newer one.
        let rows = self.reader.primary().unwrap_or(self.reader.as_ref());
        let mut found = rows.unlisted(key, subject.id, member, *before, limit.saturating_add(1)).await?;
        let more = found.len() > *limit;
        found.truncate(*limit);
        let ids: Vec<CommentId> = found.iter().map(|row| row.comment_id).collect();
        let next = ids.last().copied().filter(|_| more);
        let views = if ids.is_empty() { Vec::new() } else { rows.comments(&ids).await? };
        let is_of_thread = |view: &CommentView| root.is_none_or(|root| view.comment.thread_id() == root);
        let views: Vec<CommentView> = views.into_iter().flatten().filter(is_of_thread).collect();
        let proposals = own_proposals(rows, &views, Some(member)).await?;
        let unlisted = views.into_iter().zip(proposals).filter_map(|(view, proposal)| {
            let waits = proposal.as_ref().is_some_and(|proposal| proposal.state == ProposalState::Waiting);
            let is_listed = waits || shows_author(&view, &found);
            is_listed.then(|| UnlistedComment { view: view.seen_by(Some(member)), proposal })
        });
        Ok(UnlistedPage { comments: unlisted.collect(), next, revision: subject.revision })
    }
}

/// Returns `true` if the author of a comment that is in no list is still shown it.
fn shows_author(view: &CommentView, rows: &[UnlistedRow]) -> bool {
    let (id, state) = (view.comment.reference.id, view.comment.lifecycle.state);
    let is_recent = || rows.iter().any(|row| row.comment_id == id && row.was_rejected_recently);
    state.may_be_unpublished() && (state != CommentState::Rejected || is_recent())
}
