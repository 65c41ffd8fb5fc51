//! Moderators that work through the review queue of an object type, at several servers at once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::Connection;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, ClaimReviewItemsResponse, Comment, CommentState, Decision, Grounds, ListCommentsRequest,
    ListDecisionsRequest, ModerationAction, SubmitVerdictsRequest, VerdictResult, VerdictTarget,
    list_decisions_request,
};
use tokio::task::JoinSet;
use tonic::Status;

use crate::say::{patiently, request_id};
use crate::{Say, Server, until};

/// The pause of a client before it repeats a call to a busy server.
const PAUSE: Duration = Duration::from_millis(200);

/// The judgement of a moderator about a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// The comment may be shown.
    Approved,
    /// The comment may not be shown.
    Rejected,
    /// The moderator leases the comment and decides nothing.
    Undecided,
}

impl Judgement {
    /// Returns the act that follows from the judgement.
    fn action(self) -> Option<ModerationAction> {
        match self {
            Self::Approved => Some(ModerationAction::Approve),
            Self::Rejected => Some(ModerationAction::Reject),
            Self::Undecided => None,
        }
    }
}

/// Moderators of an object type, with their common rule.
#[derive(Debug)]
pub struct Moderators<J> {
    object_type: &'static str,
    /// The number of comments that wait, or will.
    total: usize,
    judge: J,
    claimed: AtomicUsize,
    /// The comments whose approval was sent to a server.
    approved: Mutex<HashSet<i64>>,
}

/// The decisions of moderators.
#[derive(Debug, Default)]
pub struct Rulings {
    /// Each decision, with the revision of the subject that it made.
    pub decisions: Vec<(Decision, i64)>,
    /// The comments that were leased and not judged, by the token of their lease and the moderator.
    pub undecided: HashMap<(String, String), Vec<i64>>,
}

impl<J: Fn(&Comment) -> Result<Judgement> + Send + Sync + 'static> Moderators<J> {
    /// Describes moderators that judge `total` comments of a type by `judge`.
    #[must_use]
    pub fn new(object_type: &'static str, total: usize, judge: J) -> Arc<Self> {
        let (claimed, approved) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { object_type, total, judge, claimed, approved })
    }

    /// Lets `count` moderators work, in turn at each of the servers, until all comments were
    /// claimed and judged.
    ///
    /// # Errors
    /// A verdict that failed, or a comment that two of them got.
    pub async fn work(self: &Arc<Self>, servers: &[Server], count: usize) -> Result<Rulings> {
        let mut tasks = JoinSet::new();
        for (number, server) in (0..count).zip(servers.iter().cycle()) {
            let (all, service) = (Arc::clone(self), server.moderation()?);
            tasks.spawn(async move { all.work_alone(service, format!("moderator-{number}")).await });
        }
        let (mut work, mut shares, mut claimed) = (Rulings::default(), Vec::new(), HashSet::new());
        while let Some(done) = tasks.join_next().await {
            let one = done??;
            shares.push(one.decisions.len());
            let undecided = one.undecided.values().flatten().copied();
            for id in one.decisions.iter().map(|(decision, _)| decision.comment_id).chain(undecided) {
                ensure!(claimed.insert(id), "{id} was claimed twice");
            }
            work.decisions.extend(one.decisions);
            work.undecided.extend(one.undecided);
        }
        ensure!(claimed.len() == self.total, "{} of {} comments were claimed", claimed.len(), self.total);
        println!("decisions by moderator: {shares:?}");
        Ok(work)
    }

    async fn work_alone(&self, mut service: ModerationServiceClient<Connection>, name: String) -> Result<Rulings> {
        let mut work = Rulings::default();
        while let Some(claimed) = self.claim(&service, &name).await? {
            let mut targets: HashMap<Judgement, Vec<VerdictTarget>> = HashMap::new();
            for item in claimed.items {
                let item = item.comment.context("an item without comment")?;
                let comment = item.comment.context("an empty comment")?;
                ensure!(comment.state() == CommentState::Pending, "{comment:?}");
                let target = VerdictTarget { comment_id: comment.id, etag: item.etag };
                targets.entry((self.judge)(&comment)?).or_default().push(target);
            }
            for (judgement, targets) in targets {
                let ids = targets.iter().map(|target| target.comment_id);
                let Some(action) = judgement.action() else {
                    work.undecided.insert((claimed.lease_token.clone(), name.clone()), ids.collect());
                    continue;
                };
                if judgement == Judgement::Approved {
                    self.approved.lock().unwrap_or_else(PoisonError::into_inner).extend(ids);
                }
                let request = SubmitVerdictsRequest {
                    action: action.into(),
                    grounds: Some(Grounds { code: "file".to_owned(), ..Grounds::default() }),
                    targets,
                    lease_token: claimed.lease_token.clone(),
                    moderator_id: name.clone(),
                    request_id: request_id(),
                };
                work.decisions.extend(submit(&mut service, &request).await?);
            }
        }
        Ok(work)
    }

    /// Leases the comments that are due first; `None` after all were claimed.
    async fn claim(
        &self,
        service: &ModerationServiceClient<Connection>,
        name: &str,
    ) -> Result<Option<ClaimReviewItemsResponse>> {
        let request = ClaimReviewItemsRequest {
            object_type: self.object_type.to_owned(),
            lease: Some(prost_types::Duration { seconds: 3_600, nanos: 0 }),
            moderator_id: name.to_owned(),
            ..ClaimReviewItemsRequest::default()
        };
        let got = Mutex::new(None);
        until("a comment waits", async || {
            if self.claimed.load(Ordering::Relaxed) == self.total {
                return Ok(true);
            }
            let request = &ClaimReviewItemsRequest { request_id: request_id(), ..request.clone() };
            let claimed = patiently(|| async { service.clone().claim_review_items(request.clone()).await }).await?;
            let claimed = claimed.into_inner();
            self.claimed.fetch_add(claimed.items.len(), Ordering::Relaxed);
            let is_some = !claimed.items.is_empty();
            *got.lock().unwrap_or_else(PoisonError::into_inner) = is_some.then_some(claimed);
            Ok(is_some)
        })
        .await?;
        Ok(got.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the newest page of a subject again and again until `end`, and returns the number of
    /// pages.
    ///
    /// # Errors
    /// A comment with a text that was not approved.
    pub async fn read(self: Arc<Self>, say: Say, end: tokio::sync::watch::Receiver<bool>) -> Result<usize> {
        let mut pages = 0;
        while !*end.borrow() {
            let page = say.list(ListCommentsRequest { page_size: 100, ..ListCommentsRequest::default() }).await?;
            let approved = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
            for comment in page.threads.iter().filter_map(|thread| thread.comment.as_ref()) {
                ensure!(comment.content.is_none() || approved.contains(&comment.id), "shown unjudged: {comment:?}");
            }
            pages += 1;
        }
        Ok(pages)
    }
}

/// Sends verdicts, each of which must be a decision. Repeats those for which the server had no
/// capacity, as a client does: the request id lets a verdict take effect once.
async fn submit(
    service: &mut ModerationServiceClient<Connection>,
    request: &SubmitVerdictsRequest,
) -> Result<Vec<(Decision, i64)>> {
    let overloaded =
        |result: &VerdictResult| matches!(&result.result, Some(Outcome::Error(error)) if error.reason == "OVERLOADED");
    let ask = || async {
        let response = service.clone().submit_verdicts(request.clone()).await?;
        if response.get_ref().results.iter().any(overloaded) {
            tokio::time::sleep(PAUSE).await;
            return Err(Status::deadline_exceeded("the server had no capacity for a verdict"));
        }
        Ok(response)
    };
    let results = patiently(ask).await?.into_inner().results;
    ensure!(results.len() == request.targets.len(), "{} results", results.len());
    let decision = |result: VerdictResult| match result.result {
        Some(Outcome::Decision(decision)) => Ok((decision, result.subject_revision)),
        other => anyhow::bail!("no decision about {}: {other:?}", result.comment_id),
    };
    results.into_iter().map(decision).collect()
}

/// Returns the decisions on a comment, newest first, at most 20.
///
/// # Errors
/// The server's.
pub async fn decisions(service: &ModerationServiceClient<Connection>, id: i64) -> Result<Vec<Decision>> {
    let of = Some(list_decisions_request::Of::CommentId(id));
    let request = ListDecisionsRequest { of, ..ListDecisionsRequest::default() };
    Ok(service.clone().list_decisions(request).await?.into_inner().decisions)
}
