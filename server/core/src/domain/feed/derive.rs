//! The events of a commit. Their order is a format, since the index of an event is a part of its
//! id: subjects as in the entry, the event of the subject first, then its comments in the order of
//! their first changes, and the events of a comment in the order of [`of_comment`].

use super::{DerivedEvent, EventKind, EventModeration, EventScope};
use crate::domain::event::{ChangeKind, CommentChange, CommentOutcome, DecisionNumbers, Event, ModerationDetails};
use crate::domain::ids::{CommentId, DecisionId};
use crate::domain::state::CommentState;

/// Returns the events of one entry of the outbox. The events of a commit are those of all its
/// entries, in their order.
#[must_use]
pub fn derive(entry: &Event) -> Vec<DerivedEvent> {
    let mut events = Vec::new();
    if entry.changes.subject {
        events.push(event(entry, EventKind::SubjectChanged, EventScope::Public));
    }
    for (position, first) in entry.changes.comments.iter().enumerate() {
        let is_first = !entry.changes.comments[..position].iter().any(|earlier| earlier.id == first.id);
        if is_first {
            of_comment(entry, first, &mut events);
        }
    }
    events
}

/// The kinds of change of one comment in an entry.
#[derive(Debug, Clone, Copy)]
struct ChangeKinds {
    is_edited: bool,
    is_moved: bool,
    is_pinned: bool,
    /// True if one of its changes has an outcome.
    has_outcome: bool,
}

impl ChangeKinds {
    fn of(entry: &Event, id: CommentId) -> Self {
        let kinds = || entry.changes.comments.iter().filter(|change| change.id == id).map(|change| change.kind);
        Self {
            is_edited: kinds().any(|kind| kind == ChangeKind::Edited),
            is_moved: kinds().any(|kind| kind == ChangeKind::StateChanged),
            is_pinned: kinds().any(|kind| kind == ChangeKind::PinChanged),
            has_outcome: kinds().any(ChangeKind::has_outcome),
        }
    }
}

/// Adds the events of one comment: PUBLISHED, EDITED, RESTORED, WITHDRAWN, DELETED, PIN_CHANGED,
/// EDIT_PROPOSED, HELD, REPORTED, and DECIDED by number.
fn of_comment(entry: &Event, change: &CommentChange, events: &mut Vec<DerivedEvent>) {
    let kinds = ChangeKinds::of(entry, change.id);
    let outcome = entry.changes.outcome(change.id).filter(|_| kinds.has_outcome);
    match outcome {
        Some(outcome) => {
            let effects = net_effect(outcome, kinds, !entry.changes.notices(change.id).is_empty());
            let has_notices = effects.into_iter().flatten().next().is_some_and(notifies);
            let begin = events.len();
            events.extend(effects.into_iter().flatten().map(|(kind, scope)| about(entry, change, kind, scope)));
            // The members are named once, even if an edit and an unhide are in one batch.
            if let Some(first) = events.get_mut(begin).filter(|_| has_notices) {
                first.notices = entry.changes.notices(change.id).to_vec();
            }
        }
        None => {
            let old = [(kinds.is_edited, EventKind::CommentEdited), (kinds.is_moved, EventKind::CommentRestored)];
            let old = old.into_iter().filter(|(is_present, _)| *is_present);
            events.extend(old.map(|(_, kind)| DerivedEvent {
                follows_row: true,
                ..about(entry, change, kind, EventScope::Moderation)
            }));
        }
    }
    if kinds.is_pinned {
        let is_public = outcome.is_none_or(|outcome| was_visible(outcome) || outcome.after.is_visible());
        events.push(about(entry, change, EventKind::CommentPinChanged, scope_if(is_public)));
    }
    if let Some(outcome) = outcome {
        of_moderation(entry, change, outcome, events);
    }
}

/// Returns what a batch did to a comment, by its states before and after. A first publication, and
/// an edit in sight that `names` members, are public events even if the same batch took the comment
/// out of sight. A later RESTORED shows their notices again and names only other members.
fn net_effect(outcome: CommentOutcome, kinds: ChangeKinds, names: bool) -> [Option<(EventKind, EventScope)>; 3] {
    use EventKind::{CommentDeleted, CommentEdited, CommentPublished, CommentRestored, CommentWithdrawn};
    let CommentOutcome { before, after, first_publication, .. } = outcome;
    let is_deleted = after == CommentState::Deleted;
    let ended = if is_deleted { CommentDeleted } else { CommentWithdrawn };
    if first_publication {
        let published = Some((CommentPublished, EventScope::Public));
        return [published, None, (!after.is_visible()).then_some((ended, EventScope::Public))];
    }
    let Some(before) = before else { return [None; 3] };
    let is_edit_public = after.is_visible() || (before.is_visible() && names);
    let edited = kinds.is_edited.then_some((CommentEdited, scope_if(is_edit_public)));
    let moved = match (before.is_visible(), after.is_visible()) {
        (true, true) => None,
        (true, false) => Some((ended, EventScope::Public)),
        (false, true) => Some((CommentRestored, EventScope::Public)),
        (false, false) if before == after => None,
        (false, false) if is_deleted => Some((CommentDeleted, EventScope::Moderation)),
        (false, false) => (before == CommentState::Deleted).then_some((CommentRestored, EventScope::Moderation)),
    };
    [None, edited, moved]
}

/// Adds the events that only moderators receive.
fn of_moderation(entry: &Event, change: &CommentChange, outcome: CommentOutcome, events: &mut Vec<DerivedEvent>) {
    let ModerationDetails { decisions, held, proposed, reported } = outcome.moderation;
    let mut add = |kind, decision| {
        let moderation = EventModeration { from: outcome.before, to: outcome.after, decision };
        events
            .push(DerivedEvent { moderation: Some(moderation), ..about(entry, change, kind, EventScope::Moderation) });
    };
    let waiting =
        [(proposed, EventKind::EditProposed), (held, EventKind::CommentHeld), (reported, EventKind::CommentReported)];
    for (_, kind) in waiting.into_iter().filter(|(is_present, _)| *is_present) {
        add(kind, None);
    }
    for number in decisions.into_iter().flat_map(DecisionNumbers::iter) {
        add(EventKind::CommentDecided, Some(DecisionId { comment: change.id, number }));
    }
}

/// Completes an event of an old entry by the present state of its comment. Returns `None` if the
/// state has no event of this kind.
pub(super) fn follow_row(event: &mut DerivedEvent, state: CommentState) -> Option<()> {
    (event.follows_row, event.scope) = (false, scope_if(state.is_visible()));
    if event.kind != EventKind::CommentRestored {
        return Some(());
    }
    let kind = if state.is_visible() {
        EventKind::CommentRestored
    } else if state == CommentState::Deleted {
        EventKind::CommentDeleted
    } else if state == CommentState::Pending {
        // It waits, perhaps without having been in sight.
        return None;
    } else {
        EventKind::CommentWithdrawn
    };
    (event.kind, event.scope) = (kind, EventScope::Public);
    Some(())
}

/// Returns `true` if an event of this kind and scope names the members to notify.
fn notifies((kind, scope): (EventKind, EventScope)) -> bool {
    let shows_text = [EventKind::CommentPublished, EventKind::CommentEdited, EventKind::CommentRestored];
    scope == EventScope::Public && shows_text.contains(&kind)
}

/// Returns an event of a comment.
fn about(entry: &Event, change: &CommentChange, kind: EventKind, scope: EventScope) -> DerivedEvent {
    DerivedEvent { comment: Some(change.id), root: change.root, ..event(entry, kind, scope) }
}

fn event(entry: &Event, kind: EventKind, scope: EventScope) -> DerivedEvent {
    DerivedEvent {
        kind,
        scope,
        subject: entry.subject,
        revision: entry.revision.unwrap_or(0),
        comment: None,
        root: None,
        notices: Vec::new(),
        moderation: None,
        follows_row: false,
        time: entry.time,
    }
}

fn was_visible(outcome: CommentOutcome) -> bool {
    outcome.first_publication || outcome.before.is_some_and(CommentState::is_visible)
}

fn scope_if(is_public: bool) -> EventScope {
    if is_public { EventScope::Public } else { EventScope::Moderation }
}

#[cfg(test)]
mod tests;
