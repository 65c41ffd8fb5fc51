//! Every entry of the outbox that a commit can write is read as it was written.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use riposte_core::event::{
    ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, DecisionNumbers, Event, ModerationDetails, Notice,
    NoticeReason,
};
use riposte_core::{CommentId, CommentState, MemberId, Millis, SubjectId};
use sea_orm::TryIntoModel;

use super::super::{commit_model, events};
use super::id;

/// The effect of a commit on one comment.
type CommentEffect = (Option<CommentId>, Vec<ChangeKind>, CommentOutcome, Vec<Notice>);

fn state() -> impl Strategy<Value = CommentState> {
    use CommentState::{Active, Deleted, Hidden, Pending, Rejected};
    prop_oneof![Just(Active), Just(Pending), Just(Rejected), Just(Hidden), Just(Deleted)]
}

fn details() -> impl Strategy<Value = ModerationDetails> {
    let decisions = option::of((1..1_000, 0..9))
        .prop_map(|numbers| numbers.map(|(first, more)| DecisionNumbers { first, last: first + more }));
    (decisions, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(decisions, held, proposed, reported)| ModerationDetails { decisions, held, proposed, reported })
}

fn outcome() -> impl Strategy<Value = CommentOutcome> {
    use ActorKind::{Author, Import, Moderator, Owner};
    let actor = prop_oneof![Just(Author), Just(Owner), Just(Moderator), Just(Import)];
    (actor, option::of(state()), state(), 1..i64::MAX, any::<bool>(), details()).prop_map(
        |(actor, before, after, version, first_publication, moderation)| CommentOutcome {
            actor,
            before,
            after,
            version,
            first_publication,
            moderation,
        },
    )
}

fn notices() -> impl Strategy<Value = Vec<Notice>> {
    use NoticeReason::{Mention, Owner, Reply, Thread};
    let reason = prop_oneof![Just(Reply), Just(Mention), Just(Owner), Just(Thread)];
    let notice = ("[a-z楼]{1,9}", reason);
    vec(notice.prop_map(|(name, reason)| Notice { member: MemberId::stored(name), reason }), 0..5)
}

fn changed() -> impl Strategy<Value = CommentEffect> {
    use ChangeKind::{Created, Edited, Liked, Noted, PinChanged, Recounted, StateChanged};
    let kind =
        prop_oneof![Just(Edited), Just(StateChanged), Just(PinChanged), Just(Liked), Just(Recounted), Just(Noted)];
    let root = option::of((1..i64::MAX).prop_map(id));
    (root, vec(kind, 1..4), outcome(), notices()).prop_map(|(root, mut kinds, outcome, notices)| {
        if outcome.before.is_none() {
            kinds.insert(0, Created);
        }
        kinds.sort_unstable();
        kinds.dedup();
        (root, kinds, outcome, notices)
    })
}

/// Returns the changes of a commit, in the form in which they are read.
fn changes(comments: std::collections::BTreeMap<i64, CommentEffect>, subject: bool) -> Changes {
    let mut changes = Changes { subject, ..Changes::default() };
    for (comment, (root, kinds, outcome, notices)) in comments {
        let comment = id(comment);
        let has_outcome = kinds.iter().any(|kind| kind.has_outcome());
        changes.comments.extend(kinds.into_iter().map(|kind| CommentChange { id: comment, root, kind }));
        if has_outcome && outcome != CommentOutcome::PUBLISHED {
            changes.outcomes.insert(comment, Some(outcome));
        }
        if has_outcome && !notices.is_empty() {
            changes.notices.insert(comment, notices);
        }
    }
    changes
}

proptest! {
    #[test]
    fn an_entry_is_read_as_it_was_written(
        comments in btree_map(1..i64::MAX, changed(), 0..6),
        subject in any::<bool>(),
        revision in option::of(1..i64::MAX),
    ) {
        let of = SubjectId::from(id(5));
        let changes = changes(comments, subject);
        let partition = CommentId::from(of).partition();
        let written = vec![Event { partition, subject: of, revision, changes, time: Millis(8) }];
        let row = commit_model(id(3), &written).try_into_model().expect("every column is set");
        prop_assert_eq!(events(&row), Some(written));
    }
}
