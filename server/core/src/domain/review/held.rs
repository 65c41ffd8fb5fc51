//! Texts that wait for nothing but a service that could not be asked about them.

use super::{Review, ReviewCause, ReviewCauses, ReviewPriority};
use crate::domain::time::Millis;

/// A text of a comment that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitingText {
    /// The text of the comment.
    Present,
    /// The proposed edit.
    Proposed,
}

impl WaitingText {
    /// The causes of the questions that a verdict on the text closes, the one that an outage adds,
    /// and the one that is for people.
    const fn causes(self) -> (ReviewCauses, ReviewCause, ReviewCause) {
        match self {
            Self::Present => {
                let judged = ReviewCauses::TEXT.union(ReviewCauses::APPEAL);
                (judged, ReviewCause::ServiceUnavailable, ReviewCause::Flag)
            }
            Self::Proposed => (ReviewCauses::EDIT, ReviewCause::EditServiceUnavailable, ReviewCause::Edit),
        }
    }
}

impl Review {
    /// Returns `true` if nothing but an outage is the reason that this text waits. Then a service
    /// alone may judge it.
    #[must_use]
    pub fn waits_for_service(&self, text: WaitingText) -> bool {
        let (judged, outage, _) = text.causes();
        !self.is_closed && self.causes.intersection(judged) == ReviewCauses::of(&[outage])
    }

    /// Returns `true` if at the time `now` nothing of this review is for moderators yet: it waits
    /// for services alone, and is not due.
    #[must_use]
    pub fn is_left_to_services(&self, now: Millis) -> bool {
        let is_due = self.due_time.is_none_or(|due| due <= now);
        !self.causes.is_empty() && self.causes.without(ReviewCauses::OUTAGE).is_empty() && !is_due
    }

    /// Leaves a text that waited for a service to moderators, at the time `now`. It is due no
    /// later.
    pub fn refer(&mut self, text: WaitingText, priority: ReviewPriority, now: Millis) {
        let (_, outage, of_people) = text.causes();
        self.add_causes(ReviewCauses::of(&[of_people]), priority, now);
        self.remove_causes(ReviewCauses::of(&[outage]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Review, ReviewCause, ReviewCauses, ReviewPriority};
    use super::WaitingText::{Present, Proposed};
    use crate::domain::ids::{CommentId, SubjectId};
    use crate::domain::member::MemberId;
    use crate::domain::object_type::ObjectType;
    use crate::domain::time::Millis;

    fn review(causes: &[ReviewCause]) -> Review {
        let (id, member) = (CommentId::new(7).unwrap(), MemberId::stored("m7".to_owned()));
        let subject = SubjectId::from(id);
        let mut review = Review::new((id, subject), ObjectType::stored("film".to_owned()), member, true);
        causes.iter().for_each(|cause| review.add_cause(*cause, Millis(0)));
        review
    }

    #[test]
    fn a_text_waits_for_a_service_alone_only_without_another_cause_of_its_question() {
        use ReviewCause::{Appeal, Edit, EditServiceUnavailable, Flag, New, Report, ServiceUnavailable, Withheld};
        for (causes, present, proposed) in [
            (&[][..], false, false),
            (&[ServiceUnavailable], true, false),
            (&[EditServiceUnavailable], false, true),
            (&[ServiceUnavailable, EditServiceUnavailable], true, true),
            (&[ServiceUnavailable, New], false, false),
            (&[ServiceUnavailable, Flag], false, false),
            (&[ServiceUnavailable, Report], false, false),
            (&[ServiceUnavailable, Withheld], false, false),
            (&[ServiceUnavailable, Appeal], false, false),
            (&[EditServiceUnavailable, Edit, ServiceUnavailable], true, false),
            (&[EditServiceUnavailable, Report], false, true),
        ] {
            let mut review = review(causes);
            let waits = |review: &Review| [Present, Proposed].map(|text| review.waits_for_service(text));
            assert_eq!(waits(&review), [present, proposed], "{causes:?}");
            review.close(true);
            assert_eq!(waits(&review), [false, false], "the comment is deleted");
        }
    }

    #[test]
    fn what_is_left_to_people_has_their_cause_and_is_due_no_later() {
        for (cause, text, expected) in [
            (ReviewCause::ServiceUnavailable, Present, ReviewCause::Flag),
            (ReviewCause::EditServiceUnavailable, Proposed, ReviewCause::Edit),
        ] {
            let mut review = review(&[cause]);
            let due = review.due_time;
            review.refer(text, ReviewPriority::USUAL, Millis(5));
            assert_eq!((review.causes, review.due_time), (ReviewCauses::of(&[expected]), due));
            assert!(!review.waits_for_service(text));
        }
    }

    #[test]
    fn what_a_service_leaves_to_people_is_due_by_its_priority() {
        let mut review = review(&[ReviewCause::ServiceUnavailable]);
        review.refer(Present, ReviewPriority::new(100), Millis(5));
        assert_eq!(review.due_time, Some(Millis(120_005)));
    }
}
