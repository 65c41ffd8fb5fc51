//! The drain: what an outage held is asked again, once the services answer, without people. Only a
//! text that waits for nothing else is asked about.

mod item;
mod question_size;
mod suspects;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use riposte_core::act::CommentAct;
use riposte_core::checked_text::CODE_OF_ACCOUNTS;
use riposte_core::decision::{Automation, Detection, Grounds};
use riposte_core::member_gate::MemberGate;
use riposte_core::object_type::ObjectType;
use riposte_core::ports::{
    Clock, FilterClient, FilterJudgement, FilterOutcome, NoResult, Reader, ReviewCursor, ReviewFilter, ReviewQuery,
    Reviews,
};
use riposte_core::review::{Review, ReviewCauses, ReviewPriority, WaitingText};
use riposte_core::standing::Standing;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::{JudgeComment, ReferText, Ruling};
use riposte_core::{Caller, CommentId, Error, Mutations, Result};
use riposte_telemetry::Metrics;
use tokio::time::{MissedTickBehavior, interval};

use super::filtered::{FilterUse, code_of, hit_of};
use crate::background::Leadership;
use item::HeldItem;
use question_size::{QuestionSize, TRIES};
use suspects::Suspects;

/// The interval between two passes.
const INTERVAL: Duration = Duration::from_secs(2);
/// The reviews that are read at a time.
const PAGE: usize = 256;
/// The reviews that are read at a time where they are only counted.
const COUNTED: usize = 1_000;
/// The number of responses without a verdict after which a text is left to moderators.
const ATTEMPTS: u8 = 3;
/// The maximum number of texts without a verdict that are stored.
const UNDECIDED: usize = 100_000;

/// Asks again about what an outage held.
#[derive(Debug)]
pub struct OutageDrain {
    /// The queue of open reviews.
    pub reviews: Arc<dyn Reviews>,
    /// The rows.
    pub reader: Arc<dyn Reader>,
    /// The verdicts.
    pub mutations: Mutations,
    /// Standings and accounts.
    pub members: MemberGate,
    /// The filter and its use; `None` without one.
    pub filter: Option<(Arc<dyn FilterClient>, FilterUse)>,
    /// The object types with a service.
    pub types: Vec<ObjectType>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The metrics.
    pub metrics: Metrics,
    /// The texts that the filter left open, with the number of its responses.
    pub undecided: Undecided,
}

/// The texts that the filter left open, with the number of its responses.
#[derive(Debug, Default)]
pub struct Undecided(HashMap<(CommentId, WaitingText), u8>);

/// The result of the services about a text.
#[derive(Debug)]
enum Recheck {
    /// One outcome, with the priority of a review, and the judgement of the filter if it was asked.
    Outcome(FilterOutcome, ReviewPriority, Option<FilterJudgement>),
    /// A service left it open.
    Undecided,
    /// A service did not answer.
    Unavailable,
}

/// The questions about the texts of one type.
#[derive(Debug, Default)]
struct Questions {
    size: QuestionSize,
    suspects: Suspects,
}

/// The result of a question about some texts.
#[derive(Debug)]
struct Settled {
    /// The number of texts that wait for no service any more.
    count: usize,
    /// `true` if no service responded, or a result could not be stored.
    has_failed: bool,
}

/// The author of a text, as services know it.
#[derive(Debug, Clone, Copy)]
enum Author {
    /// Its rights.
    Known(Standing, ReviewPriority),
    /// The service left it open.
    Undecided,
    /// The service did not answer.
    Unavailable,
}

impl OutageDrain {
    /// Asks in a loop while this process leads the first data source, until the task is ended. A
    /// pass that fails is followed by another one: other metrics report a data source that does not
    /// answer.
    pub async fn run(mut self, mut leadership: Leadership) {
        loop {
            leadership.gained().await;
            tokio::select! {
                () = self.pass_always() => {}
                () = leadership.lost() => {}
            }
            // Another process counts from now on.
            self.types.iter().for_each(|object_type| self.metrics.held_by_outage(object_type.as_str(), 0));
        }
    }

    async fn pass_always(&mut self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut questions: Vec<_> =
            self.types.iter().map(|object_type| (object_type.clone(), Questions::default())).collect();
        loop {
            ticks.tick().await;
            for (object_type, of_type) in &mut questions {
                match self.pass(object_type, of_type).await {
                    Ok(left) => self.metrics.held_by_outage(object_type.as_str(), left as u64),
                    Err(error) => tracing::debug!(error = %error.log_text(), "what an outage held was not asked again"),
                }
            }
        }
    }

    /// Walks the queue of a type once, and returns the number of texts that an outage still holds.
    /// Once no service rechecks, the rest is counted.
    async fn pass(&mut self, object_type: &ObjectType, questions: &mut Questions) -> Result<usize> {
        let (mut after, mut left) = (None, 0);
        let mut last_questions = Vec::new();
        questions.begin();
        loop {
            let filter = ReviewFilter { object_type: object_type.clone(), causes: ReviewCauses::OUTAGE };
            let limit = if questions.size.size().is_some() { PAGE } else { COUNTED };
            let query = ReviewQuery { filter, member: None, leased: true, after, limit };
            let reviews = self.reviews.list(&query).await?;
            // The moderator with the lease judges the text, so a result would be in vain.
            let now = self.clock.now();
            let is_leased = |review: &&Review| review.lease.as_ref().is_some_and(|lease| lease.lasts(now));
            let (leased, free): (Vec<_>, Vec<_>) = reviews.iter().partition(is_leased);
            left += leased.into_iter().flat_map(held).count();
            let (suspects, held): (Vec<_>, Vec<_>) =
                free.into_iter().flat_map(held).partition(|text| questions.suspects.has(text));
            left += suspects.len() + held.len() - self.ask_in_parts(object_type, &held, questions).await?;
            last_questions.extend(suspects.into_iter().filter(|text| questions.suspects.is_next(text)));
            let last = reviews.last().filter(|_| reviews.len() == limit);
            let Some((review, due_time)) = last.and_then(|review| Some((review, review.due_time?))) else { break };
            after = Some(ReviewCursor { due_time, comment: review.comment_id });
        }
        Ok(left - self.ask_alone(object_type, &last_questions, questions).await?)
    }

    /// Asks about each of these texts alone, and returns the number of those that wait for no
    /// service any more.
    async fn ask_alone(
        &mut self,
        object_type: &ObjectType,
        texts: &[(CommentId, WaitingText)],
        questions: &mut Questions,
    ) -> Result<usize> {
        let (mut count, mut failures) = (0, 0);
        for text in texts {
            if failures == TRIES || questions.size.size().is_none() {
                break;
            }
            let settled = self.ask(object_type, &[*text]).await?;
            count += settled.count;
            if settled.has_failed {
                failures += 1;
                count += self.failed_alone(*text, questions).await?;
            } else {
                failures = 0;
                questions.suspects.succeeded(&[*text]);
            }
        }
        Ok(count)
    }

    /// Asks about texts until services fail, and returns the number of those that wait for none any
    /// more.
    async fn ask_in_parts(
        &mut self,
        object_type: &ObjectType,
        mut held: &[(CommentId, WaitingText)],
        questions: &mut Questions,
    ) -> Result<usize> {
        let mut count = 0;
        while let Some(size) = questions.size.size().filter(|_| !held.is_empty()) {
            let (part, rest) = held.split_at(size.min(held.len()));
            let settled = self.ask(object_type, part).await?;
            count += settled.count;
            match (settled.has_failed, part) {
                (false, _) => {
                    questions.succeeded(part);
                    held = rest;
                }
                (true, [text]) => {
                    questions.size.failed();
                    count += self.failed_alone(*text, questions).await?;
                    held = rest;
                }
                (true, _) => questions.size.failed(),
            }
        }
        Ok(count)
    }

    /// Counts a text that had no response though nothing else was asked about. Leaves it to
    /// moderators if the service is there for others. Returns the number of texts that wait no more
    /// for a service.
    async fn failed_alone(&self, text: (CommentId, WaitingText), questions: &mut Questions) -> Result<usize> {
        let mut count = 0;
        if !questions.suspects.failed(text) {
            return Ok(count);
        }
        for item in item::read(self.reader.as_ref(), &[text]).await? {
            let recheck = Recheck::Outcome(FilterOutcome::Flag, ReviewPriority::USUAL, None);
            count += usize::from(self.act(&item, recheck).await?);
        }
        Ok(count)
    }

    /// Asks about texts, and acts on the results.
    async fn ask(&mut self, object_type: &ObjectType, held: &[(CommentId, WaitingText)]) -> Result<Settled> {
        let items = item::read(self.reader.as_ref(), held).await?;
        if items.is_empty() {
            return Ok(Settled { count: 0, has_failed: false });
        }
        let mut rechecks = self.rechecks(object_type, &items).await;
        let mut has_failed = rechecks.iter().all(|recheck| matches!(recheck, Recheck::Unavailable));
        self.undecided.count(items.iter().zip(&mut rechecks));
        let acts = items.iter().zip(rechecks).map(|(item, recheck)| self.act(item, recheck));
        let mut count = 0;
        for done in join_all(acts).await {
            match done {
                Ok(is_settled) => count += usize::from(is_settled),
                Err(error) => {
                    tracing::debug!(error = %error.log_text(), "a text that an outage held was not settled");
                    has_failed = true;
                }
            }
        }
        Ok(Settled { count, has_failed })
    }

    /// Asks about the accounts of the authors, and then the filter about the texts of those that
    /// are known.
    async fn rechecks(&self, object_type: &ObjectType, items: &[HeldItem]) -> Vec<Recheck> {
        let now = self.clock.now();
        let authors = items.iter().map(async |item| {
            let member = Some(&item.at.member);
            match self.members.admit(object_type, member, item.act(), now).await {
                Ok(rights) if rights.is_undecided => Author::Undecided,
                Ok(rights) if rights.unknown.is_some() => Author::Unavailable,
                Ok(rights) => Author::Known(rights.standing.standing, rights.review_priority),
                // What the member may not do now is left to people.
                Err(_) => Author::Known(Standing::Banned, ReviewPriority::USUAL),
            }
        });
        let authors = join_all(authors).await;
        let Some((client, _)) = self.filter.as_ref().filter(|(_, of)| of.fallback(object_type).is_some()) else {
            let allow = |standing, priority| Recheck::Outcome(of_both(standing, FilterOutcome::Allow), priority, None);
            return authors.into_iter().map(|author| author.recheck(allow)).collect();
        };
        let known = items.iter().zip(&authors).filter(|(_, author)| matches!(author, Author::Known(..)));
        let questions: Vec<_> = known.map(|(item, _)| item.question()).collect();
        let mut judged = if questions.is_empty() { Vec::new() } else { client.judge(&questions).await }.into_iter();
        let mut of_filter = |standing, priority: ReviewPriority| match judged.next() {
            Some(Ok(judgement)) => {
                let priority = priority.max(ReviewPriority::new(judgement.review_priority));
                Recheck::Outcome(of_both(standing, judgement.outcome), priority, Some(judgement))
            }
            Some(Err(NoResult::Undecided)) => Recheck::Undecided,
            Some(Err(NoResult::Unavailable)) | None => Recheck::Unavailable,
        };
        authors.into_iter().map(|author| author.recheck(&mut of_filter)).collect()
    }

    /// Acts on the result about a text. Returns `true` if the text waits for no service any more.
    async fn act(&self, item: &HeldItem, recheck: Recheck) -> Result<bool> {
        let Recheck::Outcome(outcome, priority, judgement) = recheck else { return Ok(false) };
        let context = WriteContext {
            caller: Caller::unrestricted("riposte.policy"),
            member: None,
            request_id: Some(item.request_id()),
        };
        let verdict = |act| JudgeComment { act, ruling: Ruling::of_service(grounds(judgement), item.etag.clone()) };
        let (approve, reject) = match item.text {
            WaitingText::Present => (CommentAct::Approve, CommentAct::Reject),
            WaitingText::Proposed => (CommentAct::ApproveEdit, CommentAct::RejectEdit),
        };
        let done = match outcome {
            FilterOutcome::Allow => self.mutations.submit(&context, &item.at, verdict(approve)).await.map(drop),
            FilterOutcome::Reject | FilterOutcome::Refuse => {
                self.mutations.submit(&context, &item.at, verdict(reject)).await.map(drop)
            }
            FilterOutcome::Flag | FilterOutcome::Hold => {
                let refer = ReferText { text: item.text, etag: item.etag.clone(), priority };
                self.mutations.submit(&context, &item.at, refer).await.map(drop)
            }
        };
        match done {
            Ok(()) => Ok(true),
            // A moderator has leased it, or another act came first.
            Err(
                Error::ReviewLeaseLost
                | Error::EtagMismatch { .. }
                | Error::ReviewChanged { .. }
                | Error::StateConflict(_)
                | Error::StateConflictBecause(_)
                | Error::CommentNotFound
                | Error::SubjectNotFound
                | Error::RequestIdReused,
            ) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Questions {
    /// Begins a pass.
    const fn begin(&mut self) {
        self.size.begin();
        self.suspects.begin();
    }

    /// Counts a question about these texts that had a response.
    fn succeeded(&mut self, texts: &[(CommentId, WaitingText)]) {
        self.size.succeeded();
        self.suspects.succeeded(texts);
    }
}

impl Author {
    /// Returns the result about a text of this author, if it is known.
    fn recheck(self, of_known: impl FnOnce(Standing, ReviewPriority) -> Recheck) -> Recheck {
        match self {
            Self::Known(standing, priority) => of_known(standing, priority),
            Self::Undecided => Recheck::Undecided,
            Self::Unavailable => Recheck::Unavailable,
        }
    }
}

impl Undecided {
    /// Counts the responses that left a text open. The last attempt has the outcome FLAG:
    /// moderators judge the text.
    fn count<'a>(&mut self, rechecks: impl Iterator<Item = (&'a HeldItem, &'a mut Recheck)>) {
        if self.0.len() > UNDECIDED {
            self.0.clear();
        }
        for (item, recheck) in rechecks {
            let text = (item.at.id, item.text);
            match recheck {
                Recheck::Undecided => {
                    let attempts = self.0.entry(text).or_default();
                    *attempts += 1;
                    if *attempts >= ATTEMPTS {
                        self.0.remove(&text);
                        *recheck = Recheck::Outcome(FilterOutcome::Flag, ReviewPriority::USUAL, None);
                    }
                }
                Recheck::Outcome(..) => drop(self.0.remove(&text)),
                Recheck::Unavailable => {}
            }
        }
    }
}

/// Returns the texts of a comment that wait for nothing but a service.
fn held(review: &Review) -> impl Iterator<Item = (CommentId, WaitingText)> {
    let texts = [WaitingText::Present, WaitingText::Proposed].into_iter();
    texts.filter(move |text| review.waits_for_service(*text)).map(move |text| (review.comment_id, text))
}

/// Returns the stronger outcome of standing and filter. A trusted member is not flagged.
fn of_both(standing: Standing, outcome: FilterOutcome) -> FilterOutcome {
    match (standing, outcome) {
        (Standing::Trusted, FilterOutcome::Flag) => FilterOutcome::Allow,
        (Standing::Normal | Standing::Trusted, outcome) => outcome,
        (Standing::PreModerated | Standing::Muted | Standing::Banned, outcome) => outcome.max(FilterOutcome::Hold),
    }
}

/// Returns the reasons of a verdict.
fn grounds(judgement: Option<FilterJudgement>) -> Grounds {
    let automation = Automation::Full;
    match judgement {
        Some(judgement) => Grounds {
            code: code_of(&judgement),
            hits: vec![hit_of(&judgement)],
            explanation: judgement.explanation,
            detection: Detection::FilterService,
            automation,
            ..Grounds::default()
        },
        None => {
            let (code, detection) = (CODE_OF_ACCOUNTS.to_owned(), Detection::MemberStanding);
            Grounds { code, detection, automation, ..Grounds::default() }
        }
    }
}
