//! The outcome of a commit for a comment, as the outbox stores it: 0 is the usual value of each
//! field, so that a plain create takes no byte.

use riposte_core::CommentState;
use riposte_core::event::{ActorKind, ChangeKind, CommentOutcome, DecisionNumbers, ModerationDetails};

use super::internal::{OutboxActor, OutboxComment, OutboxPublication};

/// Reads the outcome at a change, which is `None` if it has a state that only a newer version
/// knows. Returns `None` if the change has no outcome, or that of a plain create.
pub(super) fn read(change: &OutboxComment, what: ChangeKind) -> Option<Option<CommentOutcome>> {
    let created = what == ChangeKind::Created;
    // Without a version, another change than a create is of an older version or not the first one.
    if !what.has_outcome() || change.version == 0 && !created {
        return None;
    }
    let before = if created { Some(None) } else { state(change.before).map(Some) };
    let (Some(before), Some(after)) = (before, state(change.after)) else { return Some(None) };
    let actor = OutboxActor::try_from(change.actor).map_or(ActorKind::Unknown, |actor| match actor {
        OutboxActor::Unspecified => ActorKind::Author,
        OutboxActor::Owner => ActorKind::Owner,
        OutboxActor::Moderator => ActorKind::Moderator,
        OutboxActor::Import => ActorKind::Import,
    });
    let first_publication = match change.publication() {
        OutboxPublication::Unspecified => implies_first_publication(before, after),
        OutboxPublication::First => true,
        OutboxPublication::NotFirst => false,
    };
    let version = change.version.max(1);
    let OutboxComment { held, proposed, reported, .. } = *change;
    let moderation = ModerationDetails { decisions: decisions(change), held, proposed, reported };
    let outcome = CommentOutcome { actor, before, after, version, first_publication, moderation };
    (outcome != CommentOutcome::PUBLISHED).then_some(Some(outcome))
}

/// Adds the outcome to the change at which it is stored.
pub(super) fn write(change: OutboxComment, outcome: &CommentOutcome) -> OutboxComment {
    let CommentOutcome { actor, before, after, version, first_publication, moderation } = *outcome;
    let ModerationDetails { decisions, held, proposed, reported } = moderation;
    let publication = match (first_publication, implies_first_publication(before, after)) {
        (true, false) => OutboxPublication::First,
        (false, true) => OutboxPublication::NotFirst,
        (true, true) | (false, false) => OutboxPublication::Unspecified,
    };
    let actor = match actor {
        ActorKind::Author => OutboxActor::Unspecified,
        ActorKind::Owner => OutboxActor::Owner,
        ActorKind::Moderator => OutboxActor::Moderator,
        ActorKind::Import => OutboxActor::Import,
        // Read from an event only, and events that were read are not written again.
        ActorKind::Unknown => OutboxActor::Unspecified,
    };
    OutboxComment {
        actor: actor.into(),
        before: before.map_or(0, code),
        after: code(after),
        version: if before.is_none() && version == 1 { 0 } else { version },
        publication: publication.into(),
        decision: decisions.map_or(0, |numbers| numbers.first),
        more_decisions: decisions.map_or(0, |numbers| numbers.last - numbers.first),
        held,
        proposed,
        reported,
        ..change
    }
}

/// Returns the numbers of the decisions of a change. Numbers that no version writes are no
/// decisions.
fn decisions(change: &OutboxComment) -> Option<DecisionNumbers> {
    let last = change.decision.checked_add(change.more_decisions)?;
    (change.decision > 0 && last >= change.decision).then_some(DecisionNumbers { first: change.decision, last })
}

fn implies_first_publication(before: Option<CommentState>, after: CommentState) -> bool {
    before.is_none() && after == CommentState::Active
}

fn code(state: CommentState) -> i32 {
    if state == CommentState::Active { 0 } else { state.code().into() }
}

fn state(stored: i32) -> Option<CommentState> {
    if stored == 0 { Some(CommentState::Active) } else { CommentState::from_code(i8::try_from(stored).ok()?) }
}
