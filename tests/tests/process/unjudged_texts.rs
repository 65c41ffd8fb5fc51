//! The text of a comment that waits for review is in no key of Redis and in no answer but to its
//! author and to moderators, until a moderator approves it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, CommentSort, GetCommentRequest, GetModeratedCommentsRequest, GetThreadRequest,
    ListMemberCommentsRequest, ListUnlistedCommentsRequest, ModerationAction, SubmitVerdictsRequest, VerdictTarget,
};
use riposte_tests::{Say, Server};

use super::cache::{cache_url, start_redis};

/// Each text that waits begins with this.
const CANARY: &str = "canary";
const TIMEOUT: Duration = Duration::from_secs(60);

/// Approves comments as they are now.
async fn approve(server: &Server, ids: &[i64]) -> Result<()> {
    let mut service = server.moderation()?;
    let request = GetModeratedCommentsRequest { ids: ids.to_vec(), allow_missing: false };
    let read = service.get_moderated_comments(request).await?.into_inner().comments;
    let target = |(id, etag): (&i64, String)| VerdictTarget { comment_id: *id, etag };
    let etags = read.into_iter().map(|comment| comment.etag);
    let request = SubmitVerdictsRequest {
        action: ModerationAction::Approve.into(),
        targets: ids.iter().zip(etags).map(target).collect(),
        moderator_id: "mod".to_owned(),
        ..SubmitVerdictsRequest::default()
    };
    let results = service.submit_verdicts(request).await?.into_inner().results;
    ensure!(results.len() == ids.len() && results.iter().all(|result| !result.etag.is_empty()), "{results:?}");
    Ok(())
}

/// Returns everything that readers without rights get of the subject.
async fn shown(say: &Say, root: i64) -> Result<String> {
    let mut shown = String::new();
    for sort in [CommentSort::Newest, CommentSort::Oldest, CommentSort::Hot] {
        shown += &format!("{:?}", say.page(sort, 20).await?);
    }
    shown += &format!("{:?}", say.replies(root, CommentSort::Oldest, 20).await?);
    let request = GetThreadRequest { comment_id: root, ..GetThreadRequest::default() };
    shown += &format!("{:?}", say.client.replies().get_thread(request).await?.into_inner());
    Ok(shown)
}

/// Returns what the author reads of the own comments.
async fn own(say: &Say, ids: &[i64]) -> Result<String> {
    let (object_type, member_id) = (say.key.object_type.clone(), "ann".to_owned());
    let history = ListMemberCommentsRequest {
        object_type,
        member_id: member_id.clone(),
        include_unlisted: true,
        ..ListMemberCommentsRequest::default()
    };
    let subject = Some(say.key.clone());
    let unlisted = ListUnlistedCommentsRequest { subject, member_id, ..ListUnlistedCommentsRequest::default() };
    let mut own = format!("{:?}", say.client.comments().list_member_comments(history).await?.into_inner());
    own += &format!("{:?}", say.client.comments().list_unlisted_comments(unlisted).await?.into_inner());
    for id in ids {
        let request = GetCommentRequest { id: *id, viewer_member_id: "ann".to_owned(), ..GetCommentRequest::default() };
        own += &format!("{:?}", say.client.comments().get_comment(request).await?.into_inner());
    }
    Ok(own)
}

#[tokio::test]
async fn a_text_that_waits_is_in_no_copy_until_it_is_approved() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let settings =
        ["--moderate", "pre", "--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.threshold=0"];
    let server = Server::dev_with(None, &settings).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("ben", "a visible root").await?.id;
    approve(&server, &[root]).await?;
    let waiting =
        [say.comment("ann", "canary of a root").await?.id, say.reply(root, "ann", "canary of a reply").await?.id];
    for _ in 0..5 {
        let shown = shown(&say, root).await?;
        ensure!(shown.contains("a visible root") && !shown.contains(CANARY), "{shown}");
        let own = own(&say, &waiting).await?;
        ensure!(own.contains("canary of a root") && own.contains("canary of a reply"), "{own}");
        ensure!(redis.keys_with(CANARY)?.is_empty(), "{:?}", redis.keys_with(CANARY)?);
    }
    let claim = ClaimReviewItemsRequest {
        object_type: "article".to_owned(),
        moderator_id: "mod".to_owned(),
        ..ClaimReviewItemsRequest::default()
    };
    let claimed = server.moderation()?.claim_review_items(claim).await?.into_inner().items;
    ensure!(claimed.len() == 2 && format!("{claimed:?}").contains(CANARY), "{claimed:?}");
    ensure!(redis.keys_with(CANARY)?.is_empty(), "the reads of a moderator are not cached");
    approve(&server, &waiting).await?;
    let published = async {
        loop {
            let shown = shown(&say, root).await?;
            let is_shown = shown.contains("canary of a root") && shown.contains("canary of a reply");
            if is_shown && !redis.keys_with(CANARY)?.is_empty() {
                return anyhow::Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(TIMEOUT, published).await.context("the approved texts are not shown and cached")?
}
