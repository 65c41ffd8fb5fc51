//! Moderation while a data source does not respond: the calls that need it are refused, and those
//! on comments of the other continue.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;

use anyhow::{Context, Result, ensure};
use futures::future::{join_all, select_ok};
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, Comment, CommentState, GetModeratedCommentsRequest, ListDecisionsRequest,
    ListOwnDecisionsRequest, ListOwnReportsRequest, ListReportsRequest, ListReviewItemsRequest,
    ListUnlistedCommentsRequest, ModerationAction, ReleaseReviewItemsRequest, ReportCommentRequest, ReportReason,
    SetModerationRequest, SubmitVerdictsRequest, VerdictResult, VerdictTarget,
};
use riposte_tests::proxy::{Proxy, ProxyMode};
use riposte_tests::{Say, Server, command, mysql, settings, until};
use tonic::Status;

use super::{AT_ONCE, SUBJECTS, is_unavailable};

/// The type whose comments wait for review.
const GATED: &str = "gated";

/// The clients of a server, and the etag of each comment.
struct Moderation {
    server: Server,
    client: riposte_sdk::Client,
    etags: BTreeMap<i64, String>,
    /// The id of the requests that approve comments.
    request: String,
}

impl Moderation {
    async fn texts(&self, id: i64) -> Result<(), Status> {
        let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
        self.service()?.get_moderated_comments(request).await.map(drop)
    }

    async fn decisions(&self, id: i64) -> Result<(), Status> {
        let request = ListDecisionsRequest { of: Some(Of::CommentId(id)), ..ListDecisionsRequest::default() };
        self.service()?.list_decisions(request).await.map(drop)
    }

    async fn reports(&self, id: i64) -> Result<(), Status> {
        let request = ListReportsRequest { comment_id: id, ..ListReportsRequest::default() };
        self.service()?.list_reports(request).await.map(drop)
    }

    async fn report(&self, id: i64) -> Result<(), Status> {
        let (member_id, reason) = ("ben".to_owned(), ReportReason::Spam.into());
        let request = ReportCommentRequest { comment_id: id, member_id, reason, ..ReportCommentRequest::default() };
        self.client.reports().report_comment(request).await.map(drop)
    }

    async fn unlisted(&self, say: &Say) -> Result<(), Status> {
        let (subject, member_id) = (Some(say.key.clone()), "ann".to_owned());
        let request = ListUnlistedCommentsRequest { subject, member_id, ..ListUnlistedCommentsRequest::default() };
        self.client.comments().list_unlisted_comments(request).await.map(drop)
    }

    async fn queue(&self) -> Result<(), Status> {
        let request = ListReviewItemsRequest { object_type: GATED.to_owned(), ..ListReviewItemsRequest::default() };
        self.service()?.list_review_items(request).await.map(drop)
    }

    /// Claims, and returns the lease.
    async fn claim(&self, limit: usize) -> Result<String, Status> {
        let request = ClaimReviewItemsRequest {
            object_type: GATED.to_owned(),
            limit: i32::try_from(limit).unwrap_or(0),
            moderator_id: "mod-1".to_owned(),
            ..ClaimReviewItemsRequest::default()
        };
        Ok(self.service()?.claim_review_items(request).await?.into_inner().lease_token)
    }

    async fn release(&self, id: i64, lease_token: &str) -> Result<i32, Status> {
        let (comment_ids, moderator_id) = (vec![id], "mod-1".to_owned());
        let lease_token = lease_token.to_owned();
        let request = ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, request_id: String::new() };
        Ok(self.service()?.release_review_items(request).await?.into_inner().released)
    }

    async fn own_reports(&self) -> Result<(), Status> {
        let (object_type, member_id) = (GATED.to_owned(), "ben".to_owned());
        let request = ListOwnReportsRequest { object_type, member_id, ..ListOwnReportsRequest::default() };
        self.client.reports().list_own_reports(request).await.map(drop)
    }

    async fn own_decisions(&self) -> Result<(), Status> {
        let (object_type, member_id) = (GATED.to_owned(), "ann".to_owned());
        let request = ListOwnDecisionsRequest { object_type, member_id, ..ListOwnDecisionsRequest::default() };
        self.client.reports().list_own_decisions(request).await.map(drop)
    }

    /// Approves comments. A repeat returns the first decisions.
    async fn approve(&self, ids: &[i64], lease: &str) -> Result<Vec<VerdictResult>, Status> {
        let target = |id: &i64| VerdictTarget { comment_id: *id, etag: self.etags[id].clone() };
        let request = SubmitVerdictsRequest {
            action: ModerationAction::Approve.into(),
            targets: ids.iter().map(target).collect(),
            lease_token: lease.to_owned(),
            moderator_id: "mod-1".to_owned(),
            request_id: self.request.clone(),
            ..SubmitVerdictsRequest::default()
        };
        Ok(self.service()?.submit_verdicts(request).await?.into_inner().results)
    }

    async fn switch(&self, off: bool) -> Result<(), Status> {
        let moderator_id = "op-1".to_owned();
        let request = SetModerationRequest { off, moderator_id, ..SetModerationRequest::default() };
        let mut admin = self.server.admin().map_err(|error| Status::unknown(error.to_string()))?;
        let mut responses = admin.set_moderation(request).await?.into_inner();
        while responses.message().await?.is_some() {}
        Ok(())
    }

    fn service(
        &self,
    ) -> Result<riposte_sdk::v1::moderation_service_client::ModerationServiceClient<riposte_sdk::Connection>, Status>
    {
        self.server.moderation().map_err(|error| Status::unknown(error.to_string()))
    }
}

/// Waits until one of some concurrent calls is refused because a source is unavailable. A call that
/// probes the source ends by its deadline.
async fn is_refused<T: Debug, F: Future<Output = Result<T, Status>>>(what: &str, call: impl Fn() -> F) -> Result<()> {
    let is_refused = async || match call().await {
        Ok(response) => Err(Some(anyhow::anyhow!("{what}: {response:?}"))),
        Err(status) => is_unavailable(status).then_some(()).ok_or(None),
    };
    until(what, async || match select_ok((0..AT_ONCE).map(|_| Box::pin(is_refused()))).await {
        Ok(_) => Ok(true),
        Err(unexpected) => unexpected.map_or(Ok(false), Err),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn moderation_of_a_stalled_source_is_refused_and_that_of_the_other_continues() -> Result<()> {
    let Some([first, second]) = mysql::servers() else { return Ok(()) };
    let (name, port) = (mysql::fresh_name(), second.rsplit_once(':').context("no port")?.1.parse()?);
    let proxy = Proxy::to(port).await?;
    drop(Server::serve(&[first.clone(), second], &name).await?);
    let proxied = format!("mysql://root@127.0.0.1:{}", proxy.port());
    let mut arguments = settings::on_databases(&[first, proxied], &name);
    arguments.extend(settings::sets(["object_types.gated.moderation=pre"]));
    let server = Server::serve_with(&arguments).await?;
    let client = server.client()?;
    let mut made: Vec<(Say, Comment)> = Vec::new();
    for _ in 0..SUBJECTS {
        let say = Say::on(&client, GATED);
        let comment = say.comment("ann", "waits").await?;
        ensure!(comment.state() == CommentState::Pending, "{comment:?}");
        made.push((say, comment));
    }
    let ids = made.iter().map(|(_, comment)| comment.id).collect();
    let request = GetModeratedCommentsRequest { ids, allow_missing: false };
    let texts = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    let etag = |text: riposte_sdk::v1::ModeratedComment| Some((text.comment?.id, text.etag));
    let etags = texts.into_iter().filter_map(etag).collect();
    // Another process, which knows none of the comments.
    let server = Server::serve_with(&arguments).await?;
    let (client, request) = (server.client()?, uuid::Uuid::now_v7().to_string());
    let of = Moderation { server, client, etags, request };
    let lease = of.claim(SUBJECTS).await?;

    proxy.set(ProxyMode::Stalled);
    is_refused("the queue", || of.queue()).await?;
    let found = join_all(made.iter().map(|(_, comment)| of.texts(comment.id))).await;
    let made = made.iter().map(|(say, comment)| (say, comment.id));
    let (near, far): (Vec<_>, Vec<_>) = made.zip(found).partition(|(_, found)| found.is_ok());
    ensure!(near.len() >= 3 && far.len() >= 3, "{} and {} subjects", near.len(), far.len());
    let ([((here, close), _), ((_, judged), _), ..], [((there, distant), _), ..]) = (&near[..], &far[..]) else {
        anyhow::bail!("too few subjects")
    };
    is_refused("a claim", || of.claim(1)).await?;
    is_refused("a member's reports", || of.own_reports()).await?;
    is_refused("a member's statements", || of.own_decisions()).await?;
    is_refused("a text", || of.texts(*distant)).await?;
    is_refused("decisions", || of.decisions(*distant)).await?;
    is_refused("reports", || of.reports(*distant)).await?;
    is_refused("a report", || of.report(*distant)).await?;
    is_refused("unlisted comments", || of.unlisted(there)).await?;
    is_refused("a release", || of.release(*distant, &lease)).await?;

    until("each target has its own outcome", async || {
        let Ok(results) = of.approve(&[*distant, *judged], &lease).await else { return Ok(false) };
        let [VerdictResult { result: Some(Outcome::Error(error)), .. }, decided] = &results[..] else {
            anyhow::bail!("{results:?}")
        };
        ensure!(matches!(error.reason.as_str(), "SHARD_UNAVAILABLE" | "DEADLINE_EXCEEDED"), "{error:?}");
        ensure!(matches!(decided.result, Some(Outcome::Decision(_))), "{decided:?}");
        Ok(true)
    })
    .await?;
    of.decisions(*judged).await?;
    of.report(*judged).await?;
    of.reports(*judged).await?;
    of.unlisted(here).await?;
    ensure!(of.release(*close, &lease).await? == 1);
    ensure!(here.comment("ann", "waits too").await?.state() == CommentState::Pending);
    // The switch is set at all sources, or the call fails.
    is_refused("the switch", || of.switch(true)).await?;
    until("the command names the reason", async || {
        let off = command::run(["moderate", "off", "--target", of.server.admin_target()]).await?;
        ensure!(off.code != 0 && !off.out.contains("moderation is off"), "{}{}", off.out, off.err);
        Ok(off.err.contains("SHARD_UNAVAILABLE"))
    })
    .await?;

    proxy.set(ProxyMode::Forward);
    until("moderation is on", async || Ok(of.switch(false).await.is_ok())).await?;
    until("the verdict counts", async || {
        let Ok(results) = of.approve(&[*distant], &lease).await else { return Ok(false) };
        Ok(matches!(results[..], [VerdictResult { result: Some(Outcome::Decision(_)), .. }]))
    })
    .await?;
    until("the queue is back", async || Ok(of.queue().await.is_ok())).await?;
    until("comments wait again", async || match there.comment("ann", "waits again").await {
        Ok(made) => Ok(made.state() == CommentState::Pending),
        Err(_) => Ok(false),
    })
    .await
}
