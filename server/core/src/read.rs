//! The use cases that read, one file each.
//!
//! Each call names its [`Caller`]. A request by key for a type that the caller may not use is
//! rejected before the subject's existence is checked. A request by id for such a comment returns
//! not found.

mod comment_search;
mod comments;
mod conversation;
mod export;
mod likes;
mod list_comments;
mod list_replies;
mod member;
mod policy_evaluation;
mod proposals;
mod ranked;
mod review_queue;
mod revisions;
mod subjects;
mod text_checks;
mod thread;
mod unlisted;
mod unpublished;
mod verify;

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::object_type::{ObjectType, Policies, Policy};
use crate::domain::subject::Subject;
use crate::ports::{Clock, RankingSnapshots, Reader};
pub use comment_search::{
    CommentQuery, CommentSearch, DuplicateGroup, DuplicateGroups, DuplicateQuery, SearchPage, SearchPorts,
    SearchPosition, WALK_ROWS_MAX,
};
pub use likes::FirstLikers;
pub use list_comments::{ListComments, ListStart};
pub use list_replies::ListReplies;
pub use member::ListMemberComments;
pub use policy_evaluation::{ALL_COMMENTS, EvaluatedComments, PolicyEvaluation, PolicyEvaluations};
pub use ranked::{
    Continuation, Direction, ListRanked, ListRankedReplies, RankedCursor, RankedPage, RankedStart, RankedWalk,
};
pub use review_queue::{ModeratedComment, ReviewItem, ReviewQueue};
pub use text_checks::TextChecks;
pub use unlisted::{ListUnlisted, UnlistedComment, UnlistedPage};

/// The use cases that read.
#[derive(Debug, Clone)]
pub struct Comments {
    reader: Arc<dyn Reader>,
    rankings: Arc<dyn RankingSnapshots>,
    clock: Arc<dyn Clock>,
    policies: Arc<Policies>,
}

/// The ports of [`Comments`].
#[derive(Debug)]
pub struct ReadPorts {
    /// Reads.
    pub reader: Arc<dyn Reader>,
    /// The ranking snapshots.
    pub rankings: Arc<dyn RankingSnapshots>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
}

impl Comments {
    /// Creates the use cases on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: ReadPorts, policies: Arc<Policies>) -> Self {
        let ReadPorts { reader, rankings, clock } = ports;
        Self { reader, rankings, clock, policies }
    }

    /// Returns the policy of a type that the caller may use.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], which does not reveal whether the type exists;
    /// [`Error::ObjectTypeUnknown`].
    pub fn policy(&self, caller: &Caller, object_type: &ObjectType) -> Result<&Policy> {
        caller.policy(&self.policies, object_type)
    }

    /// Returns the primary reader if the cache has returned a subject at a lower revision than the
    /// caller has already seen. An absent subject counts as revision 0.
    fn primary_if_behind(&self, min_revision: i64, subject: Option<&Subject>) -> Option<&dyn Reader> {
        let revision = subject.map_or(0, |subject| subject.revision);
        if revision < min_revision { self.reader.primary() } else { None }
    }

    /// Finds a comment by its bare id, and returns it with the policy of its type.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], both for a missing comment and for one of a type that the caller
    /// may not use.
    pub async fn locate(&self, caller: &Caller, id: CommentId) -> Result<(CommentLocation, &Policy)> {
        let location =
            self.reader.locate_among(&[id], caller.types()).await?.pop().flatten().ok_or(Error::CommentNotFound)?;
        let policy = self.policy(caller, location.subject.object_type()).map_err(|_| Error::CommentNotFound)?;
        Ok((location, policy))
    }

    /// Finds comments by their bare ids, in the order of `ids`. A data source that is unavailable
    /// does not affect comments of others.
    ///
    /// # Errors
    /// The error of the store if it could search for none of the comments. Otherwise each comment
    /// has its own result: its location, the error of its data source, or
    /// [`Error::CommentNotFound`] if it is missing or of a type that the caller may not use.
    pub async fn locate_each(&self, caller: &Caller, ids: &[CommentId]) -> Result<Vec<Result<CommentLocation>>> {
        let is_of_source = |error: &Error| matches!(error, Error::ShardUnavailable | Error::ShardCircuitOpen { .. });
        let found = self.reader.locate_each(ids, caller.types()).await;
        let was_searched = found.iter().any(Result::is_ok);
        let mut errors = found.iter().filter_map(|found| found.as_ref().err());
        if let Some(error) = errors.find(|error| !was_searched || !is_of_source(error)) {
            return Err(error.clone());
        }
        let is_granted = |at: &CommentLocation| self.policy(caller, at.subject.object_type()).is_ok();
        let granted = |location: Option<CommentLocation>| location.filter(is_granted).ok_or(Error::CommentNotFound);
        Ok(found.into_iter().map(|found| found.and_then(granted)).collect())
    }
}
