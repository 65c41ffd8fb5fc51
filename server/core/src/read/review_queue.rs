//! The work of moderators: the queue of open reviews, comments as moderators read them, and the
//! decisions on them. It reads rows and never a cache, which has no text of a hidden comment.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::comment::{CommentView, proposal_etag, review_etag};
use crate::domain::content::{ClientInfo, Content};
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CommentId, DecisionId};
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::Policies;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::domain::review::{LeaseToken, Review, ReviewCauses};
use crate::ports::{Reader, ReviewClaim, ReviewQuery, Reviews};

/// The attempts of a claim. One that leased reviews which show nothing is followed by another one.
const ATTEMPTS: u8 = 4;

/// The use cases of moderators.
#[derive(Debug, Clone)]
pub struct ReviewQueue {
    reader: Arc<dyn Reader>,
    reviews: Arc<dyn Reviews>,
    policies: Arc<Policies>,
}

/// A comment as moderators read it: with its true state, and its content if the rows have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeratedComment {
    /// The comment.
    pub view: CommentView,
    /// Its review; `None` if a question was never open and a decision never taken.
    pub review: Option<Review>,
    /// The newest proposed edit, if it waits or was refused.
    pub proposal: Option<Proposal>,
    /// The newest decision; `None` before the first one.
    pub last_decision: Option<Decision>,
    /// The content before words were masked; `None` if none were.
    pub original: Option<Content>,
    /// Details about the client that wrote it, as long as they are stored.
    pub client: ClientInfo,
}

/// An entry of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewItem {
    /// The comment.
    pub comment: ModeratedComment,
    /// Its review, as the queue has it.
    pub review: Review,
    /// The comment that it answers, if it was read.
    pub parent: Option<ModeratedComment>,
}

impl ModeratedComment {
    /// The etag that a verdict names. The comment was read before its review: an etag whose parts
    /// belong to different states is never the current one of another text.
    #[must_use]
    pub fn etag(&self) -> String {
        review_etag(&self.view.comment, self.review.as_ref())
    }

    /// The etag that a verdict on the proposed edit names; empty if none waits. It names the
    /// proposal that was read: the review was read before it, and may be about another one or about
    /// one that was judged since.
    #[must_use]
    pub fn proposal_etag(&self) -> String {
        let waiting = self.proposal.as_ref().filter(|proposal| proposal.state == ProposalState::Waiting);
        let number = waiting.map(|proposal| proposal.number);
        let review = self.review.as_ref().filter(|review| review.waiting_proposal() == number);
        proposal_etag(&self.view.comment, review)
    }

    /// The causes of the open questions.
    #[must_use]
    pub fn open_causes(&self) -> ReviewCauses {
        let open = self.review.as_ref().filter(|review| !review.is_closed);
        open.map_or(ReviewCauses::NONE, |review| review.causes)
    }
}

impl ReviewQueue {
    /// Creates the use cases over the rows, under `policies`.
    #[must_use]
    pub fn new(reader: Arc<dyn Reader>, reviews: Arc<dyn Reviews>, policies: Arc<Policies>) -> Self {
        Self { reader, reviews, policies }
    }

    /// Returns open reviews by due time, then comment id, each with its comment; `None` for one
    /// below a deleted subject, which shows nothing.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub async fn list(&self, caller: &Caller, query: &ReviewQuery) -> Result<Vec<(Review, Option<ReviewItem>)>> {
        caller.policy(&self.policies, &query.filter.object_type)?;
        let reviews = self.reviews.list(query).await?;
        let items = self.items(caller, &reviews, false).await?;
        Ok(reviews.into_iter().zip(items).collect())
    }

    /// Returns the token of a claim: one of `former` if leases last under it, else its own. The
    /// keys from which tokens follow may have changed since the first request of a repeat.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn held_token(&self, claim: &ReviewClaim, former: &[LeaseToken]) -> Result<LeaseToken> {
        for token in former {
            // A claim of nothing renews the leases of its token.
            let renewed = self.reviews.claim(&ReviewClaim { token: *token, limit: 0, ..claim.clone() }).await?;
            if !renewed.is_empty() {
                return Ok(*token);
            }
        }
        Ok(claim.token)
    }

    /// Leases open reviews for a moderator, or renews the leases of an earlier request. Each is
    /// returned with its comment and the comment that this one answers. A review below a deleted
    /// subject shows nothing: it stays leased and others are leased in its place, so that it does
    /// not stop the queue.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub async fn claim(&self, caller: &Caller, claim: &ReviewClaim) -> Result<Vec<ReviewItem>> {
        caller.policy(&self.policies, &claim.filter.object_type)?;
        let (mut items, mut leased) = (Vec::new(), 0);
        for attempt in 0..ATTEMPTS {
            let limit = claim.limit.saturating_sub(items.len());
            let part = ReviewClaim { token: claim.token.of_attempt(attempt), limit, ..claim.clone() };
            let claimed = if limit == 0 { Ok(Vec::new()) } else { self.reviews.claim(&part).await };
            let reviews = claimed.map_err(|error| error.of_part(leased > 0))?;
            leased += reviews.len();
            let shown = self.items(caller, &reviews, true).await.map_err(|error| error.of_part(leased > 0))?;
            let before = items.len();
            items.extend(shown.into_iter().flatten());
            if items.len() - before == reviews.len() {
                break;
            }
        }
        Ok(items)
    }

    /// Ends the leases of these comments that a claim of this moderator with this token took, and
    /// returns their number. Comments of a type that the caller may not use keep theirs.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn release(
        &self,
        caller: &Caller,
        ids: &[CommentId],
        (holder, token): (&MemberId, LeaseToken),
    ) -> Result<usize> {
        let mut ids = ids.to_vec();
        if !caller.may_use_all() {
            let found = self.reader.locate_among(&ids, caller.types()).await?;
            let is_granted = |at: &CommentLocation| caller.may_use(at.subject.object_type());
            ids = found.into_iter().flatten().filter(is_granted).map(|at| at.id).collect();
        }
        let mut released = 0;
        for attempt in 0..ATTEMPTS {
            if released < ids.len() {
                let done = self.reviews.release(&ids, holder, token.of_attempt(attempt)).await;
                released += done.map_err(|error| error.of_part(released > 0))?;
            }
        }
        Ok(released)
    }

    /// Returns comments as moderators read them, in the order of `ids`; `None` for each that is
    /// missing, below a deleted subject, or of a type that the caller may not use.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn comments(&self, caller: &Caller, ids: &[CommentId]) -> Result<Vec<Option<ModeratedComment>>> {
        let views = self.reader.comments_among(ids, caller.types()).await?;
        let is_granted = |view: &CommentView| caller.policy(&self.policies, view.subject.object_type()).is_ok();
        self.moderated(views.into_iter().map(|view| view.filter(is_granted)).collect()).await
    }

    /// Returns these comments as moderators read them, in their order.
    pub(super) async fn moderated(&self, views: Vec<Option<CommentView>>) -> Result<Vec<Option<ModeratedComment>>> {
        let found: Vec<CommentId> = views.iter().flatten().map(|view| view.comment.reference.id).collect();
        let reviews = if found.is_empty() { Vec::new() } else { self.reader.reviews(&found).await? };
        let mut reviews: HashMap<CommentId, Review> =
            reviews.into_iter().flatten().map(|review| (review.comment_id, review)).collect();
        let last = |review: &Review| DecisionId { comment: review.comment_id, number: review.decisions };
        let decided: Vec<DecisionId> = reviews.values().filter(|review| review.decisions > 0).map(last).collect();
        let decisions = if decided.is_empty() { Vec::new() } else { self.reader.decisions_by_id(&decided).await? };
        let mut decisions: HashMap<CommentId, Decision> =
            decisions.into_iter().flatten().map(|decision| (decision.id.comment, decision)).collect();
        // The policy decides when it masks, so a comment without a decision has no original.
        let judged: Vec<CommentId> = decided.iter().map(|id| id.comment).collect();
        let originals = if judged.is_empty() { Vec::new() } else { self.reader.originals(&judged).await? };
        let originals = judged.into_iter().zip(originals.into_iter().map(|found| found.of_content));
        let mut originals: HashMap<CommentId, Option<Content>> = originals.collect();
        let proposed: Vec<CommentId> =
            reviews.values().filter(|review| review.proposal > 0).map(|review| review.comment_id).collect();
        let proposals = if proposed.is_empty() { Vec::new() } else { self.reader.proposals(&proposed).await? };
        let mut proposals: HashMap<CommentId, Proposal> =
            proposals.into_iter().flatten().map(|proposal| (proposal.comment_id, proposal)).collect();
        let clients = if found.is_empty() { Vec::new() } else { self.reader.clients(&found).await? };
        let mut clients: HashMap<CommentId, Option<ClientInfo>> = found.into_iter().zip(clients).collect();
        let mut moderated = |view: CommentView| {
            let id = view.comment.reference.id;
            let (review, proposal) = (reviews.remove(&id), proposals.remove(&id));
            let client = clients.remove(&id).flatten().unwrap_or_default();
            let (last_decision, original) = (decisions.remove(&id), originals.remove(&id).flatten());
            ModeratedComment { view, review, proposal, last_decision, original, client }
        };
        Ok(views.into_iter().map(|view| view.map(&mut moderated)).collect())
    }

    /// Returns what is stored about the client that wrote a comment.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], also for a comment of a type that the caller may not use.
    pub async fn client(&self, caller: &Caller, id: CommentId) -> Result<ClientInfo> {
        self.locate(caller, id).await?;
        Ok(self.reader.clients(&[id]).await?.pop().flatten().unwrap_or_default())
    }

    /// Returns the decisions on a comment whose numbers are below `before`, newest first.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], also for a comment of a type that the caller may not use.
    pub async fn decisions(
        &self,
        caller: &Caller,
        id: CommentId,
        before: Option<i32>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        self.locate(caller, id).await?;
        self.reader.decisions(id, before, limit).await
    }

    /// Fails unless there is such a comment, of a type that the caller may use.
    async fn locate(&self, caller: &Caller, id: CommentId) -> Result<()> {
        let found = self.reader.locate_among(&[id], caller.types()).await?.pop().flatten();
        let location = found.ok_or(Error::CommentNotFound)?;
        caller.policy(&self.policies, location.subject.object_type()).map_err(|_| Error::CommentNotFound)?;
        Ok(())
    }

    /// Returns the entries of these reviews, in their order.
    async fn items(&self, caller: &Caller, reviews: &[Review], with_parents: bool) -> Result<Vec<Option<ReviewItem>>> {
        if reviews.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<CommentId> = reviews.iter().map(|review| review.comment_id).collect();
        let comments = self.comments(caller, &ids).await?;
        let parent = |comment: &ModeratedComment| comment.view.comment.reference.parent_id.filter(|_| with_parents);
        let mut parents: Vec<CommentId> = comments.iter().flatten().filter_map(parent).collect();
        parents.sort_unstable();
        parents.dedup();
        let found = if parents.is_empty() { Vec::new() } else { self.comments(caller, &parents).await? };
        let parents: HashMap<CommentId, Option<ModeratedComment>> = parents.into_iter().zip(found).collect();
        let items = reviews.iter().zip(comments).map(|(review, comment)| {
            let comment = comment?;
            let parent = parent(&comment).and_then(|id| parents.get(&id).cloned().flatten());
            Some(ReviewItem { comment, review: review.clone(), parent })
        });
        Ok(items.collect())
    }
}
