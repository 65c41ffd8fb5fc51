//! Golden bytes of the outbox: a process of another version reads the rows that this version
//! writes.

use std::collections::BTreeSet;
use std::fmt::Write;

use riposte_core::event::{
    ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, DecisionNumbers, Event, ModerationDetails, Notice,
    NoticeReason,
};
use riposte_core::{CommentState, MemberId, Millis, SubjectId};
use sea_orm::TryIntoModel;

use super::super::{commit_model, events};
use super::id;

const GOLDEN: &str = include_str!("../../../../golden/outbox.txt");
/// The entries with outcomes, which older versions neither wrote nor read.
const OUTCOMES: &str = include_str!("../../../../golden/outbox_outcomes.txt");

/// The entries with notices and with details of moderation, of which older versions read the rest.
const NOTICES: &str = include_str!("../../../../golden/outbox_notices.txt");

fn event(subject: i64, revision: Option<i64>, changes: Changes) -> Event {
    let subject = SubjectId::from(id(subject));
    Event { partition: riposte_core::CommentId::from(subject).partition(), subject, revision, changes, time: Millis(8) }
}

fn of_comments(changes: &[(i64, Option<i64>, ChangeKind)]) -> Changes {
    let change = |(comment, root, what): &(i64, Option<i64>, ChangeKind)| CommentChange {
        id: id(*comment),
        root: root.map(id),
        kind: *what,
    };
    Changes { comments: changes.iter().map(change).collect(), ..Changes::default() }
}

/// Returns a commit for each kind of change, and one with everything that a commit can have.
fn commits() -> Vec<(&'static str, Vec<Event>)> {
    let single_change = |what| vec![event(5, Some(9), of_comments(&[(77, None, what)]))];
    let likers: BTreeSet<_> = ["楼主", "bob"].map(|name| MemberId::stored(name.to_owned())).into();
    let subject = Changes { subject: true, ..Changes::default() };
    let liked = Changes { likers: likers.clone(), ..of_comments(&[(77, Some(70), ChangeKind::Liked)]) };
    let both_kinds = Changes {
        likers,
        subject: true,
        ..of_comments(&[(77, Some(70), ChangeKind::Created), (i64::MAX, Some(1), ChangeKind::StateChanged)])
    };
    vec![
        ("nothing", Vec::new()),
        ("created", single_change(ChangeKind::Created)),
        ("edited", single_change(ChangeKind::Edited)),
        ("state_changed", single_change(ChangeKind::StateChanged)),
        ("pin_changed", single_change(ChangeKind::PinChanged)),
        ("liked", vec![event(5, None, liked)]),
        ("recounted", single_change(ChangeKind::Recounted)),
        ("subject", vec![event(5, Some(9), subject.clone())]),
        ("two_subjects", vec![event(i64::MAX, Some(i64::MAX), both_kinds), event(6, Some(1), subject)]),
    ]
}

/// Returns the outcomes that a commit can have for comment 77.
fn outcomes() -> Vec<(&'static str, ChangeKind, CommentOutcome)> {
    use CommentState::{Active, Deleted, Hidden, Pending, Rejected, Shadowed};
    let outcome = |actor, before, after, version, first_publication| CommentOutcome {
        actor,
        before,
        after,
        version,
        first_publication,
        moderation: ModerationDetails::NONE,
    };
    let (created, edited, moved) = (ChangeKind::Created, ChangeKind::Edited, ChangeKind::StateChanged);
    let (author, owner) = (ActorKind::Author, ActorKind::Owner);
    let (moderator, import) = (ActorKind::Moderator, ActorKind::Import);
    vec![
        ("created_by_import", created, outcome(import, None, Active, 1, true)),
        ("created_hidden_by_import", created, outcome(import, None, Hidden, 1, false)),
        ("created_and_edited", created, outcome(author, None, Active, 2, true)),
        ("created_and_hidden", created, outcome(moderator, None, Hidden, 2, true)),
        ("created_pending", created, outcome(author, None, Pending, 1, false)),
        ("edited_by_author", edited, outcome(author, Some(Active), Active, 2, false)),
        ("edited_and_deleted", edited, outcome(author, Some(Active), Deleted, 300, false)),
        ("hidden", moved, outcome(moderator, Some(Active), Hidden, 2, false)),
        ("unhidden", moved, outcome(moderator, Some(Hidden), Active, 3, false)),
        ("deleted_by_owner", moved, outcome(owner, Some(Rejected), Deleted, 4, false)),
        ("approved", moved, outcome(moderator, Some(Pending), Active, 2, true)),
        ("unshadowed", moved, outcome(moderator, Some(Shadowed), Active, i64::MAX, false)),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string accepts every write");
        hex
    })
}

#[test]
fn an_outcome_keeps_its_golden_bytes_and_is_read_from_them() {
    let mut lines = String::new();
    for (case, what, outcome) in outcomes() {
        let changes = Changes { outcomes: [(id(77), Some(outcome))].into(), ..of_comments(&[(77, None, what)]) };
        let events_of_case = vec![event(5, Some(9), changes)];
        let row = commit_model(id(3), &events_of_case).try_into_model().expect("every column is set");
        writeln!(lines, "{case} {}", hex(&row.events)).expect("a string accepts every write");
        assert_eq!(events(&row), Some(events_of_case), "{case}");
    }
    assert!(OUTCOMES == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}

/// Returns changes of comment 77 with notices or details of moderation.
fn noted() -> Vec<(&'static str, Changes)> {
    let of = |kind, outcome: Option<CommentOutcome>, notices: &[(&str, NoticeReason)]| {
        let notice = |(name, reason): &(&str, NoticeReason)| Notice {
            member: MemberId::stored((*name).to_owned()),
            reason: *reason,
        };
        let notices: Vec<Notice> = notices.iter().map(notice).collect();
        Changes {
            outcomes: outcome.map(|outcome| (id(77), Some(outcome))).into_iter().collect(),
            notices: (!notices.is_empty()).then_some((id(77), notices)).into_iter().collect(),
            ..of_comments(&[(77, Some(70), kind)])
        }
    };
    let in_sight = |moderation| CommentOutcome {
        before: Some(CommentState::Active),
        first_publication: false,
        moderation,
        ..CommentOutcome::PUBLISHED
    };
    let none = ModerationDetails::NONE;
    let decided = |first, last| ModerationDetails { decisions: Some(DecisionNumbers { first, last }), ..none };
    let held = CommentOutcome {
        after: CommentState::Pending,
        first_publication: false,
        moderation: ModerationDetails { held: true, ..none },
        ..CommentOutcome::PUBLISHED
    };
    let all = [
        ("bob", NoticeReason::Reply),
        ("楼主", NoticeReason::Mention),
        ("owner", NoticeReason::Owner),
        ("root", NoticeReason::Thread),
    ];
    let moderator = |moderation| CommentOutcome { actor: ActorKind::Moderator, ..in_sight(moderation) };
    let edited = CommentOutcome { version: 2, ..in_sight(none) };
    vec![
        ("created_plain", of(ChangeKind::Created, None, &[])),
        ("created_reply", of(ChangeKind::Created, None, &all[..1])),
        ("created_with_all_reasons", of(ChangeKind::Created, None, &all)),
        ("created_held", of(ChangeKind::Created, Some(held), &[])),
        ("edited_with_mention", of(ChangeKind::Edited, Some(edited), &all[1..2])),
        ("reported", of(ChangeKind::Noted, Some(in_sight(ModerationDetails { reported: true, ..none })), &[])),
        ("kept", of(ChangeKind::Noted, Some(moderator(decided(3, 3))), &[])),
        ("decided_twice", of(ChangeKind::StateChanged, Some(moderator(decided(1, 2))), &[])),
        ("proposed", of(ChangeKind::Noted, Some(in_sight(ModerationDetails { proposed: true, ..none })), &[])),
    ]
}

#[test]
fn notices_and_details_of_moderation_keep_their_golden_bytes_and_are_read_from_them() {
    let mut lines = String::new();
    for (case, changes) in noted() {
        let events_of_case = vec![event(5, Some(9), changes)];
        let row = commit_model(id(3), &events_of_case).try_into_model().expect("every column is set");
        writeln!(lines, "{case} {}", hex(&row.events)).expect("a string accepts every write");
        assert_eq!(events(&row), Some(events_of_case), "{case}");
    }
    assert!(NOTICES == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}

#[test]
fn the_outcome_is_beside_a_change_that_an_older_version_knows() {
    let kinds = [ChangeKind::Noted, ChangeKind::StateChanged].map(|what| (77, None, what));
    let outcome = CommentOutcome { before: Some(CommentState::Active), version: 2, ..CommentOutcome::PUBLISHED };
    let changes = Changes { outcomes: [(id(77), Some(outcome))].into(), ..of_comments(&kinds) };
    let alone = |what| Changes { outcomes: changes.outcomes.clone(), ..of_comments(&[(77, None, what)]) };
    let bytes = |changes: &Changes| {
        let row = commit_model(id(3), &[event(5, Some(9), changes.clone())]).try_into_model().expect("every column");
        hex(&row.events)
    };
    // The encoded change with the outcome ends the entry of the state that changed alone.
    let of_state = bytes(&alone(ChangeKind::StateChanged));
    let of_change = of_state.split_once("4d00").expect("the id of the comment").1;
    assert!(bytes(&changes).ends_with(of_change), "{} {of_change}", bytes(&changes));
    let row = commit_model(id(3), &[event(5, Some(9), changes.clone())]).try_into_model().expect("every column");
    assert_eq!(events(&row).expect("readable")[0].changes, changes);
}

#[test]
fn an_outcome_is_stored_at_the_first_change_that_has_one_and_takes_no_byte_for_a_plain_create() {
    let kinds = [ChangeKind::Liked, ChangeKind::Created, ChangeKind::Edited].map(|what| (77, None, what));
    let edited = CommentOutcome { version: 2, ..CommentOutcome::PUBLISHED };
    let changes = Changes { outcomes: [(id(77), Some(edited))].into(), ..of_comments(&kinds) };
    let length = |changes| commit_model(id(3), &[event(5, Some(9), changes)]).events.take().map(|bytes| bytes.len());
    let base_length = length(of_comments(&kinds));
    assert_eq!(length(changes.clone()), base_length.map(|bytes| bytes + 2), "one version, at one of the three");
    let plain = Changes { outcomes: [(id(77), Some(CommentOutcome::PUBLISHED))].into(), ..of_comments(&kinds) };
    assert_eq!(length(plain), base_length);
    let row = commit_model(id(3), &[event(5, Some(9), changes.clone())]).try_into_model().expect("every column");
    assert_eq!(events(&row).expect("readable")[0].changes, changes);
}

#[test]
fn entries_of_older_versions_have_the_outcome_of_a_plain_create_or_none() {
    for (case, events_of_case) in commits() {
        for (event, comment) in
            events_of_case.iter().flat_map(|event| event.changes.comments.iter().map(move |change| (event, change)))
        {
            let expected = (comment.kind == ChangeKind::Created).then_some(CommentOutcome::PUBLISHED);
            assert_eq!(event.changes.outcome(comment.id), expected, "{case}");
        }
    }
}

#[test]
fn a_commit_keeps_its_golden_bytes_and_is_read_from_them() {
    let mut lines = String::new();
    for (case, events_of_case) in commits() {
        let row = commit_model(id(3), &events_of_case).try_into_model().expect("every column is set");
        lines.push_str(case);
        lines.push(' ');
        row.events.iter().for_each(|byte| write!(lines, "{byte:02x}").expect("a string accepts every write"));
        lines.push('\n');
        assert_eq!(events(&row), Some(events_of_case), "{case}");
    }
    assert!(GOLDEN == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}
