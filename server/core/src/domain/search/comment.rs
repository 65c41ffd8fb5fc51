//! The properties of a comment that a filter can ask for.

use crate::domain::act::CommentAct;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::member::MemberId;
use crate::domain::review::{OpenQuestions, ReviewCause, ReviewCauses};
use crate::domain::search::TextKey;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

/// The properties of a comment that a filter can ask for, from its rows of one time. Its object
/// type and the state of its subject are none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentFacts<'c> {
    /// The object id of its subject.
    pub subject: &'c str,
    /// Its author.
    pub member: &'c MemberId,
    /// The members that its text mentions.
    pub mentions: &'c [MemberId],
    /// The hosts of the links in its text, in small letters and without a final dot.
    pub links: &'c [String],
    /// The key of its text; `None` if the text has no tokens.
    pub text_key: Option<TextKey>,
    /// The code points of its text.
    pub length: i32,
    /// The root of its thread; `None` for a root.
    pub root: Option<CommentId>,
    /// The comment that it replies to; `None` if it replies to none.
    pub parent: Option<CommentId>,
    /// The number of steps below its root; 0 for a root.
    pub depth: i32,
    /// Its state.
    pub state: CommentState,
    /// The role of its deleter; `None` unless it is deleted.
    pub deleted_by: Option<DeletedBy>,
    /// `true` if the service itself erased it. Then no filter matches.
    pub erased: bool,
    /// The questions that are open on it as if its subject were not deleted.
    pub open: OpenQuestions,
    /// The act of its newest decision; `None` if nothing was decided.
    pub act: Option<CommentAct>,
    /// The code of its newest decision; `None` if nothing was decided, or without a code.
    pub code: Option<&'c str>,
    /// The reports that no decision has settled.
    pub reports: i32,
    /// The decisions on it.
    pub decisions: i32,
    /// The time of its creation.
    pub create_time: Millis,
    /// The time of its last edit; `None` if it was never edited.
    pub edit_time: Option<Millis>,
}

/// Returns the questions that are open on a comment of this state with these causes, as if its
/// subject were not deleted. Nothing is open on a deleted comment.
#[must_use]
pub fn open_questions(state: CommentState, causes: ReviewCauses) -> OpenQuestions {
    if state == CommentState::Deleted {
        return ReviewCauses::NONE.questions();
    }
    let has_reason = !causes.intersection(ReviewCauses::IN_SIGHT).is_empty();
    let is_text_open = state == CommentState::Pending || state == CommentState::Active && has_reason;
    let text = if is_text_open { ReviewCauses::of(&[ReviewCause::New]) } else { ReviewCauses::NONE };
    causes.without(ReviewCauses::TEXT).union(text).questions()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_open_while_it_waits_or_is_in_sight_with_a_reason() {
        use CommentState::{Active, Deleted, Hidden, Pending, Rejected, Shadowed};
        let text = OpenQuestions::TEXT;
        let of = |causes: &[ReviewCause]| ReviewCauses::of(causes);
        for cause in [ReviewCause::Flag, ReviewCause::Report, ReviewCause::ServiceUnavailable] {
            assert_eq!(open_questions(Active, of(&[cause])), text, "{cause}");
            for state in [Rejected, Hidden, Shadowed, Deleted] {
                assert!(open_questions(state, of(&[cause])).is_empty(), "{state} {cause}");
            }
        }
        assert_eq!(open_questions(Pending, ReviewCauses::NONE), text);
        assert!(open_questions(Active, of(&[ReviewCause::New, ReviewCause::Withheld])).is_empty());
    }

    #[test]
    fn proposals_and_appeals_are_open_in_every_state_but_deleted() {
        let causes = ReviewCauses::of(&[ReviewCause::EditServiceUnavailable, ReviewCause::Appeal]);
        for state in CommentState::ALL {
            let open = open_questions(state, causes);
            let is_open = state != CommentState::Deleted;
            assert_eq!(open.intersects(OpenQuestions::EDIT), is_open, "{state}");
            assert_eq!(open.intersects(OpenQuestions::APPEAL), is_open, "{state}");
            assert_eq!(open.intersects(OpenQuestions::TEXT), state == CommentState::Pending, "{state}");
        }
    }
}
