//! New comments that the policy judged: their states, reviews and decisions, which are written with
//! them.

use riposte_core::act::CommentAct;
use riposte_core::decision::{Automation, Decision, Detection, Grounds, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::event::{ActorKind, CommentOutcome, DecisionNumbers, ModerationDetails};
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::review::{ReviewCause, ReviewCauses, ReviewPriority};
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
        (Disposition::Allow, ModerationMode::PreNewMembers | ModerationMode::Pre) => (Pending, &[New], None),
        (Disposition::Flag, ModerationMode::Post) => (Active, &[Flag], Some(CommentAct::Flag)),
        (Disposition::Flag, ModerationMode::PreNewMembers | ModerationMode::Pre) => {
            (Pending, &[New, Flag], Some(CommentAct::Flag))
        }
        (Disposition::Hold, _) => (Pending, &[New], Some(CommentAct::Hold)),
        (Disposition::Unchecked, ModerationMode::Post) => (Pending, &[ServiceUnavailable], None),
        (Disposition::Unchecked, ModerationMode::PreNewMembers | ModerationMode::Pre) => {
            (Pending, &[New, ServiceUnavailable], None)
        }
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
        let modes = [ModerationMode::Post, ModerationMode::PreNewMembers, ModerationMode::Pre];
        for (disposition, mode) in Disposition::ALL.into_iter().flat_map(|of| modes.map(|mode| (of, mode))) {
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
            let held = state == CommentState::Pending || !causes.is_empty() && act.is_none();
            let decisions = act.map(|_| DecisionNumbers::of(1));
            let moderation = ModerationDetails { decisions, held, ..ModerationDetails::NONE };
            let first_publication = !unpublished;
            let expected = CommentOutcome { actor, before, after, version, first_publication, moderation };
            assert_eq!(outcome, expected);
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

impl Fixture {
    /// Edits a comment during an outage, and returns the causes of its review.
    async fn edit_unchecked(&self, key: &SubjectKey, id: CommentId, moderation: ModerationMode) -> ReviewCauses {
        let edit = Edit::allowed(self.target(id).await, member("author"), text("edited"));
        self.run(key, Edit { judged: Disposition::Unchecked.into(), moderation, ..edit }).await;
        self.check_counts(key).await;
        self.review(id).await.expect("a review").causes
    }
}

/// Returns a judgement with a cause besides those of its disposition.
fn judged_with(disposition: Disposition, cause: ReviewCause) -> PolicyJudgement {
    PolicyJudgement { more_causes: ReviewCauses::of(&[cause]), ..judged(disposition) }
}

pub(super) async fn a_review_is_due_by_the_priority_of_its_text(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_review_is_due_by_the_priority_of_its_text");
    let key = fixture.key();
    fixture.open(&key).await;
    let due = async |id| fixture.review(id).await.and_then(|review| review.due_time).expect("open");
    let with =
        |disposition, priority| PolicyJudgement { priority: ReviewPriority::new(priority), ..judged(disposition) };
    // The last one is the least urgent one and came first.
    let mut times = Vec::new();
    for (disposition, priority) in
        [(Disposition::Flag, 0), (Disposition::Flag, 50), (Disposition::Hold, 0), (Disposition::Hold, 50)]
    {
        let verb = fixture.judged_verb(&key, None, with(disposition, priority), ModerationMode::Post).await;
        times.push(due(comment(&fixture.run(&key, verb).await).comment.reference.id).await);
    }
    assert!(times.is_sorted_by(|earlier, later| earlier > later), "{times:?}");
    let usual = due(fixture.held_root(&key).await).await;
    let edit = async |id, judged| {
        let edit = Edit::allowed(fixture.target(id).await, member("author"), text("edited"));
        fixture.run(&key, Edit { judged, ..edit }).await;
        due(id).await
    };
    let shown = fixture.root(&key).await.comment.reference.id;
    assert!(edit(shown, with(Disposition::Hold, 0)).await >= usual, "a proposed edit");
    assert!(edit(shown, with(Disposition::Hold, 100)).await < usual, "a newer one");
    let waiting = fixture.held_root(&key).await;
    assert!(edit(waiting, with(Disposition::Flag, 100)).await < usual, "a text out of sight");
    let rejected = fixture.held_root(&key).await;
    let refused = Edit::allowed(fixture.target(rejected).await, member("author"), text("edited"));
    fixture.run(&key, Edit { judged: judged(Disposition::Reject), ..refused }).await;
    assert!(edit(rejected, with(Disposition::Allow, 100)).await < usual, "a text that is sent again");
    fixture.check_counts(&key).await;
}

pub(super) async fn an_outage_is_a_cause_besides_what_a_list_asks_for(backend: Backend) {
    use ReviewCause::{Edit as Edited, EditServiceUnavailable, Flag, New, ServiceUnavailable};
    let fixture = Fixture::new(&backend, "an_outage_is_a_cause_besides_what_a_list_asks_for");
    let key = fixture.key();
    fixture.open(&key).await;
    let (active, pending) = (CommentState::Active, CommentState::Pending);
    for (disposition, more, state, causes, decisions) in [
        (Disposition::Allow, ServiceUnavailable, active, &[ServiceUnavailable][..], 0),
        (Disposition::Flag, ServiceUnavailable, active, &[Flag, ServiceUnavailable], 1),
        (Disposition::Hold, ServiceUnavailable, pending, &[New, ServiceUnavailable], 1),
        (Disposition::Unchecked, Flag, pending, &[Flag, ServiceUnavailable], 0),
    ] {
        let verb = fixture.judged_verb(&key, None, judged_with(disposition, more), ModerationMode::Post).await;
        let id = comment(&fixture.run(&key, verb).await).comment.reference.id;
        assert_eq!(fixture.view(id).await.comment.lifecycle.state, state, "{disposition:?}");
        let review = fixture.review(id).await.expect("a review");
        assert_eq!(review.causes, ReviewCauses::of(causes), "{disposition:?}");
        assert!(review.due_time.is_some() && review.never_public == (state == pending));
        assert_eq!(fixture.decisions(id).await.len(), decisions, "{disposition:?}");
        fixture.check_counts(&key).await;
    }
    // An edit in sight, and proposals: what a list asks for is for people.
    let id = fixture.root(&key).await.comment.reference.id;
    for (disposition, more, causes) in [
        (Disposition::Allow, ServiceUnavailable, &[ServiceUnavailable][..]),
        (Disposition::Unchecked, Flag, &[ServiceUnavailable, Edited, EditServiceUnavailable]),
    ] {
        let edit = Edit::allowed(fixture.target(id).await, member("author"), text("edited"));
        fixture.run(&key, Edit { judged: judged_with(disposition, more), ..edit }).await;
        assert_eq!(fixture.review(id).await.expect("a review").causes, ReviewCauses::of(causes), "{disposition:?}");
    }
    let edit = Edit::allowed(fixture.target(id).await, member("author"), text("edited again"));
    fixture.run(&key, Edit { judged: Disposition::Unchecked.into(), ..edit }).await;
    let causes = fixture.review(id).await.expect("a review").causes;
    assert_eq!(causes, ReviewCauses::of(&[ServiceUnavailable, EditServiceUnavailable]), "the proposal is replaced");
    fixture.check_counts(&key).await;
}

pub(super) async fn people_judge_what_waits_during_an_outage_for_another_reason_too(backend: Backend) {
    use ModerationMode::{Post, Pre};
    use ReviewCause::{Edit as Edited, EditServiceUnavailable, Flag, New, ServiceUnavailable};
    let fixture = Fixture::new(&backend, "people_judge_what_waits_during_an_outage_for_another_reason_too");
    let key = fixture.key();
    fixture.open(&key).await;
    // A mode, for a proposal and for a comment that waits.
    let id = fixture.root(&key).await.comment.reference.id;
    assert_eq!(fixture.edit_unchecked(&key, id, Pre).await, ReviewCauses::of(&[Edited, EditServiceUnavailable]));
    assert_eq!(fixture.edit_unchecked(&key, id, Post).await, ReviewCauses::of(&[EditServiceUnavailable]));
    let judged = judged_with(Disposition::Unchecked, Flag);
    let verb = fixture.judged_verb(&key, None, judged, Post).await;
    let waiting = comment(&fixture.run(&key, verb).await).comment.reference.id;
    assert_eq!(fixture.edit_unchecked(&key, waiting, Post).await, ReviewCauses::of(&[Flag, ServiceUnavailable]));
    assert_eq!(fixture.edit_unchecked(&key, waiting, Pre).await, ReviewCauses::of(&[New, Flag, ServiceUnavailable]));
    // A resubmission, which people judge in any mode.
    let verdict = fixture.verdict(waiting, CommentAct::Reject).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.edit_unchecked(&key, waiting, Post).await, ReviewCauses::of(&[New, ServiceUnavailable]));
    assert_eq!(fixture.view(waiting).await.comment.lifecycle.state, CommentState::Pending);
}
