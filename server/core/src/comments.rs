//! The façade that the RPC layer calls: every verb and every read of the platform, over the ports.
//!
//! Each call names its [`Caller`]. A request by key for a type that the caller may not use is
//! rejected before the subject's existence is checked. A request by id for such a comment returns
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

/// The ports that the façade uses.
#[derive(Debug)]
pub struct CommentPorts {
    /// Reads.
    pub reader: Arc<dyn Reader>,
    /// The write path.
    pub log: Arc<dyn CommandLog>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
    /// The member histories, for rebuilds.
    pub histories: Arc<dyn MemberHistories>,
    /// The rank indexes, for rebuilds.
    pub boards: Arc<dyn RankIndexes>,
    /// The ranking snapshots.
    pub rankings: Arc<dyn Rankings>,
    /// The repair of counts.
    pub repairer: Arc<dyn CountRepair>,
}

impl Comments {
    /// Creates the platform on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: CommentPorts, policies: Arc<Policies>) -> Self {
        let CommentPorts { reader, log, clock, ids, histories, boards, rankings, repairer } = ports;
        Self { reader, log, clock, ids, histories, boards, rankings, repairer, policies }
    }

    /// Returns the policy of a type that the caller may use.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], which does not reveal whether the type exists;
    /// [`Error::ObjectTypeUnknown`].
    pub fn policy(&self, caller: &Caller, object_type: &ObjectType) -> Result<&Policy> {
        allowed(caller, object_type)?;
        self.policies.of(object_type)
    }

    /// Returns the primary reader if the cache has returned a subject at a lower revision than the
    /// caller has already seen. An absent subject counts as revision 0.
    fn behind(&self, min_revision: i64, answered: Option<&Subject>) -> Option<&dyn Reader> {
        let seen = answered.map_or(0, |subject| subject.revision);
        if seen < min_revision { self.reader.origin() } else { None }
    }

    /// Finds a comment by its bare id, and returns it with the policy of its type.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], both for a missing comment and for one of a type that the caller
    /// may not use.
    pub async fn locate(&self, caller: &Caller, id: CommentId) -> Result<(LocatedComment, &Policy)> {
        let location =
            self.reader.locate_among(&[id], caller.types()).await?.pop().flatten().ok_or(Error::CommentNotFound)?;
        let policy = self.policy(caller, location.subject.object_type()).map_err(|_| Error::CommentNotFound)?;
        Ok((location, policy))
    }
}

/// Checks that the caller may use an object type, registered or not.
fn allowed(caller: &Caller, object_type: &ObjectType) -> Result<()> {
    if caller.may_use(object_type) { Ok(()) } else { Err(Error::CallerNotAllowed) }
}

#[cfg(test)]
pub(crate) mod tests;
