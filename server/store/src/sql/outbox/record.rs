//! The outbox rows that a commit writes in its own transaction: one with its events, in any number
//! of subjects, and one for each revision it made.

use riposte_core::event::Event;
use riposte_core::{CommentId, Partition};

use crate::sql::phase::Phase;
use crate::sql::row;

/// Adds the events of a commit under the id reserved for it to its last phase; adds nothing if
/// there are none.
pub(in crate::sql) fn record(phase: &mut Phase, commit: CommentId, events: &[Event]) {
    if events.is_empty() {
        return;
    }
    phase.insert(None::<Partition>, vec![row::commit_model(commit, events)]);
    phase.insert(None::<Partition>, events.iter().filter_map(|event| row::revision_model(commit, event)).collect());
}
