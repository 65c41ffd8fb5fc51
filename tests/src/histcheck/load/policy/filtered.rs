//! The client of texts that a filter judges. It lets the filter fail for a while, again and again.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_fakes::{CallFault, CallScript, Fakes, FilterScript, Outcome as FilterOutcome, Script};
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::FILTER_CLIENT;
use super::client::{FIRST_CLIENT, RETRY_PERIOD, complete, new_request, text_of};
use crate::histcheck::history::{
    Call, FilterQuestion, FilterResult, Op, Outcome, PolicyCall, PolicyResponse, RequestId, state,
};
use crate::histcheck::load::Environment;
use crate::histcheck::names::{FILTERED, FILTERED_MEMBER_COUNT, FILTERED_MEMBERS, SHOWN, STRICT};

/// Number of subjects of each type.
const SUBJECTS: u32 = 4;
/// The longest pause between two creates.
const PAUSE: Duration = Duration::from_millis(60);
/// The shortest time for which the filter responds or does not, and the longest time that it grows
/// by.
const PERIOD: Duration = Duration::from_secs(3);
const VARIATION: Duration = Duration::from_secs(5);

/// The filters, one for each process of the service.
#[derive(Debug)]
pub(crate) struct FilterFakes(Vec<Fakes>);

impl FilterFakes {
    /// Starts filters that answer, on these listeners.
    ///
    /// # Errors
    /// Fails when a listener cannot be used.
    pub(crate) fn start(listeners: Vec<TcpListener>) -> Result<Self> {
        listeners.into_iter().map(|listener| Fakes::on(listener, script(true))).collect::<Result<_>>().map(Self)
    }

    /// Returns the texts that the filters were asked about so far.
    pub(crate) fn questions(&self) -> impl Iterator<Item = FilterQuestion> {
        self.0.iter().flat_map(Fakes::filter_requests).flat_map(|request| request.items).map(|item| {
            let hits = item.local_hits.into_iter().flat_map(|hit| [hit.source, hit.version, hit.id]);
            let metadata = item.metadata.into_iter().flat_map(|(key, value)| [key, value]);
            let others = [item.key, item.object_type, item.object_id].into_iter().chain(hits).chain(metadata);
            FilterQuestion {
                comment: item.comment_id,
                token: item.member_token.into(),
                others: others.map(String::into_boxed_str).collect(),
            }
        })
    }

    fn set(&self, responds: bool) {
        self.0.iter().for_each(|filter| filter.set_script(script(responds)));
    }
}

fn script(responds: bool) -> Script {
    let outcome = |result| match result {
        FilterResult::Allow => FilterOutcome::Allow,
        FilterResult::Hold => FilterOutcome::Hold,
        FilterResult::Reject => FilterOutcome::Reject,
        FilterResult::Open => FilterOutcome::Undecided,
    };
    let words = FilterResult::ALL.map(|result| (result.word().to_owned(), outcome(result))).into();
    let calls = if responds { CallScript::default() } else { CallScript::with(CallFault::Unavailable) };
    Script { filter: FilterScript { calls, words, ..FilterScript::default() }, ..Script::default() }
}

/// The client with its state.
#[derive(Debug)]
pub(crate) struct FilteredClient {
    filters: Arc<FilterFakes>,
    rng: StdRng,
    ids: RequestIds,
    texts: u64,
    responds: bool,
    /// The time at which that changes.
    until: Instant,
    /// The roots in sight that were not edited, with their authors.
    shown: Vec<(u32, i64, u32)>,
}

impl FilteredClient {
    /// Creates the client.
    pub(crate) fn new(filters: Arc<FilterFakes>, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ 0x51_7c_c1_b7_27_22_0a_95);
        let (ids, until) = (RequestIds::default(), Instant::now() + PERIOD);
        Self { filters, rng, ids, texts: 0, responds: true, until, shown: Vec::new() }
    }

    /// Creates comments while `active` is true, until its sender is dropped. The filter responds at
    /// the end.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            if self.until <= Instant::now() {
                self.set(&environment, !self.responds)?;
                self.until = Instant::now() + PERIOD + VARIATION.mul_f64(self.rng.random());
            }
            let call = self.next()?;
            // The texts of this type are refused during an outage, which this client ends.
            let period = if call.0.subject() >= STRICT { Duration::ZERO } else { RETRY_PERIOD };
            let op = complete(&environment, (FILTER_CLIENT, &mut self.rng), call, period).await?;
            self.record(op);
            environment.completed.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(PAUSE.mul_f64(self.rng.random())).await;
        }
        self.set(&environment, true)
    }

    fn set(&mut self, environment: &Environment, responds: bool) -> Result<()> {
        let begun = environment.now();
        self.filters.set(responds);
        self.responds = responds;
        let call = Call::Policy { subject: FILTERED, call: PolicyCall::SetFilter { responds } };
        let outcome = Outcome::Policy(PolicyResponse::Set);
        let (client, ended) = (FIRST_CLIENT + FILTER_CLIENT, environment.now());
        environment.recorder.op(Op { client, server: 0, begun, ended, request: (0, 0), call, outcome })
    }

    fn next(&mut self) -> Result<(Call, RequestId)> {
        self.texts += 1;
        let text = text_of(FILTER_CLIENT, self.texts);
        let member = FILTERED_MEMBERS + self.rng.random_range(0..FILTERED_MEMBER_COUNT);
        let number = self.rng.random_range(0..SUBJECTS);
        let edits = self.rng.random_ratio(1, if self.responds { 10 } else { 2 });
        let edited = Some(self.shown.len()).filter(|count| edits && *count > 0);
        let (subject, call) = match (edited, self.rng.random_range(0..10)) {
            (Some(count), _) => {
                let (subject, comment, member) = self.shown.swap_remove(self.rng.random_range(0..count));
                (subject, PolicyCall::EditFiltered { comment, member, text, result: self.result() })
            }
            // Texts of these types have one result, so that the fallback alone decides.
            (None, other @ (0 | 1)) => {
                let first = if other == 0 { SHOWN } else { STRICT };
                let result = FilterResult::Allow;
                (first + number, PolicyCall::CreateFiltered { member, text, result, is_listed: false })
            }
            (None, other) => {
                let result = self.result();
                (FILTERED + number, PolicyCall::CreateFiltered { member, text, result, is_listed: other == 2 })
            }
        };
        Ok((Call::Policy { subject, call }, new_request(&self.ids)?))
    }

    /// Returns a result of the filter. Few texts are left open: they stay in the queue.
    fn result(&mut self) -> FilterResult {
        match self.rng.random_range(0..20) {
            0 => FilterResult::Open,
            1..6 => FilterResult::Hold,
            6..11 => FilterResult::Reject,
            _most => FilterResult::Allow,
        }
    }

    /// Keeps a root in sight.
    fn record(&mut self, op: Op) {
        if let (
            Call::Policy { subject, call: PolicyCall::CreateFiltered { member, .. } },
            Outcome::Policy(PolicyResponse::Written(written)),
        ) = (op.call, op.outcome)
            && written.state == state::ACTIVE
            && subject < SHOWN
        {
            self.shown.push((subject, written.id, member));
        }
    }
}
