//! Completes the entries of the outbox with the rows that they name.

use std::collections::BTreeSet;
use std::sync::Arc;

use riposte_core::event::{Notice, SequencedEvent};
use riposte_core::feed::{DerivedEvent, EventPosition, FeedEvent, derive};
use riposte_core::ports::EventRows;
use riposte_core::{CommentId, MemberId, Result, SubjectId};

/// The size of an event without its texts, in bytes.
const EVENT_BYTES: usize = 128;
/// The size of a notice without its member, in bytes.
const NOTICE_BYTES: usize = 32;

/// The events of one commit.
#[derive(Debug, Clone)]
pub(crate) struct FeedCommit {
    /// The sequence number.
    pub(crate) number: i64,
    /// The events of all scopes.
    pub(crate) events: Vec<Arc<FeedEvent>>,
    /// Their approximate size.
    pub(crate) bytes: usize,
}

/// Returns the commits of these entries of a source. One statement reads each table that has rows
/// of them.
pub(crate) async fn resolve(
    rows: &dyn EventRows,
    source: usize,
    entries: &[SequencedEvent],
) -> Result<Vec<FeedCommit>> {
    let mut derived: Vec<(EventPosition, DerivedEvent)> = Vec::new();
    let mut commits: Vec<FeedCommit> = Vec::new();
    let mut index = 0;
    for SequencedEvent { number, event } in entries {
        if commits.last().is_none_or(|last| last.number != *number) {
            commits.push(FeedCommit { number: *number, events: Vec::new(), bytes: 0 });
            index = 0;
        }
        for event in derive(event) {
            derived.push((EventPosition { number: *number, index }, event));
            index += 1;
        }
    }
    if derived.is_empty() {
        return Ok(commits);
    }
    let subjects: BTreeSet<SubjectId> = derived.iter().map(|(_, event)| event.subject).collect();
    let comments: BTreeSet<CommentId> = derived.iter().filter_map(|(_, event)| event.comment).collect();
    let subjects = rows.event_subjects(subjects).await?;
    let comments = if comments.is_empty() { Default::default() } else { rows.event_comments(comments).await? };
    let mut events = derived.into_iter().peekable();
    for commit in &mut commits {
        while let Some((position, event)) = events.next_if(|(position, _)| position.number == commit.number) {
            // The row of a subject is never deleted; a part of the tables may have been restored.
            let Some(key) = subjects.get(&event.subject).cloned() else { continue };
            let row = event.comment.and_then(|id| comments.get(&id));
            if let Some(event) = FeedEvent::new((source, position), event, key, row) {
                commit.bytes += size(&event);
                commit.events.push(Arc::new(event));
            }
        }
    }
    Ok(commits)
}

fn size(FeedEvent { event, key, member, .. }: &FeedEvent) -> usize {
    let notice = |notice: &Notice| NOTICE_BYTES + notice.member.as_str().len();
    EVENT_BYTES
        + key.object_type().as_str().len()
        + key.object_id().len()
        + member.as_ref().map_or(0, |member: &MemberId| member.as_str().len())
        + event.notices.iter().map(notice).sum::<usize>()
}
