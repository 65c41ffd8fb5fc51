//! The check of a subject's counts.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::page::CountReport;
use crate::domain::subject::SubjectKey;
use crate::read::Comments;

impl Comments {
    /// Compares every stored count of a subject with the counted rows.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], [`Error::SubjectNotFound`].
    pub async fn verify(&self, caller: &Caller, key: &SubjectKey) -> Result<CountReport> {
        caller.check_type(key.object_type())?;
        // A cache may not know yet that the subject was created.
        let rows = self.reader.primary().unwrap_or(self.reader.as_ref());
        let subject = rows.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        subject.ok_or(Error::SubjectNotFound)?;
        self.reader.verify(key).await
    }
}
