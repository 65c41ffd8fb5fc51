use std::time::Duration;

use super::{LeaseToken, OpenQuestions, Review, ReviewCause, ReviewCauses, ReviewLease, ReviewPriority};
use crate::domain::appeal::UndecidedAppeal;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

const MINUTES: fn(u64) -> Duration = |minutes| Duration::from_secs(minutes * 60);

fn member(id: &str) -> MemberId {
    MemberId::stored(id.to_owned())
}

fn review() -> Review {
    let id = CommentId::new(7).expect("positive");
    Review::new((id, id.into()), ObjectType::stored("video".to_owned()), member("ann"), true)
}

#[test]
fn every_cause_has_a_bit_of_its_own_and_belongs_to_one_question() {
    for (n, cause) in ReviewCause::ALL.into_iter().enumerate() {
        let causes = ReviewCauses::of(&[cause]);
        assert_eq!(causes.bits(), 1 << n, "{cause}");
        assert_eq!(ReviewCauses::from_bits(causes.bits()), Some(causes));
        assert_eq!(causes.questions().bits().count_ones(), 1, "{cause}");
        assert!(causes.iter().eq([cause]));
    }
    assert_eq!([256, -1].map(ReviewCauses::from_bits), [None; 2]);
    let questions = [ReviewCauses::TEXT, ReviewCauses::EDIT, ReviewCauses::APPEAL];
    assert_eq!(questions.map(|causes| causes.questions().bits()), [1, 2, 4]);
}

#[test]
fn a_review_moves_earlier_while_something_is_open_and_starts_anew_afterwards() {
    let (mut review, start) = (review(), Millis(1_000));
    review.add_cause(ReviewCause::Flag, start);
    assert_eq!(review.due_time, Some(start.plus(MINUTES(240))));
    review.add_cause(ReviewCause::New, start.plus(MINUTES(1)));
    assert_eq!(review.due_time, Some(start.plus(MINUTES(31))));
    review.add_cause(ReviewCause::Report, start.plus(MINUTES(2)));
    assert_eq!(review.due_time, Some(start.plus(MINUTES(31))), "never later");
    review.remove_causes(ReviewCauses::TEXT);
    assert_eq!((review.due_time, review.open().is_empty()), (None, true));
    review.add_cause(ReviewCause::Report, start.plus(MINUTES(60)));
    assert_eq!(review.due_time, Some(start.plus(MINUTES(300))));
}

#[test]
fn a_closed_review_keeps_causes_and_due_time_and_loses_its_lease() {
    let mut review = review();
    review.add_cause(ReviewCause::New, Millis(5));
    let due = review.due_time;
    review.lease = Some(ReviewLease { token: LeaseToken([1; 16]), holder: member("mod"), until: Millis(99) });
    assert!(review.other_lease(&member("other"), Millis(98)).is_some());
    assert_eq!(review.other_lease(&member("other"), Millis(99)), None, "the lease has ended");
    assert_eq!(review.other_lease(&member("mod"), Millis(98)), None, "the holder's own lease");
    review.close(true);
    assert!(review.open().is_empty() && review.lease.is_none());
    review.close(false);
    assert_eq!((review.causes, review.due_time), (ReviewCauses::of(&[ReviewCause::New]), due));
}

#[test]
fn a_corrected_review_is_open_exactly_where_the_state_requires_it() {
    let causes = ReviewCause::ALL.into_iter().map(Some).chain([None]);
    for (cause, is_closed) in causes.flat_map(|cause| [(cause, false), (cause, true)]) {
        for state in CommentState::ALL {
            let mut review = review();
            cause.into_iter().for_each(|cause| review.add_cause(cause, Millis(1)));
            review.close(is_closed);
            review.correct(state, None, None, Millis(2));
            let in_sight = !review.causes.intersection(ReviewCauses::IN_SIGHT).is_empty();
            let expected = match state {
                CommentState::Pending => true,
                CommentState::Active => in_sight,
                CommentState::Rejected | CommentState::Hidden | CommentState::Shadowed | CommentState::Deleted => false,
            };
            assert_eq!(review.open().bits() & 1 == 1, expected, "{cause:?}, closed: {is_closed}, {state}");
            let is_deleted = state == CommentState::Deleted;
            assert!(is_deleted || !review.open().intersects(OpenQuestions::EDIT), "no proposal waits");
            assert!(is_deleted || review.appealed().is_none(), "no appeal is undecided");
            let appeal = UndecidedAppeal { contested: 3, barred: member("judge") };
            review.correct(state, Some(4), Some(appeal), Millis(3));
            let appeals = review.open().intersects(OpenQuestions::APPEAL);
            assert_eq!(appeals, !is_deleted, "{cause:?}, {state}");
            assert!(is_deleted || review.appealed().is_some());
            assert_eq!(review.open().intersects(OpenQuestions::EDIT), !is_deleted, "{cause:?}, {state}");
            assert!(is_deleted || review.waiting_proposal() == Some(4));
        }
    }
}

#[test]
fn a_newer_proposal_replaces_an_earlier_one_and_moves_no_due_time() {
    let mut review = review();
    review.replace_proposal(ReviewCauses::EDIT, ReviewPriority::USUAL, Millis(1_000));
    let due = review.due_time;
    review.proposal = 1;
    assert_eq!(review.waiting_proposal(), Some(1));
    review.replace_proposal(ReviewCauses::of(&[ReviewCause::Edit]), ReviewPriority::USUAL, Millis(9_000));
    assert_eq!((review.causes, review.due_time), (ReviewCauses::of(&[ReviewCause::Edit]), due));
    review.remove_causes(ReviewCauses::EDIT);
    assert_eq!((review.waiting_proposal(), review.due_time), (None, None));
}

#[test]
fn a_priority_moves_a_review_earlier_and_never_later() {
    let (mut review, causes) = (review(), ReviewCauses::of(&[ReviewCause::Flag, ReviewCause::New]));
    review.add_causes(causes, ReviewPriority::new(50), Millis(0));
    assert_eq!(review.due_time, Some(Millis(0).plus(MINUTES(16))));
    review.add_causes(causes, ReviewPriority::USUAL, Millis(1));
    assert_eq!(review.due_time, Some(Millis(0).plus(MINUTES(16))));
    review.replace_proposal(ReviewCauses::EDIT, ReviewPriority::new(100), Millis(0).plus(MINUTES(1)));
    assert_eq!(review.due_time, Some(Millis(0).plus(MINUTES(3))));
}

#[test]
fn a_proposal_waits_for_an_outage_and_for_people() {
    use ReviewCause::{Edit, EditServiceUnavailable, Flag, New, ServiceUnavailable};
    for (of_text, expected) in [
        (&[] as &[ReviewCause], &[] as &[ReviewCause]),
        (&[New], &[Edit]),
        (&[New, Flag], &[Edit]),
        (&[ServiceUnavailable], &[EditServiceUnavailable]),
        (&[New, ServiceUnavailable], &[Edit, EditServiceUnavailable]),
        (&[Flag, ServiceUnavailable], &[Edit, EditServiceUnavailable]),
    ] {
        assert_eq!(ReviewCauses::of(of_text).of_proposal(), ReviewCauses::of(expected), "{of_text:?}");
    }
}

#[test]
fn a_rejection_is_stored_as_the_time_until_which_its_author_finds_the_comment() {
    let mut review = review();
    assert_eq!(review.reject_time(), None);
    review.reject(Millis(5));
    assert_eq!((review.reject_time(), review.unlisted_until), (Some(Millis(5)), Some(Millis(5 + 7 * 86_400_000))));
}
