//! The text of a comment or of an edit that waits for review is in no key of Redis and in no
//! response but to its author and to moderators, until a moderator approves it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    BatchGetCommentsRequest, ClaimReviewItemsRequest, CommentSort, CommentState, GetCommentRequest,
    GetModeratedCommentsRequest, GetThreadRequest, Grounds, ListCommentRevisionsRequest, ListConversationRequest,
    ListMemberCommentsRequest, ListUnlistedCommentsRequest, ModeratedComment, ModerationAction, SubmitVerdictsRequest,
    UpdateCommentRequest, VerdictTarget,
};
use riposte_tests::mysql::Databases;
use riposte_tests::say::content;
use riposte_tests::{Say, Server, mysql, until};
use tonic::Code;
use tonic_types::StatusExt;

use super::cache::{cache_url, start_redis};

/// Each text that waits begins with this.
const CANARY: &str = "canary";
const TIMEOUT: Duration = Duration::from_secs(60);

/// Approves comments as they are now.
pub(super) async fn approve(server: &Server, ids: &[i64]) -> Result<()> {
    judge(server, ids, ModerationAction::Approve, |comment| comment.etag).await
}

/// Judges what the etags of comments name that `etag` returns.
async fn judge(
    server: &Server,
    ids: &[i64],
    action: ModerationAction,
    etag: fn(ModeratedComment) -> String,
) -> Result<()> {
    let mut service = server.moderation()?;
    let request = GetModeratedCommentsRequest { ids: ids.to_vec(), allow_missing: false };
    let read = service.get_moderated_comments(request).await?.into_inner().comments;
    let target = |(id, etag): (&i64, String)| VerdictTarget { comment_id: *id, etag };
    let etags = read.into_iter().map(etag);
    let request = SubmitVerdictsRequest {
        action: action.into(),
        grounds: Some(Grounds { code: "spam".to_owned(), ..Grounds::default() }),
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

/// Returns what readers without rights get of these comments.
async fn public(say: &Say, ids: &[i64]) -> Result<String> {
    let mut client = say.client.comments();
    let batch = BatchGetCommentsRequest { ids: ids.to_vec(), ..BatchGetCommentsRequest::default() };
    let mut shown = format!("{:?}", client.batch_get_comments(batch).await?.into_inner());
    let history = ListMemberCommentsRequest {
        object_type: say.key.object_type.clone(),
        member_id: "ann".to_owned(),
        ..ListMemberCommentsRequest::default()
    };
    shown += &format!("{:?}", client.list_member_comments(history).await?.into_inner());
    let unlisted = ListUnlistedCommentsRequest {
        subject: Some(say.key.clone()),
        member_id: "ben".to_owned(),
        ..ListUnlistedCommentsRequest::default()
    };
    shown += &format!("{:?}", client.list_unlisted_comments(unlisted).await?.into_inner());
    for id in ids {
        let revisions = ListCommentRevisionsRequest { id: *id, ..ListCommentRevisionsRequest::default() };
        shown += &format!("{:?}", client.list_comment_revisions(revisions).await?.into_inner());
        let conversation = ListConversationRequest { comment_id: *id, ..ListConversationRequest::default() };
        shown += &format!("{:?}", say.client.replies().list_conversation(conversation).await?.into_inner());
        for viewer in ["", "ben"] {
            let request =
                GetCommentRequest { id: *id, viewer_member_id: viewer.to_owned(), ..GetCommentRequest::default() };
            shown += &format!("{:?}", client.get_comment(request).await?.into_inner());
        }
    }
    Ok(shown)
}

#[tokio::test]
async fn a_refused_comment_leaves_the_list_of_its_author_after_seven_days() -> Result<()> {
    let Some(servers) = mysql::servers() else { return Ok(()) };
    let databases = Databases::on(&servers, ["--set", "object_type_defaults.moderation=pre"]).await?;
    let server = Server::serve_with(&databases.arguments).await?;
    let say = Say::on(&server.client()?, "article");
    let (refused, waits) = (say.comment("ann", "refused").await?.id, say.comment("ann", "waits").await?.id);
    judge(&server, &[refused], ModerationAction::Reject, |comment| comment.etag).await?;
    let listed = async || -> Result<Vec<i64>> {
        let (subject, member_id) = (Some(say.key.clone()), "ann".to_owned());
        let request = ListUnlistedCommentsRequest { subject, member_id, ..ListUnlistedCommentsRequest::default() };
        let found = say.client.comments().list_unlisted_comments(request).await?.into_inner().comments;
        Ok(found.into_iter().filter_map(|unlisted| Some(unlisted.comment?.id)).collect())
    };
    ensure!(listed().await? == [waits, refused], "{:?}", listed().await?);
    // Seconds less than seven days ago, and more.
    let days = 7 * 24 * 60 * 60 * 1_000_i64;
    for (ago, expected) in [(days - 600_000, vec![waits, refused]), (600_000, vec![waits])] {
        for url in &servers {
            let moved =
                format!("UPDATE comment_review SET unlisted_until = unlisted_until - {ago} WHERE unlisted_until > 0");
            mysql::query(url, &databases.name, &moved).await?;
        }
        ensure!(listed().await? == expected, "{ago} ms: {:?}", listed().await?);
    }
    let get = |viewer: &str| GetCommentRequest {
        id: refused,
        viewer_member_id: viewer.to_owned(),
        ..GetCommentRequest::default()
    };
    let own = say.client.comments().get_comment(get("ann")).await?.into_inner().comment.context("no comment")?;
    ensure!(own.state() == CommentState::Rejected && own.content.is_some(), "elsewhere it stays: {own:?}");
    let history = ListMemberCommentsRequest {
        object_type: say.key.object_type.clone(),
        member_id: "ann".to_owned(),
        include_unlisted: true,
        ..ListMemberCommentsRequest::default()
    };
    until("the history has it, too", async || {
        let page = say.client.comments().list_member_comments(history.clone()).await?.into_inner();
        Ok(page.comments.iter().any(|comment| comment.id == refused))
    })
    .await?;
    let others = say.client.comments().get_comment(get("ben")).await.err().context("others see it")?;
    ensure!(others.code() == Code::NotFound, "{others:?}");
    // The time to send another text, which runs from the refusal too, is over.
    let edit = UpdateCommentRequest {
        id: refused,
        member_id: "ann".to_owned(),
        content: content("better"),
        ..UpdateCommentRequest::default()
    };
    let late = say.client.comments().update_comment(edit).await.err().context("an edit after seven days")?;
    let info = late.get_details_error_info().context("no reason")?;
    ensure!(info.reason == "EDIT_WINDOW_CLOSED" && info.metadata.contains_key("until"), "{late:?}");
    // Moderators may decide whenever they want, and another refusal begins another seven days.
    approve(&server, &[refused]).await?;
    ensure!(say.client.comments().get_comment(get("ben")).await.is_ok() && listed().await? == [waits]);
    judge(&server, &[refused], ModerationAction::Reject, |comment| comment.etag).await?;
    ensure!(listed().await? == [waits, refused], "{:?}", listed().await?);
    Ok(())
}

#[tokio::test]
async fn an_edit_that_waits_is_in_no_copy_until_it_is_approved() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let settings =
        ["--moderate", "pre", "--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.threshold=0"];
    let server = Server::dev_with(None, &settings).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("ann", "the root in sight").await?.id;
    approve(&server, &[root]).await?;
    let reply = say.reply(root, "ann", "the reply in sight").await?.id;
    approve(&server, &[reply]).await?;
    let ids = [root, reply];
    let edit = async |round: &str| -> Result<()> {
        for id in ids {
            let request = UpdateCommentRequest {
                id,
                member_id: "ann".to_owned(),
                content: content(&format!("{CANARY} {round} of {id}")),
                ..UpdateCommentRequest::default()
            };
            let response = say.client.comments().update_comment(request).await?.into_inner();
            ensure!(format!("{:?}", response.proposed_edit).contains(CANARY), "{response:?}");
            ensure!(format!("{:?}", response.comment).contains("in sight"), "{response:?}");
        }
        Ok(())
    };
    let is_unseen = async || -> Result<()> {
        for _ in 0..5 {
            let shown = shown(&say, root).await? + &public(&say, &ids).await?;
            ensure!(shown.contains("the root in sight") && shown.contains("the reply in sight"), "{shown}");
            ensure!(!shown.contains(CANARY), "{shown}");
            ensure!(redis.keys_with(CANARY)?.is_empty(), "{:?}", redis.keys_with(CANARY)?);
        }
        Ok(())
    };
    edit("first").await?;
    is_unseen().await?;
    let waiting = own(&say, &ids).await?;
    ensure!(ids.iter().all(|id| waiting.contains(&format!("{CANARY} first of {id}"))), "{waiting}");
    is_unseen().await?;
    // Only its author reads a refused edit. One that was replaced is in no response.
    judge(&server, &ids, ModerationAction::Reject, |comment| comment.proposed_edit_etag).await?;
    is_unseen().await?;
    ensure!(own(&say, &ids).await?.contains(CANARY), "a refused edit");
    edit("second").await?;
    is_unseen().await?;
    ensure!(!own(&say, &ids).await?.contains("canary first"), "a replaced edit");
    judge(&server, &ids, ModerationAction::Approve, |comment| comment.proposed_edit_etag).await?;
    let published = async {
        loop {
            let shown = shown(&say, root).await?;
            let is_shown = ids.iter().all(|id| shown.contains(&format!("{CANARY} second of {id}")));
            if is_shown && !redis.keys_with(CANARY)?.is_empty() {
                ensure!(!shown.contains("canary first"), "{shown}");
                return anyhow::Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(TIMEOUT, published).await.context("the approved edits are not shown and cached")??;
    let history = public(&say, &ids).await?;
    ensure!(history.contains("the root in sight") && !history.contains("canary first"), "{history}");
    Ok(())
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

#[tokio::test]
async fn a_text_that_a_word_list_holds_or_rejects_is_in_no_copy() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("words.jsonl");
    std::fs::write(&file, "{\"word\":\"held\"}\n{\"word\":\"refuse\",\"outcome\":\"reject\"}\n")?;
    let lists = format!("policy.lists=[{{name=\"words\", file={file:?}}}]");
    let settings = ["--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.threshold=0", "--set", &lists];
    let server = Server::dev_with(None, &settings).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("ben", "a visible root").await?.id;
    let edited = say.reply(root, "ann", "a visible reply").await?.id;
    let mut unseen = Vec::new();
    for word in ["held", "refuse"] {
        unseen.push(say.comment("ann", &format!("canary {word} of a root")).await?.id);
        unseen.push(say.reply(root, "ann", &format!("canary {word} of a reply")).await?.id);
        let request = UpdateCommentRequest {
            id: edited,
            member_id: "ann".to_owned(),
            content: content(&format!("canary {word} of an edit")),
            ..UpdateCommentRequest::default()
        };
        say.client.comments().update_comment(request).await?;
    }
    for _ in 0..5 {
        let shown = shown(&say, root).await? + &public(&say, &[root, edited]).await?;
        ensure!(shown.contains("a visible root") && shown.contains("a visible reply"), "{shown}");
        ensure!(!shown.contains(CANARY), "{shown}");
        let own = own(&say, &unseen).await?;
        ensure!(own.matches("canary held").count() >= 2 && own.matches("canary refuse").count() >= 2, "{own}");
        ensure!(redis.keys_with(CANARY)?.is_empty(), "{:?}", redis.keys_with(CANARY)?);
    }
    Ok(())
}
