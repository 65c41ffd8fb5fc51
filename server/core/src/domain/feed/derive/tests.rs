use std::collections::BTreeMap;

use super::derive;
use crate::domain::event::{
    ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, DecisionNumbers, Event, ModerationDetails, Notice,
    NoticeReason,
};
use crate::domain::feed::{EventComment, EventKind, EventPosition, EventScope, FeedEvent};
use crate::domain::ids::{CommentId, Partition};
use crate::domain::member::MemberId;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use ChangeKind::{Created, Edited, Liked, Noted, PinChanged, Recounted, StateChanged};
use CommentState::{Active, Deleted, Hidden, Pending, Rejected};

fn id(number: i64) -> CommentId {
    CommentId::new(number).expect("positive")
}

fn entry(changes: &[(i64, ChangeKind)], outcomes: BTreeMap<CommentId, Option<CommentOutcome>>) -> Event {
    let change = |(number, kind): &(i64, ChangeKind)| CommentChange { id: id(*number), root: None, kind: *kind };
    let changes = Changes { comments: changes.iter().map(change).collect(), outcomes, ..Changes::default() };
    let partition = Partition::number(0);
    Event { partition, subject: id(900).into(), revision: Some(7), changes, time: Millis(5) }
}

fn outcome(before: Option<CommentState>, after: CommentState, first_publication: bool) -> CommentOutcome {
    let moderation = ModerationDetails::NONE;
    CommentOutcome { actor: ActorKind::Moderator, before, after, version: 2, first_publication, moderation }
}

/// Returns the names of events, each with `*` if only moderators receive it.
fn names(entry: &Event) -> Vec<String> {
    let name = |event: super::DerivedEvent| {
        let mark = if event.scope == EventScope::Public { "" } else { "*" };
        format!("{:?}{mark}", event.kind)
    };
    derive(entry).into_iter().map(name).collect()
}

#[test]
fn events_are_the_net_effect_of_a_batch_but_a_first_publication_always_is_one() {
    type Case = (&'static [ChangeKind], Option<CommentState>, CommentState, bool, &'static [&'static str]);
    let cases: [Case; 24] = [
        (&[Created], None, Active, true, &["CommentPublished"]),
        (&[Created, Edited], None, Active, true, &["CommentPublished"]),
        (&[Created, StateChanged], None, Hidden, true, &["CommentPublished", "CommentWithdrawn"]),
        (&[Created, StateChanged], None, Deleted, true, &["CommentPublished", "CommentDeleted"]),
        (&[Created], None, Pending, false, &[]),
        (&[Created], None, Hidden, false, &[]),
        (&[StateChanged], Some(Pending), Active, true, &["CommentPublished"]),
        (&[StateChanged, Edited], Some(Pending), Active, true, &["CommentPublished"]),
        (&[StateChanged], Some(Pending), Rejected, false, &[]),
        (&[StateChanged], Some(Pending), Deleted, false, &["CommentDeleted*"]),
        (&[Edited], Some(Pending), Pending, false, &["CommentEdited*"]),
        (&[Edited], Some(Active), Active, false, &["CommentEdited"]),
        (&[StateChanged], Some(Active), Hidden, false, &["CommentWithdrawn"]),
        (&[Edited, StateChanged], Some(Active), Pending, false, &["CommentEdited*", "CommentWithdrawn"]),
        (&[StateChanged], Some(Active), Deleted, false, &["CommentDeleted"]),
        (&[StateChanged], Some(Hidden), Active, false, &["CommentRestored"]),
        (&[Edited, StateChanged], Some(Hidden), Active, false, &["CommentEdited", "CommentRestored"]),
        (&[StateChanged], Some(Deleted), Active, false, &["CommentRestored"]),
        (&[StateChanged], Some(Deleted), Hidden, false, &["CommentRestored*"]),
        (&[StateChanged], Some(Hidden), Deleted, false, &["CommentDeleted*"]),
        (&[StateChanged], Some(Hidden), Rejected, false, &[]),
        (&[StateChanged], Some(Deleted), Deleted, false, &[]),
        (&[StateChanged, StateChanged], Some(Active), Active, false, &[]),
        (&[Noted], Some(Active), Active, false, &[]),
    ];
    for (kinds, before, after, first_publication, expected) in cases {
        let changes: Vec<_> = kinds.iter().map(|kind| (1, *kind)).collect();
        let entry = entry(&changes, [(id(1), Some(outcome(before, after, first_publication)))].into());
        assert_eq!(names(&entry), expected, "{kinds:?} from {before:?} to {after:?}, first: {first_publication}");
    }
}

#[test]
fn the_subject_comes_first_and_comments_follow_in_the_order_of_their_first_changes() {
    let decided = ModerationDetails {
        decisions: Some(DecisionNumbers { first: 3, last: 4 }),
        held: true,
        proposed: true,
        reported: true,
    };
    let hidden = CommentOutcome { moderation: decided, ..outcome(Some(Active), Hidden, false) };
    let changes = [(2, PinChanged), (1, Created), (2, StateChanged), (3, Liked), (1, Recounted), (4, Created)];
    let mut entry = entry(&changes, [(id(2), Some(hidden))].into());
    entry.changes.subject = true;
    let events = derive(&entry);
    let names: Vec<_> = events.iter().map(|event| (event.comment.map_or(0, CommentId::get), event.kind)).collect();
    let expected = [
        (0, EventKind::SubjectChanged),
        (2, EventKind::CommentWithdrawn),
        (2, EventKind::CommentPinChanged),
        (2, EventKind::EditProposed),
        (2, EventKind::CommentHeld),
        (2, EventKind::CommentReported),
        (2, EventKind::CommentDecided),
        (2, EventKind::CommentDecided),
        (1, EventKind::CommentPublished),
        (4, EventKind::CommentPublished),
    ];
    assert_eq!(names, expected);
    let moderation: Vec<_> = events.iter().filter_map(|event| event.moderation).collect();
    assert!(moderation.iter().all(|details| (details.from, details.to) == (Some(Active), Hidden)));
    let decisions: Vec<_> = moderation.iter().filter_map(|details| Some(details.decision?.number)).collect();
    assert_eq!((moderation.len(), decisions), (5, vec![3, 4]));
    assert!(events.iter().all(|event| (event.revision, event.time) == (7, Millis(5))));
}

#[test]
fn members_are_named_once_by_the_first_event_that_shows_a_text() {
    let notice = Notice { member: MemberId::stored("bob".to_owned()), reason: NoticeReason::Mention };
    let named = |kinds: &[ChangeKind], before, after, first| {
        let changes: Vec<_> = kinds.iter().map(|kind| (1, *kind)).collect();
        let mut entry = entry(&changes, [(id(1), Some(outcome(before, after, first)))].into());
        entry.changes.notices.insert(id(1), vec![notice.clone()]);
        let events = derive(&entry);
        let to_moderators = events.iter().filter(|event| event.scope == EventScope::Moderation);
        assert_eq!(to_moderators.map(|event| event.notices.len()).sum::<usize>(), 0);
        events.iter().map(|event| event.notices.len()).collect::<Vec<_>>()
    };
    assert_eq!(named(&[Created, StateChanged], None, Hidden, true), [1, 0]);
    assert_eq!(named(&[Edited], Some(Active), Active, false), [1]);
    assert_eq!(named(&[Edited, StateChanged], Some(Hidden), Active, false), [1, 0]);
    assert_eq!(named(&[Edited, StateChanged], Some(Active), Hidden, false), [1, 0]);
    assert_eq!(named(&[Edited, StateChanged], Some(Active), Deleted, false), [1, 0]);
    assert_eq!(named(&[StateChanged], Some(Active), Hidden, false), [0], "a receiver hides the notices");
    assert_eq!(named(&[Edited], Some(Hidden), Hidden, false), [0], "nothing is in sight");
}

#[test]
fn an_entry_without_outcome_takes_its_indices_and_follows_the_present_row() {
    let entry = entry(&[(1, Edited), (1, StateChanged), (2, Created)], BTreeMap::new());
    let events = derive(&entry);
    assert_eq!(events.iter().map(|event| event.follows_row).collect::<Vec<_>>(), [true, true, false]);
    let key = SubjectKey::stored("video".to_owned(), "1".to_owned());
    let at = |state| {
        let row = EventComment { parent: None, member: MemberId::stored("m".to_owned()), state };
        let complete = |(index, event): (u32, &super::DerivedEvent)| {
            let position = EventPosition { number: 9, index };
            FeedEvent::new((0, position), event.clone(), key.clone(), Some(&row))
        };
        let completed = (0..).zip(&events[..2]).map(complete);
        completed.map(|event| event.map(|found| (found.event.kind, found.event.scope))).collect::<Vec<_>>()
    };
    let (public, moderation) = (EventScope::Public, EventScope::Moderation);
    assert_eq!(at(Active), [Some((EventKind::CommentEdited, public)), Some((EventKind::CommentRestored, public))]);
    assert_eq!(at(Hidden), [Some((EventKind::CommentEdited, moderation)), Some((EventKind::CommentWithdrawn, public))]);
    assert_eq!(at(Deleted), [Some((EventKind::CommentEdited, moderation)), Some((EventKind::CommentDeleted, public))]);
    assert_eq!(at(Pending), [Some((EventKind::CommentEdited, moderation)), None]);
}
