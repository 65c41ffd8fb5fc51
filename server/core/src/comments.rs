//! The one façade that the RPC layer sees: every verb and every read of the platform, over the ports.
//!
//! Each call names its [`Caller`]. What a caller may not see is refused by key before existence is told, and by id as
//! not found.

mod admin;
mod history;
mod import;
mod likes;
mod lists;
mod ranked;
mod replies;
mod roots;
mod subjects;
mod submit;
mod upkeep;

use std::sync::Arc;

use crate::caller::Caller;
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::object_type::{ObjectType, Policies, Policy};
use crate::page::LocatedComment;
use crate::ports::{Clock, CommandLog, CountRepair, IdSource, MemberHistories, RankIndexes, Rankings, Reader};
use crate::subject::Subject;
pub use history::ListMemberComments;
pub use import::{ImportItem, ImportKind, ImportOutcome, ImportedComment, ImportedLike, ImportedSubject};
pub use likes::SetLikeRequest;
pub use lists::{ListComments, ListReplies, ListStart};
pub use ranked::{ListRanked, ListRankedReplies, RankedAt};
pub use replies::CreateReply;
pub use roots::{CreateRoot, EditComment};
pub use subjects::{NewSubject, SubjectPatch};
pub use submit::{WriteContext, WriteOutput};

/// The comment platform.
#[derive(Debug, Clone)]
pub struct Comments {
    reader: Arc<dyn Reader>,
    log: Arc<dyn CommandLog>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    histories: Arc<dyn MemberHistories>,
    boards: Arc<dyn RankIndexes>,
    rankings: Arc<dyn Rankings>,
    repairer: Arc<dyn CountRepair>,
    policies: Arc<Policies>,
}

/// What the façade stands on.
#[derive(Debug)]
pub struct CommentPorts {
    /// Reads.
    pub reader: Arc<dyn Reader>,
    /// The road of every write.
    pub log: Arc<dyn CommandLog>,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Members' own histories, to be rebuilt.
    pub histories: Arc<dyn MemberHistories>,
    /// The boards of ranked orders, to be rebuilt.
    pub boards: Arc<dyn RankIndexes>,
    /// Frozen rankings.
    pub rankings: Arc<dyn Rankings>,
    /// Sets counts right.
    pub repairer: Arc<dyn CountRepair>,
}

impl Comments {
    /// The platform over `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: CommentPorts, policies: Arc<Policies>) -> Self {
        let CommentPorts { reader, log, clock, ids, histories, boards, rankings, repairer } = ports;
        Self { reader, log, clock, ids, histories, boards, rankings, repairer, policies }
    }

    /// The policy of a type, for a caller who may use it.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], before it is told whether the type exists; [`Error::ObjectTypeUnknown`].
    pub fn policy(&self, caller: &Caller, object_type: &ObjectType) -> Result<&Policy> {
        allowed(caller, object_type)?;
        self.policies.of(object_type)
    }

    /// The reader of the rows, where copies have answered with less than the caller has seen.
    fn behind(&self, min_revision: i64, answered: Option<&Subject>) -> Option<&dyn Reader> {
        let seen = answered.map_or(0, |subject| subject.revision);
        if seen < min_revision { self.reader.origin() } else { None }
    }

    /// Finds a comment by its bare id, and the policy it lives under.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`] for a missing one and for one of a type that the caller may not use alike.
    pub async fn locate(&self, caller: &Caller, id: CommentId) -> Result<(LocatedComment, &Policy)> {
        let location =
            self.reader.locate_among(&[id], caller.types()).await?.pop().flatten().ok_or(Error::CommentNotFound)?;
        let policy = self.policy(caller, location.subject.object_type()).map_err(|_| Error::CommentNotFound)?;
        Ok((location, policy))
    }
}

/// Whether the caller may use an object type, served or not.
fn allowed(caller: &Caller, object_type: &ObjectType) -> Result<()> {
    if caller.may_use(object_type) { Ok(()) } else { Err(Error::CallerNotAllowed) }
}

#[cfg(test)]
pub(crate) mod tests;
