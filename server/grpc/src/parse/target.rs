//! Resolves the subject or comment that a request names, with the policy that applies to it.
//!
//! A missing object, and one that the caller is not allowed to know about, end the call at once. An
//! unregistered object type is a violation of its field and is reported with the others.

use riposte_core::location::CommentLocation;
use riposte_core::{Caller, Comments, Error, Policy, Reason, Result, SubjectKey, Violation};
use riposte_sdk::v1;

use super::{Violations, comment_id, subject_key};

impl Violations {
    /// Returns the subject at `field`, with the policy of its type; `None` if the field is invalid.
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
                self.add_metadata("object_type", key.object_type().as_str());
                let unknown = Violation::field(format!("{field}.object_type"), Reason::ObjectTypeUnknown.summary());
                Ok(self.take(Err(Violation { reason: Reason::ObjectTypeUnknown, ..unknown })))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the comment at `field`, with the policy that applies to it; `None` if the id is
    /// invalid.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], whatever else is wrong with the request.
    pub(crate) async fn comment<'c>(
        &mut self,
        comments: &'c Comments,
        caller: &Caller,
        field: &str,
        id: i64,
    ) -> Result<Option<(CommentLocation, &'c Policy)>> {
        match self.take(comment_id(field, id)) {
            Some(id) => comments.locate(caller, id).await.map(Some),
            None => Ok(None),
        }
    }
}
