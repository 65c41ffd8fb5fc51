//! New comments that the policy judged: their states, reviews and decisions, which are written with
//! them.

use riposte_core::act::CommentAct;
use riposte_core::decision::{Automation, Decision, Detection, Grounds, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::event::{ActorKind, CommentOutcome};
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::review::{ReviewCause, ReviewCauses};
use riposte_core::verbs::{Create, Edit, Reply};
use riposte_core::{CommandKind, CommandOutput, CommentId, CommentState, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, text};
use super::relay::Relay;

fn hit(n: u32) -> RuleHit {
    RuleHit {
        source: "list".to_owned(),
        version: "0123456789abcdef".to_owned(),
        rule: format!("entry-{n}"),
        start: n,
        end: n + 3,
        dry_run: n == 1,
    }
}

/// Returns a judgement with the reasons of a decision.
fn judged(disposition: Disposition) -> PolicyJudgement {
    let grounds = Grounds {
        code: "list.code".to_owned(),
        detection: Detection::WordList,
        automation: Automation::Full,
        hits: (0..32).map(hit).collect(),
        ..Grounds::default()
    };
    PolicyJudgement { disposition, grounds: Some(Box::new(grounds)), ..PolicyJudgement::default() }
}

/// The state, the causes and the act of the decision that a new comment has under each judgement
/// and mode.
fn expected(disposition: Disposition, mode: ModerationMode) -> (CommentState, ReviewCauses, Option<CommentAct>) {
    use CommentState::{Active, Pending, Rejected};
    use ReviewCause::{Flag, New, ServiceUnavailable};
    let (state, causes, act): (_, &[ReviewCause], _) = match (disposition, mode) {
        (Disposition::Allow, ModerationMode::Post) => (Active, &[], None),
        (Disposition::Allow, ModerationMode::Pre) => (Pending, &[New], None),
        (Disposition::Flag, ModerationMode::Post) => (Active, &[Flag], Some(CommentAct::Flag)),
        (Disposition::Flag, ModerationMode::Pre) => (Pending, &[New, Flag], Some(CommentAct::Flag)),
        (Disposition::Hold, _) => (Pending, &[New], Some(CommentAct::Hold)),
        (Disposition::Unchecked, ModerationMode::Post) => (Pending, &[ServiceUnavailable], None),
        (Disposition::Unchecked, ModerationMode::Pre) => (Pending, &[New, ServiceUnavailable], None),
        (Disposition::Reject, _) => (Rejected, &[], Some(CommentAct::Reject)),
    };
    (state, ReviewCauses::of(causes), act)
}

impl Fixture {
    /// Returns a create, or a reply to `parent`, with a judgement.
    async fn judged_verb(
        &self,
        key: &SubjectKey,
        parent: Option<CommentId>,
        judged: PolicyJudgement,
        moderation: ModerationMode,
    ) -> CommandKind {
        match parent {
            None => Create { judged, moderation, ..self.root_verb(key, "author").await }.into(),
            Some(parent) => {
                let reply = self.reply_verb(key, parent, 2).await;
                Reply { judged, moderation, member: member("author"), ..reply }.into()
            }
        }
    }

    async fn check_decision(&self, id: CommentId, state: CommentState, act: CommentAct, output: &CommandOutput) {
        let [decision] = <[Decision; 1]>::try_from(self.decisions(id).await).expect("one decision");
        assert_eq!((decision.act, decision.from, decision.to), (act, None, state));
        assert_eq!((decision.from_version, decision.to_version, decision.revision), (0, 1, output.revision));
        assert_eq!((decision.id.number, decision.proposal, decision.actor.as_str()), (1, 0, ""));
        assert_eq!(Some(Box::new(decision.grounds)), judged(Disposition::Hold).grounds, "with all findings");
        assert_eq!((decision.request, &decision.member), (None, &member("author")));
    }
}

pub(super) async fn a_new_comment_has_the_state_the_review_and_the_decision_of_its_judgement(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_new_comment_has_the_state_the_review_and_the_decision_of_its_judgement");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    assert!(fixture.review(root).await.is_none() && fixture.decisions(root).await.is_empty(), "a plain comment");
    let mut shown = 1;
    for parent in [None, Some(root)] {
        for (disposition, mode) in
            Disposition::ALL.into_iter().flat_map(|of| [(of, ModerationMode::Post), (of, ModerationMode::Pre)])
        {
            let (state, causes, act) = expected(disposition, mode);
            let verb = fixture.judged_verb(&key, parent, judged(disposition), mode).await;
            let command = fixture.command(&key, verb);
            let output = fixture.send(&command).await.expect("written");
            let view = comment(&output);
            let id = view.comment.reference.id;
            assert_eq!(view.comment.lifecycle.state, state, "{disposition:?} {mode:?}");
            assert!(view.content.is_some(), "the author reads the own text");
            let review = fixture.review(id).await;
            assert_eq!(review.as_ref().map_or(ReviewCauses::NONE, |review| review.causes), causes);
            let unpublished = state.may_be_unpublished();
            assert_eq!(review.is_some(), unpublished || act.is_some(), "{disposition:?} {mode:?}");
            if let Some(review) = review {
                assert_eq!((review.never_public, review.text_unshown), (unpublished, unpublished));
                assert_eq!(review.restriction, i32::from(state == CommentState::Rejected));
                assert_eq!(review.unlisted_until.is_some(), state == CommentState::Rejected);
                assert_eq!(review.due_time.is_some(), !causes.is_empty());
            }
            match act {
                Some(act) => fixture.check_decision(id, state, act, &output).await,
                None => assert!(fixture.decisions(id).await.is_empty(), "{disposition:?} {mode:?}"),
            }
            shown += i64::from(!unpublished);
            let again = fixture.send(&command).await.expect("repeated");
            assert!(again.replayed && again.revision == output.revision);
            let events = fixture.events(&key).await;
            let outcome = events.last().and_then(|event| event.changes.outcome(id)).expect("an outcome");
            let before = None;
            let (actor, version, after) = (ActorKind::Author, 1, state);
            assert_eq!(outcome, CommentOutcome { actor, before, after, version, first_publication: !unpublished });
            fixture.check_counts(&key).await;
        }
    }
    assert_eq!(i64::from(fixture.subject(&key).await.counts.comment_count), shown, "only visible comments count");
}

pub(super) async fn a_repeat_with_another_judgement_returns_the_first_result(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_with_another_judgement_returns_the_first_result");
    let key = fixture.key();
    fixture.open(&key).await;
    for (first, second) in [(Disposition::Hold, Disposition::Allow), (Disposition::Allow, Disposition::Reject)] {
        let verb = fixture.judged_verb(&key, None, judged(first), ModerationMode::Post).await;
        let mut command = fixture.command(&key, verb);
        let written = fixture.send(&command).await.expect("written");
        let id = comment(&written).comment.reference.id;
        command.verb = fixture.judged_verb(&key, None, judged(second), ModerationMode::Post).await;
        let again = fixture.send(&command).await.expect("repeated");
        assert!(again.replayed, "{first:?} {second:?}");
        assert_eq!(comment(&again), comment(&written));
        assert_eq!(fixture.decisions(id).await.len(), usize::from(first == Disposition::Hold));
    }
    fixture.check_counts(&key).await;
}

pub(super) async fn an_edit_becomes_the_decision_of_its_judgement(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_becomes_the_decision_of_its_judgement");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let (active, pending, rejected) = (CommentState::Active, CommentState::Pending, CommentState::Rejected);
    for (disposition, act, proposal) in [
        (Disposition::Hold, CommentAct::Hold, 1),
        (Disposition::Reject, CommentAct::RejectEdit, 2),
        (Disposition::Flag, CommentAct::Flag, 0),
    ] {
        let edit = Edit::allowed(fixture.target(id).await, member("author"), text("edited"));
        fixture.run(&key, Edit { judged: judged(disposition), ..edit }).await;
        let newest = fixture.decisions(id).await.remove(0);
        assert_eq!((newest.act, newest.proposal, newest.from, newest.to), (act, proposal, Some(active), active));
        assert_eq!(newest.grounds.hits.len(), 32);
        fixture.check_counts(&key).await;
    }
    // Out of sight the same findings are about the text.
    let waiting = fixture.held_root(&key).await;
    for (disposition, act, from, to) in [
        (Disposition::Flag, CommentAct::Flag, pending, pending),
        (Disposition::Reject, CommentAct::Reject, pending, rejected),
        (Disposition::Hold, CommentAct::Hold, rejected, pending),
    ] {
        let edit = Edit::allowed(fixture.target(waiting).await, member("author"), text("edited"));
        fixture.run(&key, Edit { judged: judged(disposition), ..edit }).await;
        let newest = fixture.decisions(waiting).await.remove(0);
        assert_eq!((newest.act, newest.proposal, newest.from, newest.to), (act, 0, Some(from), to), "{disposition:?}");
        fixture.check_counts(&key).await;
    }
    assert_eq!(fixture.decisions(waiting).await.len(), 3);
}
