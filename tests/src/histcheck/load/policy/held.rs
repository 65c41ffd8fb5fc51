//! Moderators that lease texts which an outage of the filter held, and judge them while the filter
//! responds again. The lease keeps the texts for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::RequestIds;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::verdict_result::Result as Judged;
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, CommentState, Grounds, ModerationAction, ReviewCause, SubmitVerdictsRequest,
    VerdictResult, VerdictTarget,
};
use tokio::sync::watch;
use tonic::{Request, Status};

use super::client::FIRST_CLIENT;
use super::{FIRST_MODERATOR, MODERATORS};
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, Nanos, Op, Outcome, PolicyCall, PolicyResponse};
use crate::histcheck::load::{Environment, failure_outcome};
use crate::histcheck::names;

/// The duration of a lease.
const LEASE: Duration = Duration::from_secs(15);
/// The shortest time between a claim and the verdicts, and the longest time that it grows by.
const READS: Duration = Duration::from_secs(2);
const VARIATION: Duration = Duration::from_secs(9);
/// The number of texts of a claim.
const CLAIMED: i32 = 6;
/// The pause after a claim without texts.
const PAUSE: Duration = Duration::from_millis(500);
/// Timeout of a call.
const WITHIN: Duration = Duration::from_secs(2);

/// A text that a moderator has leased.
#[derive(Debug)]
struct LeasedText {
    subject: u32,
    comment: i64,
    etag: String,
}

/// A moderator with its state.
#[derive(Debug)]
pub(crate) struct HeldTexts {
    number: u32,
    rng: StdRng,
    ids: RequestIds,
}

impl HeldTexts {
    /// Returns all moderators.
    pub(crate) fn all(seed: u64) -> impl Iterator<Item = Self> {
        (FIRST_MODERATOR..FIRST_MODERATOR + MODERATORS).map(move |number| {
            let rng = StdRng::seed_from_u64(seed ^ u64::from(number + 821).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            Self { number, rng, ids: RequestIds::default() }
        })
    }

    /// Leases and judges while `active` is true, until its sender is dropped.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            let lease_until = environment.now() + LEASE.as_nanos() as u64;
            let server = self.rng.random_range(0..SERVERS);
            // A claim that fails is followed by another one: its lease ends by itself.
            let (texts, lease) = self.claim(&environment, server).await.unwrap_or_default();
            if texts.is_empty() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            tokio::time::sleep(READS + VARIATION.mul_f64(self.rng.random())).await;
            for text in texts {
                self.judge(&environment, &text, &lease, lease_until).await?;
            }
        }
        Ok(())
    }

    async fn claim(&self, environment: &Environment, server: usize) -> Result<(Vec<LeasedText>, String), Status> {
        let request = ClaimReviewItemsRequest {
            object_type: names::FILTERED_TYPE.to_owned(),
            causes: vec![ReviewCause::ServiceUnavailable.into()],
            limit: CLAIMED,
            lease: Some(prost_types::Duration { seconds: LEASE.as_secs() as i64, nanos: 0 }),
            moderator_id: names::moderator_id(self.number),
            request_id: self.ids.next(),
        };
        let mut service = ModerationServiceClient::new(environment.channels.ports(server).admin);
        let claimed = service.claim_review_items(timed(request)).await?.into_inner();
        let waiting = claimed.items.into_iter().filter_map(|item| item.comment).filter_map(|held| {
            let comment = held.comment.filter(|comment| comment.state() == CommentState::Pending)?;
            let text = &comment.content.as_ref()?.text;
            Some(LeasedText { subject: names::text_number(text).0, comment: comment.id, etag: held.etag })
        });
        Ok((waiting.collect(), claimed.lease_token))
    }

    /// Judges a text, and records the result.
    async fn judge(
        &mut self,
        environment: &Environment,
        text: &LeasedText,
        lease: &str,
        lease_until: Nanos,
    ) -> Result<()> {
        let (server, approves) = (self.rng.random_range(0..SERVERS), self.rng.random_ratio(1, 2));
        let action = if approves { ModerationAction::Approve } else { ModerationAction::Reject };
        let request = SubmitVerdictsRequest {
            action: action.into(),
            grounds: Some(Grounds { code: "outage.held".to_owned(), ..Grounds::default() }),
            targets: vec![VerdictTarget { comment_id: text.comment, etag: text.etag.clone() }],
            lease_token: lease.to_owned(),
            moderator_id: names::moderator_id(self.number),
            request_id: self.ids.next(),
        };
        let begun = environment.now();
        let mut service = ModerationServiceClient::new(environment.channels.ports(server).admin);
        let outcome = match service.submit_verdicts(timed(request)).await {
            Ok(judged) => outcome(judged.into_inner().results),
            Err(status) => failure_outcome(status).0,
        };
        let call = PolicyCall::JudgeHeld { comment: text.comment, approves, lease_until };
        let (client, ended) = (FIRST_CLIENT + self.number, environment.now());
        let (server, call) = (server as u8, Call::Policy { subject: text.subject, call });
        environment.recorder.op(Op { client, server, begun, ended, request: (0, 0), call, outcome })?;
        environment.completed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Returns the outcome of a verdict on one text.
fn outcome(results: Vec<VerdictResult>) -> Outcome {
    match results.into_iter().next().and_then(|result| result.result) {
        Some(Judged::Decision(_)) => Outcome::Policy(PolicyResponse::Set),
        Some(Judged::Error(error)) => Outcome::Refused(error.reason.as_str().into()),
        None => Outcome::Unknown("the response lacks its result".into()),
    }
}

fn timed<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(WITHIN);
    request
}
