//! The rows of the outbox. The events of a commit are one encoded message, because they are read as
//! a whole.

mod notice;
mod outcome;

use std::collections::BTreeSet;

use prost::Message;
use riposte_core::event::{ChangeKind, Changes, CommentChange, Event};
use riposte_core::{CommentId, MemberId, Millis, SubjectId};
use sea_orm::ActiveValue::Set;

use crate::shard::part;
use crate::sql::entity::{outbox_commit, outbox_revision};

#[expect(unreachable_pub, reason = "generated messages are public; none leaves the crate")]
mod internal {
    include!("generated/riposte.internal.v1.rs");
}

use internal::{OutboxChange, OutboxChanges, OutboxComment, OutboxCommit, OutboxEvent};

/// Returns the row of a commit without a sequence number. All its events have the same time. Its
/// partition is that of its id; a commit of a confined store changes no other.
pub(crate) fn commit_model(id: CommentId, events: &[Event]) -> outbox_commit::ActiveModel {
    let event = |event: &Event| OutboxEvent {
        subject_id: event.subject.get().cast_unsigned(),
        revision: event.revision.unwrap_or(0),
        changes: Some(message(&event.changes)),
    };
    outbox_commit::ActiveModel {
        id: Set(id.get()),
        events: Set(OutboxCommit { events: events.iter().map(event).collect() }.encode_to_vec()),
        pub_seq: Set(None),
        part: Set(Some(part(id.partition()))),
        epoch: Set(None),
        create_time: Set(events.first().map_or(0, |event| event.time.0)),
    }
}

/// Returns the row of a revision that a commit made; likes make no revision.
pub(crate) fn revision_model(commit: CommentId, event: &Event) -> Option<outbox_revision::ActiveModel> {
    Some(outbox_revision::ActiveModel {
        commit_id: Set(commit.get()),
        subject_id: Set(event.subject.get()),
        revision: Set(event.revision?),
        part: Set(Some(part(commit.partition()))),
    })
}

/// Returns the events of a commit; `None` if the row cannot be read.
pub(crate) fn events(row: &outbox_commit::Model) -> Option<Vec<Event>> {
    let stored = OutboxCommit::decode(row.events.as_slice()).ok()?.events.into_iter().map(|stored| {
        let subject = SubjectId::new(stored.subject_id.cast_signed())?;
        Some(event(row, subject, stored.revision, changes(stored.changes.unwrap_or_default())))
    });
    stored.collect()
}

/// Returns the event that replaces an unreadable row: the subject changed. A rebuild finds the
/// changes that event consumers miss with it.
pub(crate) fn unknown_event(row: &outbox_commit::Model, revision_row: &outbox_revision::Model) -> Option<Event> {
    let changes = Changes { subject: true, ..Changes::default() };
    Some(event(row, SubjectId::new(revision_row.subject_id)?, revision_row.revision, changes))
}

fn event(row: &outbox_commit::Model, subject: SubjectId, revision: i64, changes: Changes) -> Event {
    Event {
        // One generator makes both kinds of ids, so the id of a subject contains its partition too.
        partition: CommentId::from(subject).partition(),
        subject,
        revision: Some(revision).filter(|revision| *revision > 0),
        changes,
        time: Millis(row.create_time),
    }
}

fn changes(stored: OutboxChanges) -> Changes {
    let mut changes = Changes {
        comments: Vec::with_capacity(stored.comments.len()),
        likers: stored.likers.into_iter().map(MemberId::stored).collect(),
        subject: stored.subject,
        ..Changes::default()
    };
    for mut change in stored.comments {
        let id = |stored: u64| CommentId::new(stored.cast_signed());
        // A kind of a newer version is skipped.
        let (Some(id), root, Some(what)) = (id(change.id), id(change.root_id), change_kind(change.change())) else {
            continue;
        };
        if let Some(outcome) = outcome::read(&change, what) {
            changes.outcomes.insert(id, outcome);
        }
        if !change.notices.is_empty() {
            changes.notices.insert(id, notice::read(&mut change));
        }
        changes.comments.push(CommentChange { id, root, kind: what });
    }
    changes
}

fn message(changes: &Changes) -> OutboxChanges {
    let is_recorded = |id: &CommentId| changes.outcomes.contains_key(id) || changes.notices.contains_key(id);
    // A version that skips NOTED finds the outcome at a change that it knows, if there is one.
    let moves = |change: &&CommentChange| change.kind.moves_version() && is_recorded(&change.id);
    let moved: BTreeSet<CommentId> = changes.comments.iter().filter(moves).map(|change| change.id).collect();
    // The comments whose outcome is written already: one change of each contains it.
    let mut written = BTreeSet::new();
    let comment = |change: &CommentChange| {
        let mut message = OutboxComment {
            id: change.id.get().cast_unsigned(),
            root_id: change.root.map_or(0, |root| root.get().cast_unsigned()),
            change: stored_kind(change.kind).into(),
            ..OutboxComment::default()
        };
        let has_outcome = change.kind.has_outcome() && (change.kind.moves_version() || !moved.contains(&change.id));
        if has_outcome && is_recorded(&change.id) && written.insert(change.id) {
            message.notices = notice::write(changes.notices(change.id));
            if let Some(Some(outcome)) = changes.outcomes.get(&change.id) {
                message = outcome::write(message, outcome);
            }
        }
        message
    };
    OutboxChanges {
        comments: changes.comments.iter().map(comment).collect(),
        subject: changes.subject,
        likers: changes.likers.iter().map(|member| member.as_str().to_owned()).collect(),
    }
}

fn stored_kind(kind: ChangeKind) -> OutboxChange {
    match kind {
        ChangeKind::Created => OutboxChange::Created,
        ChangeKind::Edited => OutboxChange::Edited,
        ChangeKind::StateChanged => OutboxChange::StateChanged,
        ChangeKind::PinChanged => OutboxChange::PinChanged,
        ChangeKind::Liked => OutboxChange::Liked,
        ChangeKind::Recounted => OutboxChange::Recounted,
        ChangeKind::Noted => OutboxChange::Noted,
    }
}

/// Converts a stored kind of change; `None` for a kind that no version has written.
fn change_kind(change: OutboxChange) -> Option<ChangeKind> {
    Some(match change {
        OutboxChange::Created => ChangeKind::Created,
        OutboxChange::Edited => ChangeKind::Edited,
        OutboxChange::StateChanged => ChangeKind::StateChanged,
        OutboxChange::PinChanged => ChangeKind::PinChanged,
        OutboxChange::Liked => ChangeKind::Liked,
        OutboxChange::Recounted => ChangeKind::Recounted,
        OutboxChange::Noted => ChangeKind::Noted,
        OutboxChange::Unspecified => return None,
    })
}
