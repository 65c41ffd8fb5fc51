//! The subject or comment that a request names, with the rules that hold there.
//!
//! What may not be told to a caller, and what is missing, ends the call at once. A type that nobody registered is a
//! fault of its field and is told with the others.

use riposte_core::page::LocatedComment;
use riposte_core::{Caller, Comments, Error, Policy, Reason, Result, SubjectKey, Violation};
use riposte_sdk::v1;

use super::{Violations, comment_id, subject_key};

impl Violations {
    /// The subject at `field`, with the policy of its type; `None` if the field is wrong.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`].
    pub(crate) fn subject<'c>(
        &mut self,
        comments: &'c Comments,
        caller: &Caller,
        field: &str,
        key: Option<&v1::SubjectKey>,
    ) -> Result<Option<(SubjectKey, &'c Policy)>> {
        let Some(key) = self.take(subject_key(field, key)) else { return Ok(None) };
        match comments.policy(caller, key.object_type()) {
            Ok(policy) => Ok(Some((key, policy))),
            Err(Error::ObjectTypeUnknown(_)) => {
                self.know("object_type", key.object_type().as_str());
                let unknown = Violation::field(format!("{field}.object_type"), Reason::ObjectTypeUnknown.summary());
                Ok(self.take(Err(Violation { reason: Reason::ObjectTypeUnknown, ..unknown })))
            }
            Err(error) => Err(error),
        }
    }

    /// The comment at `field`, with the policy it lives under; `None` if the id cannot be one.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], whatever else is wrong with the request.
    pub(crate) async fn comment<'c>(
        &mut self,
        comments: &'c Comments,
        caller: &Caller,
        field: &str,
        id: i64,
    ) -> Result<Option<(LocatedComment, &'c Policy)>> {
        match self.take(comment_id(field, id)) {
            Some(id) => comments.locate(caller, id).await.map(Some),
            None => Ok(None),
        }
    }
}
