//! Trials of texts: what the policy would do with them.

use async_trait::async_trait;

use crate::domain::checked_text::CheckedText;
use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;

/// A text to try.
#[derive(Debug, Clone, Copy)]
pub struct TextQuestion<'q> {
    /// The type of its subject.
    pub object_type: &'q ObjectType,
    /// The content, as a member would send it.
    pub content: &'q Content,
    /// The member; `None` for one of which nothing is known.
    pub member: Option<&'q MemberId>,
    /// The days since the member joined; `None` if it is not known.
    pub age: Option<u32>,
    /// The id by which the filter is asked, too, where the object type uses it; `None` for lists
    /// and rules alone.
    pub filtered_as: Option<CommentId>,
}

/// Says what the policy would do with a text. Nothing is stored, and no judgement is counted.
#[async_trait]
pub trait TextCheck: Send + Sync + std::fmt::Debug {
    /// Checks a new text as it would be judged now. Rules compare what is known of the member, and
    /// its standing has no effect.
    ///
    /// # Errors
    /// Those of a reader.
    async fn check(&self, question: TextQuestion<'_>) -> Result<CheckedText>;
}
