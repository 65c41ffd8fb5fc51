//! Reports of members, the reasons of decisions, and appeals.

use std::time::Duration;

use futures::future::join_all;
use riposte_core::act::CommentAct;
use riposte_core::change::AuthorAppeal;
use riposte_core::decision::Decision;
use riposte_core::error::{AppealObstacle, ConflictCause};
use riposte_core::ids::DecisionId;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::ports::{ReviewClaim, ReviewFilter};
use riposte_core::report::{
    DecisionCursor, DecisionKind, NewReport, ORDINARY_WEIGHT, ReportBody, ReportOutcome, ReportReason,
};
use riposte_core::report::{OwnReport, Report, ReportResult};
use riposte_core::request::RequestIdentity;
use riposte_core::review::{LeaseToken, Review, ReviewCause, ReviewCauses};
use riposte_core::verbs::{Appeal, Approve, Edit, Hide, Keep, Reject, Undelete, Unhide};
use riposte_core::{Command, CommandKind, CommentId, Error, MemberOfType, Millis, ObjectType, Result, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, member, text};
use super::moderation::decision;

/// The time after a decision within which it can be appealed.
const WINDOW: Duration = Duration::from_secs(3_600);

impl Fixture {
    /// Returns a new report, one second after the last one of the case.
    pub(super) fn new_report(&self, id: CommentId, name: &str, second: i64) -> NewReport {
        let (text, legal_reference) = ("An 🏠.".to_owned(), "a law".to_owned());
        let body = ReportBody { reason: ReportReason::Spam, text, claims_illegal: false, legal_reference };
        let (weight, request) = (ORDINARY_WEIGHT, self.request());
        let now = Millis(StepClock::START.0 + second * 1_000);
        NewReport { comment_id: id, member: member(name), body, seen: None, weight, threshold: 100, request, now }
    }

    async fn report(&self, report: &NewReport) -> Result<ReportResult> {
        self.process.reports.report(report).await
    }

    async fn reports(&self, id: CommentId) -> (i32, i32) {
        self.review(id).await.map_or((0, 0), |review| (review.reports, review.report_weight))
    }

    async fn causes(&self, id: CommentId) -> ReviewCauses {
        self.review(id).await.filter(|review| !review.is_closed).map_or(ReviewCauses::NONE, |review| review.causes)
    }

    async fn outcome(&self, key: &SubjectKey, id: CommentId, name: &str) -> ReportOutcome {
        let of = MemberOfType { object_type: key.object_type().clone(), member: member(name) };
        let found = self.process.reports.by_member(&of, None, 100).await.expect("read");
        found.into_iter().find(|own| own.report.comment_id == id).expect("a report").outcome
    }

    /// Judges a comment as this moderator.
    async fn judge(&self, key: &SubjectKey, id: CommentId, (moderator, act): (&str, CommentAct)) -> Result<Decision> {
        let verdict = self.verdict(id, act).await.by(moderator);
        let command = self.command(key, verdict);
        self.send(&command).await.map(|output| decision(&output))
    }

    async fn appeal_of(&self, contested: &Decision) -> CommandKind {
        let (contested, text) = (contested.clone(), "It is a quotation. 🏠".to_owned());
        let target = self.target(contested.id.comment).await;
        Appeal { target, appeal: AuthorAppeal { contested, text }, window: WINDOW }.into()
    }

    async fn appeal(&self, key: &SubjectKey, contested: &Decision) -> Result<Decision> {
        let command = self.command(key, self.appeal_of(contested).await);
        self.send(&command).await.map(|output| decision(&output))
    }

    async fn claim_as(&self, key: &SubjectKey, moderator: &str) -> Vec<CommentId> {
        let filter = ReviewFilter { object_type: key.object_type().clone(), causes: ReviewCauses::NONE };
        let seed = format!("{}{moderator}", key.object_type().as_str());
        let mut token = [0; 16];
        token[..8].copy_from_slice(&xxh3_64(seed.as_bytes()).to_be_bytes());
        let (holder, duration) = (member(moderator), Duration::from_secs(60));
        let claim = ReviewClaim { filter, holder, token: LeaseToken(token), duration, limit: 10 };
        let leased = self.process.reviews.claim(&claim).await.expect("claimed");
        let ids: Vec<CommentId> = leased.iter().map(|review: &Review| review.comment_id).collect();
        self.process.reviews.release(&ids, &member(moderator), LeaseToken(token)).await.expect("released");
        ids
    }
}

/// Names the moderator of a verdict.
trait ByModerator {
    fn by(self, moderator: &str) -> Self;
}

impl ByModerator for CommandKind {
    fn by(mut self, moderator: &str) -> Self {
        if let Self::Approve(Approve { ruling, .. })
        | Self::Reject(Reject { ruling, .. })
        | Self::Hide(Hide { ruling, .. })
        | Self::Unhide(Unhide { ruling, .. })
        | Self::Keep(Keep { ruling, .. }) = &mut self
        {
            ruling.moderator = member(moderator);
        } else {
            panic!("no verdict of this case: {self:?}");
        }
        self
    }
}

async fn edit(fixture: &Fixture, key: &SubjectKey, id: CommentId) {
    let verb = Edit::allowed(fixture.target(id).await, member("author"), text("another text"));
    fixture.run(key, verb).await;
}

pub(super) async fn reports_open_the_text_and_a_settling_decision_ends_them(backend: Backend) {
    let fixture = Fixture::new(&backend, "reports_open_the_text_and_a_settling_decision_ends_them");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let revision = fixture.subject(&key).await.revision;
    let light = NewReport { weight: 60, ..fixture.new_report(id, "a", 1) };
    assert_eq!(fixture.report(&light).await, Ok(ReportResult { first: true, replayed: false }));
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((1, 60), ReviewCauses::NONE));
    fixture.report(&NewReport { weight: 40, ..fixture.new_report(id, "b", 2) }).await.expect("stored");
    let opened = ReviewCauses::of(&[ReviewCause::Report]);
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((2, 100), opened));
    // A report that replaces another one moves the numbers by the difference, and closes nothing.
    let replaced = NewReport { weight: 10, ..fixture.new_report(id, "a", 3) };
    assert_eq!(fixture.report(&replaced).await, Ok(ReportResult { first: false, replayed: false }));
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((2, 50), opened));
    assert_eq!(fixture.subject(&key).await.revision, revision, "a report moves no revision");
    fixture.check_counts(&key).await;
    assert_eq!(fixture.outcome(&key, id, "a").await, ReportOutcome::Open);
    let found_good = fixture.judge(&key, id, ("mod", CommentAct::Keep)).await.expect("found_good");
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((0, 0), ReviewCauses::NONE));
    assert_eq!(fixture.outcome(&key, id, "a").await, ReportOutcome::Unrestricted(found_good.time));
    // The numbers of another comment show a decision that restricts it.
    let other = fixture.root(&key).await.comment.reference.id;
    fixture.report(&fixture.new_report(other, "a", 4)).await.expect("stored");
    let hidden = fixture.judge(&key, other, ("mod", CommentAct::Hide)).await.expect("hidden");
    fixture.judge(&key, other, ("mod", CommentAct::Unhide)).await.expect("shown");
    assert_eq!(fixture.outcome(&key, other, "a").await, ReportOutcome::Restricted(hidden.time), "the first decides");
    assert_eq!(fixture.reports(other).await, (0, 0));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_report_of_a_settled_or_an_older_version_counts_nothing(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_report_of_a_settled_or_an_older_version_counts_nothing");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.report(&fixture.new_report(id, "a", 1)).await.expect("stored");
    fixture.judge(&key, id, ("mod", CommentAct::Keep)).await.expect("found_good");
    let illegal = |name, second| {
        let report = fixture.new_report(id, name, second);
        NewReport { body: ReportBody { claims_illegal: true, ..report.body.clone() }, ..report }
    };
    let late = illegal("b", 2);
    fixture.report(&late).await.expect("stored");
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((0, 0), ReviewCauses::NONE));
    assert_eq!(fixture.outcome(&key, id, "b").await, ReportOutcome::Unrestricted(late.now), "it was judged before");
    let version = fixture.view(id).await.comment.lifecycle.version;
    edit(&fixture, &key, id).await;
    fixture.report(&NewReport { seen: Some(version), ..illegal("c", 3) }).await.expect("stored");
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((0, 0), ReviewCauses::NONE));
    fixture.report(&fixture.new_report(id, "b", 4)).await.expect("stored");
    let opened = ReviewCauses::of(&[ReviewCause::Report]);
    assert_eq!((fixture.reports(id).await, fixture.causes(id).await), ((1, 100), opened));
    edit(&fixture, &key, id).await;
    assert_eq!(fixture.reports(id).await, (1, 100), "an edit leaves the numbers as they are");
    fixture.check_counts(&key).await;
    fixture.report(&fixture.new_report(id, "b", 5)).await.expect("stored");
    assert_eq!(fixture.reports(id).await, (1, 100), "the later report replaces the one of an older version");
    fixture.check_counts(&key).await;
}

pub(super) async fn a_claim_of_illegality_is_due_at_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_claim_of_illegality_is_due_at_once");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.report(&fixture.new_report(id, "a", 1)).await.expect("stored");
    let first = fixture.review(id).await.and_then(|review| review.due_time).expect("open");
    let report = NewReport { weight: 0, ..fixture.new_report(id, "b", 2) };
    let body = ReportBody { claims_illegal: true, ..report.body.clone() };
    fixture.report(&NewReport { body, ..report }).await.expect("stored");
    let second = fixture.review(id).await.and_then(|review| review.due_time).expect("open");
    let hours = (first.0 - second.0) / 3_600_000;
    assert_eq!(hours, 3, "within two minutes and not within four hours: {first:?} {second:?}");
    fixture.report(&fixture.new_report(id, "c", 3)).await.expect("stored");
    assert_eq!(fixture.review(id).await.and_then(|review| review.due_time), Some(second), "never later");
}

pub(super) async fn reports_that_a_member_cannot_make_are_refused(backend: Backend) {
    let fixture = Fixture::new(&backend, "reports_that_a_member_cannot_make_are_refused");
    let key = fixture.key();
    fixture.open(&key).await;
    let shown = fixture.root(&key).await.comment.reference.id;
    assert_eq!(fixture.report(&fixture.new_report(shown, "author", 1)).await, Err(Error::MemberNotAllowed));
    let held = fixture.held_root(&key).await;
    for (name, rejection) in [("author", Error::MemberNotAllowed), ("a", Error::CommentNotFound)] {
        assert_eq!(fixture.report(&fixture.new_report(held, name, 2)).await, Err(rejection), "{name}");
    }
    fixture.judge(&key, shown, ("mod", CommentAct::Hide)).await.expect("hidden");
    assert_eq!(fixture.report(&fixture.new_report(shown, "a", 3)).await, Err(Error::CommentNotFound));
    fixture.author_deletes(&key, shown).await;
    for name in ["author", "a"] {
        assert_eq!(fixture.report(&fixture.new_report(shown, name, 4)).await, Err(Error::CommentNotFound), "{name}");
    }
    assert_eq!(fixture.process.reports.on_comment(shown, None, 10).await, Ok(Vec::new()));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_repeated_report_returns_the_first_answer(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeated_report_returns_the_first_answer");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let first = fixture.new_report(id, "a", 1);
    fixture.report(&first).await.expect("stored");
    let again = ReportResult { first: true, replayed: true };
    assert_eq!(fixture.report(&first).await, Ok(again));
    assert_eq!(fixture.reports(id).await, (1, 100), "a repeat changes nothing");
    let fingerprint = fixture.request().fingerprint;
    let other = NewReport { request: RequestIdentity { fingerprint, ..first.request }, ..first.clone() };
    assert_eq!(fixture.report(&other).await, Err(Error::RequestIdReused));
    // At the same time as the first one.
    let second = fixture.new_report(id, "a", 1);
    fixture.report(&second).await.expect("stored");
    assert_eq!(fixture.report(&second).await, Ok(ReportResult { first: false, replayed: true }));
    // A repeat is answered after the comment has left sight.
    fixture.judge(&key, id, ("mod", CommentAct::Hide)).await.expect("hidden");
    assert_eq!(fixture.report(&second).await, Ok(ReportResult { first: false, replayed: true }));
    let stored = fixture.process.reports.of_member(id, &member("a")).await.expect("read").expect("a report");
    assert_eq!((stored.body, stored.first), (second.body, first.now));
    // Reports of many members at once are all counted.
    let other = fixture.root(&key).await.comment.reference.id;
    let reports: Vec<NewReport> = (0..20).map(|n| fixture.new_report(other, &format!("m{n}"), n)).collect();
    let stored = join_all(reports.iter().map(|report| fixture.report(report))).await;
    assert!(stored.iter().all(|result| result.as_ref().is_ok_and(|result| result.first)), "{stored:?}");
    assert_eq!(fixture.reports(other).await, (20, 2_000));
    fixture.check_counts(&key).await;
}

pub(super) async fn the_reports_of_a_comment_and_of_a_member_are_listed_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_reports_of_a_comment_and_of_a_member_are_listed_newest_first");
    let object_type = fixture.object_type("reports");
    let mut ids = Vec::new();
    for n in 0..5 {
        let key = fixture.key_of(&object_type, n);
        fixture.open(&key).await;
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    // The second and the third report of "a" have the same time.
    for (id, second) in ids.iter().zip([1, 2, 2, 3, 4]) {
        fixture.report(&fixture.new_report(*id, "a", second)).await.expect("stored");
    }
    for (name, second) in [("b", 5), ("c", 6), ("d", 6)] {
        fixture.report(&fixture.new_report(ids[0], name, second)).await.expect("stored");
    }
    let of = MemberOfType { object_type: ObjectType::stored(object_type), member: member("a") };
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let page = fixture.process.reports.by_member(&of, after, 2).await.expect("read");
        let Some(OwnReport { report: last, .. }) = page.last() else { break };
        after = Some(HistoryCursor { time: last.time, comment: last.comment_id });
        listed.extend(page.into_iter().map(|own| own.report.comment_id));
    }
    let [second, third] = [ids[1].max(ids[2]), ids[1].min(ids[2])];
    assert_eq!(listed, [ids[4], ids[3], second, third, ids[0]]);
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let page = fixture.process.reports.on_comment(ids[0], after.as_ref(), 2).await.expect("read");
        let Some(Report { time, member, .. }) = page.last().cloned() else { break };
        after = Some(LikerCursor { time, member });
        listed.extend(page.into_iter().map(|report| report.member.as_str().to_owned()));
    }
    assert_eq!(listed, ["d", "c", "b", "a"]);
}

pub(super) async fn an_appeal_is_judged_by_another_moderator(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_appeal_is_judged_by_another_moderator");
    let key = fixture.key_of(&fixture.object_type("appeals"), "");
    fixture.open(&key).await;
    for (restricts, overturns) in [(CommentAct::Hide, CommentAct::Unhide), (CommentAct::Reject, CommentAct::Approve)] {
        for settles in [overturns, CommentAct::Keep] {
            let id = fixture.root(&key).await.comment.reference.id;
            let restricted = fixture.judge(&key, id, ("x", restricts)).await.expect("restricted");
            let revision = fixture.subject(&key).await.revision;
            let appeal = fixture.appeal(&key, &restricted).await.expect("appealed");
            assert_eq!((appeal.act, appeal.contested, appeal.revision), (CommentAct::Appeal, restricted.id.number, 0));
            assert_eq!(
                (appeal.from, appeal.to, &appeal.actor),
                (Some(restricted.to), restricted.to, &member("author"))
            );
            assert_eq!(fixture.decisions(id).await[0].appeal_text, "It is a quotation. 🏠");
            assert_eq!(fixture.subject(&key).await.revision, revision, "an appeal moves no revision");
            assert_eq!(fixture.causes(id).await, ReviewCauses::APPEAL);
            assert!(!fixture.claim_as(&key, "x").await.contains(&id), "the moderator of the decision");
            assert!(fixture.claim_as(&key, "y").await.contains(&id));
            let own = fixture.judge(&key, id, ("x", settles)).await;
            assert_eq!(own, Err(Error::StateConflictBecause(ConflictCause::OwnDecision)));
            let settled = fixture.judge(&key, id, ("y", settles)).await.expect("settled");
            assert_eq!((settled.contested, fixture.causes(id).await), (restricted.id.number, ReviewCauses::NONE));
            fixture.check_counts(&key).await;
            let again = fixture.appeal(&key, &restricted).await;
            assert_eq!(again, Err(Error::AppealNotAllowed(AppealObstacle::Appealed)), "{restricts:?} {settles:?}");
        }
    }
}

pub(super) async fn a_decision_is_appealed_once_and_while_it_is_in_force(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_decision_is_appealed_once_and_while_it_is_in_force");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.report(&fixture.new_report(id, "a", 1)).await.expect("stored");
    let found_good = fixture.judge(&key, id, ("x", CommentAct::Keep)).await.expect("found_good");
    let refused = |obstacle| Err(Error::AppealNotAllowed(obstacle));
    assert_eq!(fixture.appeal(&key, &found_good).await, refused(AppealObstacle::NotRestricted));
    let hidden = fixture.judge(&key, id, ("x", CommentAct::Hide)).await.expect("hidden");
    fixture.judge(&key, id, ("x", CommentAct::Unhide)).await.expect("shown");
    assert_eq!(fixture.appeal(&key, &hidden).await, refused(AppealObstacle::Overturned));
    let again = fixture.judge(&key, id, ("x", CommentAct::Hide)).await.expect("hidden");
    assert_eq!(fixture.appeal(&key, &hidden).await, refused(AppealObstacle::Overturned), "a newer decision stands");
    let appeal = fixture.appeal_of(&again).await;
    let late = fixture.command(&key, appeal.clone());
    let late = Command { now: again.time.plus(WINDOW + Duration::from_millis(1)), ..late };
    assert_eq!(fixture.send(&late).await, Err(Error::AppealNotAllowed(AppealObstacle::WindowOver)));
    let command = fixture.command(&key, appeal);
    let first = fixture.send(&command).await.map(|output| decision(&output)).expect("appealed");
    let repeat = fixture.send(&command).await.expect("repeated");
    assert_eq!((decision(&repeat), repeat.replayed), (first, true));
    assert_eq!(fixture.appeal(&key, &again).await, refused(AppealObstacle::Appealed));
    // An author may delete the comment, and nothing is left to appeal.
    fixture.author_deletes(&key, id).await;
    assert_eq!(fixture.appeal(&key, &again).await, refused(AppealObstacle::Gone));
}

pub(super) async fn the_appeal_of_a_deleted_comment_stays_undecided(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_appeal_of_a_deleted_comment_stays_undecided");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let hidden = fixture.judge(&key, id, ("x", CommentAct::Hide)).await.expect("hidden");
    fixture.appeal(&key, &hidden).await.expect("appealed");
    let due = fixture.review(id).await.and_then(|review| review.due_time);
    fixture.author_deletes(&key, id).await;
    assert_eq!(fixture.causes(id).await, ReviewCauses::NONE);
    fixture.run(&key, Undelete { target: fixture.target(id).await, member: member("author") }).await;
    assert_eq!(fixture.causes(id).await, ReviewCauses::APPEAL);
    assert_eq!(fixture.review(id).await.and_then(|review| review.due_time), due, "since the same time");
    let verdict = fixture.verdict(id, CommentAct::Delete).await;
    let deleted = decision(&fixture.run(&key, verdict).await);
    assert_eq!((deleted.contested, fixture.causes(id).await), (hidden.id.number, ReviewCauses::NONE));
    assert!(fixture.review(id).await.is_some_and(|review| review.appealed().is_none()));
    fixture.check_counts(&key).await;
}

pub(super) async fn decisions_on_the_comments_of_a_member_are_listed(backend: Backend) {
    let fixture = Fixture::new(&backend, "decisions_on_the_comments_of_a_member_are_listed");
    let object_type = fixture.object_type("statements");
    let (mut expected, mut all) = (Vec::new(), Vec::new());
    for n in 0..4 {
        let key = fixture.key_of(&object_type, n);
        fixture.open(&key).await;
        let id = fixture.root(&key).await.comment.reference.id;
        let hidden = fixture.judge(&key, id, ("x", CommentAct::Hide)).await.expect("hidden");
        fixture.judge(&key, id, ("x", CommentAct::Unhide)).await.expect("shown");
        let rejected = fixture.judge(&key, id, ("x", CommentAct::Reject)).await.expect("rejected");
        fixture.appeal(&key, &rejected).await.expect("appealed");
        expected.extend([hidden.id, rejected.id]);
        all.extend((1..=4).map(|number| DecisionId { comment: id, number }));
    }
    expected.reverse();
    all.reverse();
    let of_type = ObjectType::stored(object_type);
    for (kind, expected) in [(DecisionKind::Restriction, expected), (DecisionKind::Any, all)] {
        let of_member = async |name: &str, after| {
            let reports = &fixture.process.reports;
            let of = MemberOfType { object_type: of_type.clone(), member: member(name) };
            reports.decisions(kind, &of, after, 3).await.expect("read")
        };
        let (mut listed, mut after) = (Vec::new(), None);
        loop {
            let page = of_member("author", after).await;
            let Some(Decision { id, time, .. }) = page.last() else { break };
            after = Some(DecisionCursor { time: *time, comment: id.comment, number: id.number });
            listed.extend(page.iter().map(|decision| decision.id));
        }
        assert_eq!(listed, expected, "{kind:?}");
        assert_eq!(of_member("replier", None).await, []);
    }
}
