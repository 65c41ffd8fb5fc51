//! Edits that wait beside the text in sight, and edits of comments that are out of sight.

use std::time::Duration;

use riposte_core::act::CommentAct;
use riposte_core::comment::{CommentView, proposal_etag};
use riposte_core::decision::Grounds;
use riposte_core::disposition::Disposition;
use riposte_core::error::ConflictCause;
use riposte_core::event::{ActorKind, ChangeKind, CommentChange};
use riposte_core::ids::DecisionId;
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::proposal::{Proposal, ProposalState};
use riposte_core::review::{OpenQuestions, ReviewCause, ReviewCauses};
use riposte_core::verbs::{Edit, EditWindows, Undelete, UpdateSubject};
use riposte_core::{
    Command, CommandKind, CommandOutput, CommentId, CommentState, EditedProposal, Effect, Error, SubjectKey,
};

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, text};
use super::moderation::decision;
use super::relay::Relay;

/// A time by which a later command exceeds every window.
const YEAR: Duration = Duration::from_secs(365 * 86_400);

impl Fixture {
    async fn edit(&self, id: CommentId, new_text: &str, disposition: Disposition) -> Edit {
        let grounds = Grounds { code: "policy.1".to_owned(), ..Grounds::default() };
        let grounds = (disposition == Disposition::Reject).then(|| Box::new(grounds));
        let edit = Edit::allowed(self.target(id).await, member("author"), text(new_text));
        Edit { judged: PolicyJudgement { disposition, grounds, ..PolicyJudgement::default() }, ..edit }
    }

    /// Edits a comment, and returns the view of its author.
    async fn edited(&self, key: &SubjectKey, id: CommentId, new_text: &str, disposition: Disposition) -> CommentView {
        let edit = self.edit(id, new_text, disposition).await;
        comment(&self.run(key, edit).await)
    }

    async fn proposal(&self, id: CommentId) -> Option<Proposal> {
        self.process.reader.proposals(&[id]).await.expect("read").remove(0)
    }

    /// Returns the number, the text and the state of the newest proposal that its author may read.
    async fn proposed(&self, id: CommentId) -> Option<(i32, String, ProposalState)> {
        let proposal = self.proposal(id).await?;
        Some((proposal.number, proposal.content.text().to_owned(), proposal.state))
    }

    pub(super) async fn proposal_etag(&self, id: CommentId) -> String {
        proposal_etag(&self.view(id).await.comment, self.review(id).await.as_ref())
    }

    /// Returns a verdict on the proposal that waits.
    async fn judge_edit(&self, id: CommentId, act: CommentAct) -> CommandKind {
        let etag = self.proposal_etag(id).await;
        self.verdict_on(id, act, etag).await
    }

    async fn edit_is_open(&self, id: CommentId) -> bool {
        let review = self.review(id).await.expect("a review");
        review.open().intersects(OpenQuestions::EDIT)
    }

    /// Returns the texts of the public history of a comment, oldest first.
    async fn history(&self, id: CommentId) -> Vec<String> {
        let contents = self.process.reader.revisions(id).await.expect("read");
        contents.into_iter().map(|revision| revision.content.text().to_owned()).collect()
    }
}

fn proposal_etag_of(output: &CommandOutput) -> &str {
    match &output.effect {
        Effect::Decision(output) => &output.proposal_etag,
        Effect::Subject(_) | Effect::Comment(_) | Effect::Edit(_) | Effect::Like(_) => {
            panic!("no decision: {output:?}")
        }
    }
}

fn edited_proposal(output: &CommandOutput) -> EditedProposal {
    match &output.effect {
        Effect::Edit(output) => output.proposal.clone(),
        Effect::Subject(_) | Effect::Comment(_) | Effect::Like(_) | Effect::Decision(_) => {
            panic!("no edit: {output:?}")
        }
    }
}

pub(super) async fn an_edit_of_a_visible_comment_waits_and_leaves_its_text(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_of_a_visible_comment_waits_and_leaves_its_text");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let before = fixture.root(&key).await;
    let (id, revision) = (before.comment.reference.id, fixture.subject(&key).await.revision);
    let returned = fixture.edited(&key, id, "another text", Disposition::Hold).await;
    assert_eq!(returned, before, "the author sees the text in sight");
    assert_eq!(fixture.view(id).await, before);
    assert_eq!(fixture.subject(&key).await.revision, revision + 1);
    assert_eq!(fixture.proposed(id).await, Some((1, "another text".to_owned(), ProposalState::Waiting)));
    let review = fixture.review(id).await.expect("a review");
    assert_eq!((review.causes, review.edits), (ReviewCauses::of(&[ReviewCause::Edit]), 1));
    fixture.check_counts(&key).await;
    let verdict = fixture.judge_edit(id, CommentAct::ApproveEdit).await;
    let output = fixture.run(&key, verdict).await;
    let (judged, after) = (decision(&output), fixture.view(id).await);
    assert_eq!((judged.act, judged.proposal, judged.id.number), (CommentAct::ApproveEdit, 1, 1));
    assert_eq!((judged.from, judged.to), (Some(CommentState::Active), CommentState::Active));
    let versions = (before.comment.lifecycle.version, before.comment.lifecycle.version + 1);
    assert_eq!((judged.from_version, judged.to_version, judged.revision), (versions.0, versions.1, revision + 2));
    assert_eq!(after.content, Some(text("another text")));
    assert_eq!(after.comment.lifecycle.edit_time, Some(judged.time), "it was edited when it was approved");
    assert_eq!((fixture.proposed(id).await, proposal_etag_of(&output)), (None, ""));
    let former = before.content.expect("a text").text().to_owned();
    assert_eq!(fixture.history(id).await, [former, "another text".to_owned()]);
    let review = fixture.review(id).await.expect("a review");
    assert_eq!((review.open().is_empty(), review.edits, review.proposal, review.due_time), (true, 0, 1, None));
    assert_eq!(fixture.decisions(id).await, [judged]);
    // The proposal moved the revision of the subject, and readers see no change.
    let events = fixture.events(&key).await;
    let changes: Vec<Vec<CommentChange>> = events.into_iter().map(|event| event.changes.comments).collect();
    assert_eq!(changes[changes.len() - 2], [CommentChange { id, root: None, kind: ChangeKind::Noted }]);
    assert_eq!(changes[changes.len() - 1], [CommentChange { id, root: None, kind: ChangeKind::Edited }]);
    let events = fixture.events(&key).await;
    let outcome = events.last().and_then(|event| event.changes.outcome(id)).expect("an outcome");
    assert_eq!((outcome.actor, outcome.version), (ActorKind::Moderator, versions.1));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_refused_proposal_leaves_the_text_and_its_version(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_proposal_leaves_the_text_and_its_version");
    let key = fixture.key();
    fixture.open(&key).await;
    let before = fixture.root(&key).await;
    let id = before.comment.reference.id;
    fixture.edited(&key, id, "refused", Disposition::Hold).await;
    let revision = fixture.subject(&key).await.revision;
    let verdict = fixture.judge_edit(id, CommentAct::RejectEdit).await;
    let command = fixture.command(&key, verdict);
    let output = fixture.send(&command).await.expect("judged");
    let judged = decision(&output);
    assert_eq!((judged.act, judged.proposal, judged.revision), (CommentAct::RejectEdit, 1, 0));
    assert_eq!((fixture.view(id).await, fixture.subject(&key).await.revision), (before, revision));
    assert_eq!(fixture.proposed(id).await, Some((1, "refused".to_owned(), ProposalState::Rejected)));
    assert!(!fixture.edit_is_open(id).await);
    let again = fixture.send(&command).await.expect("repeated");
    assert!(again.replayed && decision(&again) == judged);
    // What was judged once is judged no more: the error has the etag of the proposal that waits.
    let late = fixture.verdict_on(id, CommentAct::ApproveEdit, "1.p1.0".to_owned()).await;
    let decision = Some(DecisionId { comment: id, number: 1 });
    assert_eq!(fixture.rejection(&key, late).await, Error::ReviewChanged { current: String::new(), decision });
    fixture.check_counts(&key).await;
}

pub(super) async fn a_newer_proposal_replaces_the_one_that_waits(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_newer_proposal_replaces_the_one_that_waits");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.edited(&key, id, "first", Disposition::Unchecked).await;
    let (first, due) = (fixture.proposal_etag(id).await, fixture.review(id).await.expect("a review").due_time);
    let late = fixture.judge_edit(id, CommentAct::ApproveEdit).await;
    fixture.edited(&key, id, "second", Disposition::Hold).await;
    let current = fixture.proposal_etag(id).await;
    assert_ne!(first, current);
    assert_eq!(
        fixture.rejection(&key, late).await,
        Error::ReviewChanged { current: current.clone(), decision: None },
        "a text that was not read is not approved"
    );
    let review = fixture.review(id).await.expect("a review");
    assert_eq!((review.causes, review.due_time), (ReviewCauses::of(&[ReviewCause::Edit]), due), "it stays open");
    assert_eq!(fixture.proposed(id).await, Some((2, "second".to_owned(), ProposalState::Waiting)));
    fixture.check_counts(&key).await;
    // Two proposals and a verdict in one batch.
    let (third, fourth) = (
        fixture.edit(id, "third", Disposition::Hold).await,
        fixture.verdict_on(id, CommentAct::ApproveEdit, String::new()).await,
    );
    let batch = vec![fixture.command(&key, third), fixture.command(&key, fourth)];
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!(fixture.view(id).await.content, Some(text("third")));
    assert_eq!(fixture.review(id).await.map(|review| review.proposal), Some(3));
    fixture.check_counts(&key).await;
}

pub(super) async fn an_edit_in_sight_or_refused_by_the_policy_drops_a_proposal(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_in_sight_or_refused_by_the_policy_drops_a_proposal");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.edited(&key, id, "waits", Disposition::Hold).await;
    let late = fixture.judge_edit(id, CommentAct::ApproveEdit).await;
    let shown = fixture.edited(&key, id, "shown", Disposition::Allow).await;
    assert_eq!(shown.content, Some(text("shown")));
    assert_eq!((fixture.proposed(id).await, fixture.edit_is_open(id).await), (None, false));
    let gone = Error::ReviewChanged { current: String::new(), decision: None };
    assert_eq!(fixture.rejection(&key, late).await, gone);
    assert_eq!(fixture.review(id).await.map(|review| review.edits), Some(0));
    fixture.check_counts(&key).await;
    fixture.edited(&key, id, "waits too", Disposition::Hold).await;
    let returned = fixture.edited(&key, id, "refused", Disposition::Reject).await;
    assert_eq!(returned.content, Some(text("shown")));
    assert_eq!(fixture.proposed(id).await, Some((3, "refused".to_owned(), ProposalState::Rejected)));
    assert!(!fixture.edit_is_open(id).await);
    let [decision] = fixture.decisions(id).await.try_into().expect("one decision");
    assert_eq!((decision.act, decision.proposal, decision.actor.as_str()), (CommentAct::RejectEdit, 3, ""));
    assert_eq!(decision.grounds.code, "policy.1");
    fixture.check_counts(&key).await;
}

pub(super) async fn three_edits_may_wait_for_a_moderator(backend: Backend) {
    let fixture = Fixture::new(&backend, "three_edits_may_wait_for_a_moderator");
    let key = fixture.key();
    fixture.open(&key).await;
    let conflict = Error::StateConflictBecause(ConflictCause::Edits);
    let id = fixture.root(&key).await.comment.reference.id;
    for text in ["one", "two", "three"] {
        fixture.edited(&key, id, text, Disposition::Hold).await;
    }
    for disposition in [Disposition::Hold, Disposition::Unchecked, Disposition::Reject] {
        let fourth = fixture.edit(id, "four", disposition).await;
        assert_eq!(fixture.rejection(&key, fourth).await, conflict, "{disposition:?}");
    }
    let verdict = fixture.judge_edit(id, CommentAct::RejectEdit).await;
    fixture.run(&key, verdict).await;
    let fourth = fixture.edit(id, "four", Disposition::Hold).await;
    assert_eq!(fixture.rejection(&key, fourth).await, conflict, "a refusal gives none back");
    let shown = fixture.edited(&key, id, "in sight", Disposition::Allow).await;
    assert_eq!(shown.content, Some(text("in sight")));
    fixture.edited(&key, id, "four", Disposition::Hold).await;
    let verdict = fixture.judge_edit(id, CommentAct::ApproveEdit).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.review(id).await.map(|review| (review.proposal, review.edits)), Some((4, 0)));
    // Edits of a comment that waits and resubmissions count with them.
    let waiting = fixture.held_root(&key).await;
    fixture.edited(&key, waiting, "one", Disposition::Allow).await;
    let verdict = fixture.verdict(waiting, CommentAct::Reject).await;
    fixture.run(&key, verdict).await;
    for text in ["two", "three"] {
        fixture.edited(&key, waiting, text, Disposition::Hold).await;
    }
    let fourth = fixture.edit(waiting, "four", Disposition::Allow).await;
    assert_eq!(fixture.rejection(&key, fourth).await, conflict);
    let verdict = fixture.verdict(waiting, CommentAct::Approve).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.review(waiting).await.map(|review| review.edits), Some(0));
    fixture.check_counts(&key).await;
}

pub(super) async fn an_edit_out_of_sight_leaves_no_public_history(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_out_of_sight_leaves_no_public_history");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let etag = fixture.view(id).await.comment.etag();
    let late = fixture.verdict(id, CommentAct::Approve).await;
    let edited = fixture.edited(&key, id, "judged", Disposition::Hold).await;
    assert_eq!((edited.comment.lifecycle.state, edited.content), (CommentState::Pending, Some(text("judged"))));
    assert_ne!(edited.comment.etag(), etag);
    assert_eq!(edited.comment.lifecycle.edit_time, None, "no reader saw another text");
    let error = fixture.rejection(&key, late).await;
    assert!(matches!(error, Error::ReviewChanged { .. }), "{error:?}");
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.history(id).await, ["judged"]);
    // A text that was in sight, then out of sight, then replaced, is no part of the history either.
    let verdict = fixture.verdict(id, CommentAct::Withhold).await;
    fixture.run(&key, verdict).await;
    let edited = fixture.edited(&key, id, "replaced", Disposition::Allow).await;
    assert!(edited.comment.lifecycle.edit_time.is_some());
    let review = fixture.review(id).await.expect("a review");
    assert!(review.text_unshown && !review.text_once_public && !review.never_public, "{review:?}");
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.history(id).await, ["replaced"]);
    let review = fixture.review(id).await.expect("a review");
    assert!(!review.text_unshown && review.text_once_public);
    fixture.edited(&key, id, "in sight", Disposition::Allow).await;
    assert_eq!(fixture.history(id).await, ["replaced", "in sight"]);
    fixture.check_counts(&key).await;
}

pub(super) async fn a_rejected_comment_is_sent_again_within_its_window(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_rejected_comment_is_sent_again_within_its_window");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let verdict = fixture.verdict(id, CommentAct::Reject).await;
    fixture.run(&key, verdict).await;
    let review = fixture.review(id).await.expect("a review");
    assert!(review.open().is_empty() && review.unlisted_until.is_some(), "{review:?}");
    // The window of creation does not matter, that of the rejection does.
    let windows = EditWindows { created: Some(Duration::ZERO), rejected: Duration::from_secs(3_600) };
    let until = review.reject_time().expect("rejected").plus(windows.rejected);
    let mut late = fixture.edit(id, "late", Disposition::Allow).await;
    late.windows = windows;
    let mut late = fixture.command(&key, late);
    late.now = until.plus(YEAR);
    assert_eq!(fixture.send(&late).await, Err(Error::EditWindowClosed { until }));
    let mut edit = fixture.edit(id, "better", Disposition::Allow).await;
    edit.windows = windows;
    let mut edit = fixture.command(&key, edit);
    edit.now = until;
    let sent = comment(&fixture.send(&edit).await.expect("sent again"));
    assert_eq!((sent.comment.lifecycle.state, sent.content), (CommentState::Pending, Some(text("better"))));
    let review = fixture.review(id).await.expect("a review");
    assert_eq!((review.causes, review.edits), (ReviewCauses::of(&[ReviewCause::New]), 1));
    fixture.check_counts(&key).await;
    // The policy refuses a text of a comment that waits, and then another one.
    let refused = fixture.edited(&key, id, "worse", Disposition::Reject).await;
    assert_eq!((refused.comment.lifecycle.state, refused.content), (CommentState::Rejected, Some(text("worse"))));
    let again = fixture.edited(&key, id, "worst", Disposition::Reject).await;
    assert_eq!((again.comment.lifecycle.state, again.content), (CommentState::Rejected, Some(text("worst"))));
    let states: Vec<_> = fixture.decisions(id).await.iter().map(|decision| (decision.from, decision.to)).collect();
    let (pending, rejected) = (CommentState::Pending, CommentState::Rejected);
    let states_of = [rejected, pending, pending].map(|from| (Some(from), rejected));
    assert_eq!(states, states_of);
    let decisions = fixture.decisions(id).await;
    assert!(decisions[..2].iter().all(|decision| decision.actor.as_str().is_empty() && decision.proposal == 0));
    assert!(fixture.review(id).await.is_some_and(|review| review.open().is_empty()));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_comment_that_leaves_sight_drops_its_proposal_and_a_deleted_one_keeps_it(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_comment_that_leaves_sight_drops_its_proposal_and_a_deleted_one_keeps_it");
    let key = fixture.key();
    fixture.open(&key).await;
    for act in [CommentAct::Reject, CommentAct::Hide, CommentAct::Withhold] {
        for is_deleted in [false, true] {
            let id = fixture.root(&key).await.comment.reference.id;
            fixture.edited(&key, id, "waits", Disposition::Hold).await;
            if is_deleted {
                fixture.author_deletes(&key, id).await;
            }
            let verdict = fixture.verdict(id, act).await;
            fixture.run(&key, verdict).await;
            assert_eq!(fixture.proposed(id).await, None, "{act:?}, deleted: {is_deleted}");
            let review = fixture.review(id).await.expect("a review");
            assert_eq!(review.waiting_proposal(), None, "{act:?}, deleted: {is_deleted}");
            fixture.check_counts(&key).await;
        }
    }
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.edited(&key, id, "waits", Disposition::Hold).await;
    let waiting = fixture.review(id).await;
    fixture.author_deletes(&key, id).await;
    assert!(!fixture.edit_is_open(id).await && fixture.proposal_etag(id).await.is_empty());
    let verdict = fixture.verdict_on(id, CommentAct::ApproveEdit, String::new()).await;
    assert_eq!(fixture.rejection(&key, verdict).await, Error::CommentNotFound);
    fixture.check_counts(&key).await;
    fixture.run(&key, Undelete { target: fixture.target(id).await, member: member("author") }).await;
    assert_eq!(fixture.review(id).await, waiting);
    let verdict = fixture.judge_edit(id, CommentAct::ApproveEdit).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.view(id).await.content, Some(text("waits")));
    fixture.check_counts(&key).await;
}

pub(super) async fn an_edit_that_the_policy_flags_is_shown_and_reviewed(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_that_the_policy_flags_is_shown_and_reviewed");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let shown = fixture.edited(&key, id, "flagged", Disposition::Flag).await;
    assert_eq!(shown.content, Some(text("flagged")));
    let review = fixture.review(id).await.expect("a review");
    assert_eq!(review.causes, ReviewCauses::of(&[ReviewCause::Flag]));
    assert!(review.text_once_public && !review.never_public);
    fixture.check_counts(&key).await;
    let verdict = fixture.verdict(id, CommentAct::Keep).await;
    fixture.run(&key, verdict).await;
    assert!(fixture.review(id).await.is_some_and(|review| review.open().is_empty()));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_repeated_edit_proposes_nothing_again(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeated_edit_proposes_nothing_again");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let edit = fixture.edit(id, "waits", Disposition::Hold).await;
    let command = fixture.command(&key, edit);
    let first = fixture.send(&command).await.expect("proposed");
    let mut again = command.clone();
    // The policy has changed since. The body of the request has not.
    again.verb = CommandKind::from(fixture.edit(id, "waits", Disposition::Allow).await);
    let again = fixture.send(&again).await.expect("repeated");
    assert_eq!((again.revision, again.replayed, first.replayed), (first.revision, true, false));
    assert_eq!(fixture.proposed(id).await, Some((1, "waits".to_owned(), ProposalState::Waiting)));
    assert_eq!(fixture.review(id).await.map(|review| review.edits), Some(1));
}

pub(super) async fn the_mode_of_type_or_subject_holds_an_edit(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_mode_of_type_or_subject_holds_an_edit");
    let key = fixture.key();
    fixture.open(&key).await;
    for of_type in [true, false] {
        let id = fixture.root(&key).await.comment.reference.id;
        let mode = |moderation| UpdateSubject { moderation: Some(moderation), ..UpdateSubject::default() };
        if !of_type {
            fixture.run(&key, mode(Some(ModerationMode::Pre))).await;
        }
        let edit = fixture.edit(id, "waits", Disposition::Allow).await;
        let moderation = if of_type { ModerationMode::Pre } else { ModerationMode::Post };
        let first = fixture.command(&key, Edit { moderation, ..edit.clone() });
        let made = edited_proposal(&fixture.send(&first).await.expect("proposed"));
        assert_eq!(made, EditedProposal::Made(Box::new(fixture.proposal(id).await.expect("a proposal"))));
        fixture.run(&key, mode(None)).await;
        // The repeat has no mode, and another edit is in sight at once.
        let again = Command { verb: edit.into(), ..first };
        let again = fixture.send(&again).await.expect("repeated");
        assert_eq!((again.replayed, edited_proposal(&again)), (true, EditedProposal::Stored));
        let edit = fixture.edit(id, "at once", Disposition::Allow).await;
        let shown = fixture.run(&key, edit).await;
        assert_eq!((comment(&shown).content, edited_proposal(&shown)), (Some(text("at once")), EditedProposal::None));
        assert_eq!(fixture.proposed(id).await, None);
        fixture.check_counts(&key).await;
    }
}

pub(super) async fn a_plain_edit_has_no_review(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_plain_edit_has_no_review");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let edited = fixture.edited(&key, id, "plain", Disposition::Allow).await;
    assert_eq!(edited.content, Some(text("plain")));
    assert_eq!((fixture.review(id).await, fixture.proposal(id).await), (None, None));
    assert_eq!(fixture.decisions(id).await, []);
}
