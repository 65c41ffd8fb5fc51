//! The rows of the outbox. Their list of changes is a message of its own, since it is read as a whole.

use prost::Message;
use riposte_core::event::{Changes, CommentChange, Event, Happened};
use riposte_core::{CommentId, Error, MemberId, Millis, Partition, Result, SubjectId};
use sea_orm::ActiveValue::Set;

use crate::shard::part;
use crate::sql::entity::comment_outbox::{ActiveModel, Model};

#[expect(unreachable_pub, reason = "generated messages are public; none leaves the crate")]
mod internal {
    include!("gen/riposte.internal.v1.rs");
}

use internal::{OutboxChange, OutboxChanges, OutboxComment};

/// The row of an event that has no number yet.
pub(crate) fn outbox_model(id: CommentId, event: &Event) -> ActiveModel {
    ActiveModel {
        id: Set(id.get()),
        part: Set(part(event.partition)),
        subject_id: Set(event.subject.get()),
        revision: Set(event.revision.unwrap_or(0)),
        changes: Set(message(&event.changes).encode_to_vec()),
        pub_seq: Set(None),
        create_time: Set(event.time.0),
    }
}

/// The event of a row.
pub(crate) fn event(row: &Model) -> Result<Event> {
    let fault = |what: &str| Error::internal(format!("outbox row {}: {what}", row.id));
    let changes = OutboxChanges::decode(row.changes.as_slice()).unwrap_or_else(|_| {
        // One row that cannot be read must not keep all that follow it. Its revision is told all the same, and what it
        // would have told a projection is found by a rebuild.
        tracing::error!(
            row = row.id,
            subject = row.subject_id,
            revision = row.revision,
            "unreadable changes in the outbox"
        );
        OutboxChanges { subject: true, ..OutboxChanges::default() }
    });
    let comment = |change: OutboxComment| {
        let id = |stored: u64| CommentId::new(stored.cast_signed());
        // A kind that only a newer version knows is left out, as an older reader of the contract would.
        Some(CommentChange { id: id(change.id)?, root: id(change.root_id), what: happened(change.change())? })
    };
    Ok(Event {
        partition: Partition::number(row.part.cast_unsigned()),
        subject: SubjectId::new(row.subject_id).ok_or_else(|| fault("it has no subject"))?,
        revision: Some(row.revision).filter(|revision| *revision > 0),
        changes: Changes {
            comments: changes.comments.into_iter().filter_map(comment).collect(),
            likers: changes.likers.into_iter().map(MemberId::stored).collect(),
            subject: changes.subject,
        },
        time: Millis(row.create_time),
    })
}

fn message(changes: &Changes) -> OutboxChanges {
    let comment = |change: &CommentChange| OutboxComment {
        id: change.id.get().cast_unsigned(),
        root_id: change.root.map_or(0, |root| root.get().cast_unsigned()),
        change: match change.what {
            Happened::Created => OutboxChange::Created,
            Happened::Edited => OutboxChange::Edited,
            Happened::StateChanged => OutboxChange::StateChanged,
            Happened::PinChanged => OutboxChange::PinChanged,
            Happened::Liked => OutboxChange::Liked,
            Happened::Recounted => OutboxChange::Recounted,
        }
        .into(),
    };
    OutboxChanges {
        comments: changes.comments.iter().map(comment).collect(),
        subject: changes.subject,
        likers: changes.likers.iter().map(|member| member.as_str().to_owned()).collect(),
    }
}

/// `None` for what no version has written.
fn happened(change: OutboxChange) -> Option<Happened> {
    Some(match change {
        OutboxChange::Created => Happened::Created,
        OutboxChange::Edited => Happened::Edited,
        OutboxChange::StateChanged => Happened::StateChanged,
        OutboxChange::PinChanged => Happened::PinChanged,
        OutboxChange::Liked => Happened::Liked,
        OutboxChange::Recounted => Happened::Recounted,
        OutboxChange::Unspecified => return None,
    })
}
