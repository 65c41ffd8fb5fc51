//! The texts that an outage held, over the oracle.

use std::sync::Mutex;

use async_trait::async_trait;
use futures::FutureExt;
use riposte_conformance::model::Model;
use riposte_conformance::stores::StepClock;
use riposte_core::act::CommentAct;
use riposte_core::disposition::Disposition;
use riposte_core::location::CommentLocation;
use riposte_core::object_type::{Policies, Policy};
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{
    CommentRows, ContentPolicy, FilterItem, FilterKind, ReviewClaim, ReviewRows, Reviews, Standings, Submission,
};
use riposte_core::review::{LeaseToken, ReviewCause};
use riposte_core::standing::StandingInForce;
use riposte_core::subject::Metadata;
use riposte_core::submit::WritePorts;
use riposte_core::verbs::{CreateRoot, EditComment};
use riposte_core::{ClientInfo, CommentState, Content, MemberId, Millis, SubjectKey};

use super::super::filtered::FilterFallback;
use super::question_size::BATCH;
use super::*;

type FilterResult = std::result::Result<FilterJudgement, NoResult>;

/// A policy whose service cannot be asked, and that flags texts with the word "flagged", too.
#[derive(Debug)]
struct Outage;

#[async_trait]
impl ContentPolicy for Outage {
    fn judges(&self, _: &ObjectType) -> bool {
        true
    }

    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement> {
        let is_flagged = submission.content.text().contains("flagged");
        let disposition = if is_flagged { Disposition::Flag } else { Disposition::Allow };
        if submission.content.text().contains("judged") {
            return Ok(disposition.into());
        }
        Ok(PolicyJudgement::from(disposition).held_by_outage())
    }
}

/// A text to which the filter never responds.
const NO_RESPONSE: &str = "no response";

/// A filter whose outcome is the first word of the text; it leaves "open" texts open.
#[derive(Debug)]
struct ByWord {
    /// It does not answer about more texts at a time.
    most: Mutex<usize>,
    received: Mutex<Vec<FilterItem>>,
}

#[async_trait]
impl FilterClient for ByWord {
    async fn judge(&self, items: &[FilterItem]) -> Vec<FilterResult> {
        self.received.lock().unwrap().extend_from_slice(items);
        let is_unavailable =
            items.len() > *self.most.lock().unwrap() || items.iter().any(|item| item.text == NO_RESPONSE);
        items.iter().map(|item| if is_unavailable { Err(NoResult::Unavailable) } else { judged(&item.text) }).collect()
    }
}

fn judged(text: &str) -> FilterResult {
    let outcome = match text.split(' ').next() {
        Some("open") => return Err(NoResult::Undecided),
        Some("flag") => FilterOutcome::Flag,
        Some("hold") => FilterOutcome::Hold,
        Some("reject") => FilterOutcome::Reject,
        Some("refuse") => FilterOutcome::Refuse,
        Some(_) | None => FilterOutcome::Allow,
    };
    let (provider, model_version, code) = ("judge".to_owned(), "7".to_owned(), "filter.code".to_owned());
    let (scores, explanation) = (Vec::new(), String::new());
    Ok(FilterJudgement { outcome, scores, provider, model_version, code, explanation, review_priority: 0 })
}

/// The standings of members, by their names.
#[derive(Debug)]
struct ByName;

impl Standings for ByName {
    fn of(&self, _: &ObjectType, member: &MemberId, _: Millis) -> Option<StandingInForce> {
        let standing = match member.as_str() {
            "muted" => Standing::Muted,
            "trusted" => Standing::Trusted,
            _ => return None,
        };
        Some(StandingInForce { standing, ..StandingInForce::default() })
    }

    fn was_set(&self) {}
}

/// No member has a standing.
#[derive(Debug)]
struct Nobody;

impl Standings for Nobody {
    fn of(&self, _: &ObjectType, _: &MemberId, _: Millis) -> Option<StandingInForce> {
        None
    }

    fn was_set(&self) {}
}

fn object_type() -> ObjectType {
    ObjectType::stored("film".to_owned())
}

struct Fixture {
    model: Arc<Model>,
    filter: Arc<ByWord>,
    /// Writes without standings.
    writes: Mutations,
    drain: OutageDrain,
    questions: Questions,
}

fn run<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

impl Fixture {
    fn new() -> Self {
        let clock = StepClock::at(StepClock::START);
        let (model, filter) = (
            Arc::new(Model::new(Arc::clone(&clock) as _)),
            Arc::new(ByWord { most: Mutex::new(BATCH), received: Mutex::default() }),
        );
        let policy = Policy { auto_create: true, ..Policy::default() };
        let policies = Arc::new(Policies::closed([("film".to_owned(), policy)].into()));
        let members = MemberGate { standings: Arc::new(ByName), accounts: None };
        let mutations = |members: MemberGate| {
            let ports = WritePorts {
                reader: Arc::clone(&model) as _,
                log: Arc::clone(&model) as _,
                clock: Arc::clone(&clock) as _,
                ids: Arc::clone(&model) as _,
                content: Arc::new(Outage),
                members,
            };
            Mutations::new(ports, Arc::clone(&policies))
        };
        let use_of = FilterUse { of_others: Some(FilterFallback::Hold), ..FilterUse::default() };
        let drain = OutageDrain {
            reviews: Arc::clone(&model) as _,
            reader: Arc::clone(&model) as _,
            mutations: mutations(members.clone()),
            members,
            filter: Some((Arc::clone(&filter) as _, use_of)),
            types: vec![object_type()],
            clock: Arc::clone(&clock) as _,
            metrics: Metrics::new().unwrap(),
            undecided: Undecided::default(),
        };
        let writes = mutations(MemberGate { standings: Arc::new(Nobody), accounts: None });
        Self { model, filter, writes, drain, questions: Questions::default() }
    }

    fn context(&self, member: &str) -> WriteContext {
        let member = Some(MemberId::stored(member.to_owned()));
        WriteContext { caller: Caller::unrestricted("web"), member, request_id: None }
    }

    fn create(&self, member: &str, text: &str) -> CommentId {
        let subject = SubjectKey::stored("film".to_owned(), "1".to_owned());
        let content = Content::stored(text.to_owned(), Vec::new(), Metadata::new());
        let create = CreateRoot { member: MemberId::stored(member.to_owned()), content, client: ClientInfo::default() };
        run(self.writes.submit(&self.context(member), &subject, create)).unwrap().value.comment.reference.id
    }

    fn edit(&self, id: CommentId, text: &str) {
        let at = self.location(id);
        let content = Content::stored(text.to_owned(), Vec::new(), Metadata::new());
        let edit = EditComment { member: at.member.clone(), content, etag: String::new() };
        run(self.writes.submit(&self.context(at.member.as_str()), &at, edit)).unwrap();
    }

    fn location(&self, id: CommentId) -> CommentLocation {
        run(self.model.locate(&[id])).unwrap().pop().flatten().unwrap()
    }

    fn pass(&mut self) -> usize {
        run(self.drain.pass(&object_type(), &mut self.questions)).unwrap()
    }

    /// Returns the state of a comment, its text, its open causes and the acts of its decisions.
    fn found(&self, id: CommentId) -> (CommentState, String, ReviewCauses, Vec<CommentAct>) {
        let view = run(self.model.comments(&[id])).unwrap().pop().flatten().unwrap();
        let review = run(self.model.reviews(&[id])).unwrap().pop().flatten().unwrap();
        let decisions = run(self.model.decisions(id, None, 9)).unwrap();
        assert!(decisions.iter().all(|decision| decision.actor.as_str().is_empty()), "the policy decides");
        let text = view.content.unwrap().text().to_owned();
        let acts = decisions.into_iter().map(|decision| decision.act).collect();
        (view.comment.lifecycle.state, text, review.causes, acts)
    }
}

const fn causes(causes: &[ReviewCause]) -> ReviewCauses {
    ReviewCauses::of(causes)
}

#[test]
fn each_text_that_an_outage_held_becomes_what_the_filter_says() {
    let mut fixture = Fixture::new();
    let (active, pending, rejected) = (CommentState::Active, CommentState::Pending, CommentState::Rejected);
    let none = ReviewCauses::NONE;
    let flag = causes(&[ReviewCause::Flag]);
    let outage = causes(&[ReviewCause::ServiceUnavailable]);
    let cases: [(&str, &str, _, _, &[CommentAct]); 9] = [
        ("m7", "a text", active, none, &[CommentAct::Approve]),
        ("m7", "flag it", pending, flag, &[]),
        ("trusted", "flag it", active, none, &[CommentAct::Approve]),
        ("m7", "hold it", pending, flag, &[]),
        ("muted", "a text", pending, flag, &[]),
        ("m7", "reject it", rejected, none, &[CommentAct::Reject]),
        ("m7", "refuse it", rejected, none, &[CommentAct::Reject]),
        ("m7", "open", pending, outage, &[]),
        ("m7", "a flagged text", pending, flag.union(outage), &[]),
    ];
    let ids: Vec<CommentId> = cases.iter().map(|(member, text, ..)| fixture.create(member, text)).collect();
    *fixture.filter.most.lock().unwrap() = 0;
    assert_eq!(fixture.pass(), 8, "one of them is for people anyway");
    for id in &ids {
        assert!(fixture.found(*id).2.contains(ReviewCause::ServiceUnavailable), "nothing was answered");
    }
    *fixture.filter.most.lock().unwrap() = BATCH;
    assert_eq!(fixture.pass(), 1, "one is left open");
    for ((member, text, state, causes, acts), id) in cases.iter().zip(&ids) {
        assert_eq!(fixture.found(*id), (*state, (*text).to_owned(), *causes, acts.to_vec()), "{member}: {text}");
    }
    let received = fixture.filter.received.lock().unwrap().clone();
    assert!(received.iter().all(|item| item.kind == FilterKind::Recheck && item.text != "a flagged text"));
}

#[test]
fn a_proposed_edit_becomes_the_text_or_is_refused_or_waits_for_people() {
    let mut fixture = Fixture::new();
    let (active, none, edit) = (CommentState::Active, ReviewCauses::NONE, causes(&[ReviewCause::Edit]));
    let cases: [(&str, &str, _, &[CommentAct]); 3] = [
        ("another text", "another text", none, &[CommentAct::ApproveEdit]),
        ("reject it", "judged", none, &[CommentAct::RejectEdit]),
        ("hold it", "judged", edit, &[]),
    ];
    let ids: Vec<CommentId> = cases.iter().map(|_| fixture.create("m7", "judged")).collect();
    ids.iter().zip(&cases).for_each(|(id, (proposed, ..))| fixture.edit(*id, proposed));
    assert_eq!(fixture.pass(), 0);
    for ((proposed, text, causes, acts), id) in cases.iter().zip(&ids) {
        assert_eq!(fixture.found(*id), (active, (*text).to_owned(), *causes, acts.to_vec()), "{proposed}");
    }
}

#[test]
fn a_text_that_stays_open_is_asked_about_three_times_and_left_to_moderators() {
    let mut fixture = Fixture::new();
    let (id, edited) = (fixture.create("m7", "open"), fixture.create("m7", "judged"));
    fixture.edit(edited, "open");
    let questions = |fixture: &Fixture| fixture.filter.received.lock().unwrap().len();
    for attempt in 1..ATTEMPTS {
        assert_eq!((fixture.pass(), questions(&fixture)), (2, 2 * usize::from(attempt)));
    }
    assert_eq!(fixture.pass(), 0, "the last response leaves them to moderators");
    let (pending, active) = (CommentState::Pending, CommentState::Active);
    assert_eq!(fixture.found(id), (pending, "open".to_owned(), causes(&[ReviewCause::Flag]), Vec::new()));
    assert_eq!(fixture.found(edited), (active, "judged".to_owned(), causes(&[ReviewCause::Edit]), Vec::new()));
    fixture.create("m7", "a text");
    assert_eq!(
        (fixture.pass(), questions(&fixture)),
        (0, 2 * usize::from(ATTEMPTS) + 1),
        "another text is in a question"
    );
}

#[test]
fn a_failed_call_is_no_attempt_and_a_backlog_is_counted_beyond_a_batch() {
    let mut fixture = Fixture::new();
    for _ in 0..BATCH + 5 {
        fixture.create("m7", "a text");
    }
    *fixture.filter.most.lock().unwrap() = 0;
    for _ in 0..5 {
        assert_eq!(fixture.pass(), BATCH + 5);
    }
    let questions = fixture.filter.received.lock().unwrap().len();
    assert!(questions <= 5 * 2 * BATCH, "a pass soon finds out, and asks about half as many each time: {questions}");
    *fixture.filter.most.lock().unwrap() = BATCH;
    assert_eq!(fixture.pass(), 0);
}

#[test]
fn a_text_without_a_response_delays_no_other_and_is_left_to_moderators() {
    let mut fixture = Fixture::new();
    let unanswered = fixture.create("m7", NO_RESPONSE);
    for _ in 0..2 * BATCH {
        fixture.create("m7", "a text");
    }
    assert_eq!(fixture.pass(), 2 * BATCH + 1, "the text that has no response is found");
    assert_eq!(fixture.pass(), 1, "all others have a response");
    let about = |fixture: &Fixture| {
        fixture.filter.received.lock().unwrap().iter().filter(|item| item.comment == unanswered).count()
    };
    let questions = about(&fixture);
    for _ in 0..9 {
        assert_eq!(fixture.pass(), 1, "the filter may be away");
    }
    assert!(about(&fixture) - questions <= 4, "after longer and longer pauses");
    let mut passes = 0;
    while fixture.found(unanswered).2.contains(ReviewCause::ServiceUnavailable) {
        fixture.create("m7", "a text");
        assert!(fixture.pass() <= 1, "others do not wait");
        passes += 1;
        assert!(passes < 99, "it is never left to moderators");
    }
    assert_eq!(fixture.found(unanswered).2, causes(&[ReviewCause::Flag]));
    assert_eq!(fixture.pass(), 0);
}

#[test]
fn a_filter_that_is_too_slow_for_many_texts_is_asked_about_fewer() {
    let mut fixture = Fixture::new();
    for _ in 0..5 * BATCH {
        fixture.create("m7", "a text");
    }
    *fixture.filter.most.lock().unwrap() = 9;
    assert_eq!(fixture.pass(), 0, "64, 32 and 16 are too many");
    let questions = fixture.filter.received.lock().unwrap().len();
    assert!(questions < 8 * BATCH, "{questions}");
}

#[test]
fn the_lease_of_a_moderator_and_an_edit_that_came_meanwhile_win() {
    let mut fixture = Fixture::new();
    let leased = fixture.create("m7", "a text");
    let claim = ReviewClaim {
        filter: ReviewFilter { object_type: object_type(), causes: ReviewCauses::OUTAGE },
        holder: MemberId::stored("mod".to_owned()),
        token: LeaseToken([7; 16]),
        duration: Duration::from_secs(60),
        limit: 1,
    };
    assert_eq!(run(fixture.model.claim(&claim)).unwrap().len(), 1);
    let items = run(item::read(fixture.model.as_ref(), &[(leased, WaitingText::Present)])).unwrap();
    assert_eq!((fixture.pass(), fixture.found(leased).0), (1, CommentState::Pending));
    assert!(fixture.filter.received.lock().unwrap().is_empty(), "the moderator judges, so no filter is asked");
    let allow = || Recheck::Outcome(FilterOutcome::Allow, ReviewPriority::USUAL, None);
    assert_eq!(run(fixture.drain.act(&items[0], allow())), Ok(false));
    assert_eq!(run(fixture.model.release(&[leased], &claim.holder, claim.token)), Ok(1));
    fixture.edit(leased, "a later text");
    assert_eq!(run(fixture.drain.act(&items[0], allow())), Ok(false), "another text was judged");
    assert_eq!((fixture.pass(), fixture.found(leased).0), (0, CommentState::Active));
}
