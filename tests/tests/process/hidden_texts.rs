//! Texts of comments that are hidden or deleted are in no copy that others can read: no key of
//! Redis, no page, preview, thread or history, and no error.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    AdminServiceDeleteCommentRequest, BatchGetCommentsRequest, CommentSort, DeleteCommentRequest, ErrorReason,
    GetCommentRequest, GetModeratedCommentsRequest, GetThreadRequest, HideCommentRequest, LikeValue,
    ListCommentRevisionsRequest, ListConversationRequest, ListMemberCommentsRequest, PinCommentRequest,
    UnhideCommentRequest, UpdateCommentRequest,
};
use riposte_test_support::redis::Server as Redis;
use riposte_tests::say::content;
use riposte_tests::{Say, Server, refused};
use tonic::{Code, Status};

use super::cache::{cache_url, start_redis};

/// Each text to be hidden begins with this.
const CANARY: &str = "canary";
const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until Redis has keys of all these forms with the canary, or none at all.
async fn until_keys(redis: &Redis, forms: &[&str]) -> Result<()> {
    until_keys_with(redis, CANARY, forms).await
}

/// Waits until Redis has keys of all these forms with a text, or none at all.
async fn until_keys_with(redis: &Redis, text: &str, forms: &[&str]) -> Result<()> {
    let found = async {
        loop {
            let keys = redis.keys_with(text)?;
            if forms.iter().all(|form| keys.iter().any(|key| key.contains(form))) && forms.is_empty() == keys.is_empty()
            {
                return anyhow::Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(TIMEOUT, found).await.with_context(|| format!("{forms:?}: {:?}", redis.keys_with(text)))?
}

/// The comments of the test: a root whose text changed, a reply to a visible root, and two roots
/// with a visible reply each.
struct Canaries {
    say: Say,
    visible: i64,
    edited: i64,
    reply: i64,
    own: i64,
    moderated: i64,
}

async fn canaries_at(server: &Server) -> Result<Canaries> {
    let say = Say::on(&server.client()?, "article");
    let visible = say.comment("m", "a visible root").await?.id;
    let reply = say.reply(visible, "ann", "canary of a reply").await?.id;
    let mut roots = Vec::new();
    for text in ["canary before an edit", "canary of the author", "canary of a moderator"] {
        let root = say.comment("ann", text).await?.id;
        say.reply(root, "m", "a visible reply").await?;
        roots.push(root);
    }
    let (id, member_id) = (roots[0], "ann".to_owned());
    let text = content("canary after an edit");
    let edit = UpdateCommentRequest { id, member_id, content: text, ..UpdateCommentRequest::default() };
    say.client.comments().update_comment(edit).await?;
    Ok(Canaries { say, visible, edited: roots[0], reply, own: roots[1], moderated: roots[2] })
}

impl Canaries {
    fn hidden(&self) -> [i64; 4] {
        [self.edited, self.reply, self.own, self.moderated]
    }

    /// Returns everything that the readers of the public port get.
    async fn shown(&self) -> Result<String> {
        let say = &self.say;
        let mut shown = String::new();
        for sort in [CommentSort::Newest, CommentSort::Oldest, CommentSort::Top, CommentSort::Hot] {
            shown += &format!("{:?}", say.page(sort, 20).await?);
        }
        for root in [self.visible, self.edited, self.own, self.moderated] {
            shown += &format!("{:?}", say.replies(root, CommentSort::Oldest, 20).await?);
            let request = GetThreadRequest { comment_id: root, ..GetThreadRequest::default() };
            shown += &format!("{:?}", say.client.replies().get_thread(request).await?.into_inner());
        }
        for comment_id in self.hidden() {
            let request = ListConversationRequest { comment_id, ..ListConversationRequest::default() };
            shown += &format!("{:?}", say.client.replies().list_conversation(request).await?.into_inner());
            for (viewer, fresh) in [("ann", false), ("ann", true), ("m", false), ("", false)] {
                let (id, viewer_member_id) = (comment_id, viewer.to_owned());
                let request = GetCommentRequest { id, viewer_member_id, fresh, ..GetCommentRequest::default() };
                shown += &format!("{:?}", say.client.comments().get_comment(request).await?.into_inner());
            }
        }
        let request = BatchGetCommentsRequest { ids: self.hidden().to_vec(), ..BatchGetCommentsRequest::default() };
        shown += &format!("{:?}", say.client.comments().batch_get_comments(request).await?.into_inner());
        let (object_type, member_id) = (say.key.object_type.clone(), "ann".to_owned());
        let own = ListMemberCommentsRequest { object_type, member_id, include_unlisted: true, ..Default::default() };
        shown += &format!("{:?}", say.client.comments().list_member_comments(own).await?.into_inner());
        Ok(shown)
    }

    async fn history(&self, id: i64) -> Result<String, Status> {
        let request = ListCommentRevisionsRequest { id, ..ListCommentRevisionsRequest::default() };
        Ok(format!("{:?}", self.say.client.comments().list_comment_revisions(request).await?.into_inner()))
    }

    /// Returns the rejections of calls that name a comment that is not visible.
    async fn rejections(&self, id: i64) -> Result<Vec<Status>> {
        let (say, member_id) = (&self.say, "ann".to_owned());
        let mut comments = say.client.comments();
        let edit = UpdateCommentRequest {
            id,
            member_id: member_id.clone(),
            content: content("late"),
            etag: "another".to_owned(),
            ..UpdateCommentRequest::default()
        };
        let by_stranger =
            DeleteCommentRequest { id, member_id: "stranger".to_owned(), ..DeleteCommentRequest::default() };
        let pin = PinCommentRequest { id, member_id, ..PinCommentRequest::default() };
        let rejections = [
            say.like(id, "m", LikeValue::Like).await.err(),
            say.reply(id, "m", "late").await.err(),
            self.history(id).await.err(),
            comments.update_comment(edit).await.err(),
            comments.delete_comment(by_stranger).await.err(),
            comments.pin_comment(pin).await.err(),
        ];
        rejections.into_iter().map(|rejection| rejection.context("not refused")).collect()
    }
}

#[tokio::test]
async fn texts_of_hidden_and_deleted_comments_are_in_no_copy_and_in_no_error() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let settings = ["--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.threshold=0"];
    let server = Server::dev_with(None, &settings).await?;
    let canaries = canaries_at(&server).await?;
    // The texts are cached, as comments and in rendered pages, and in the history.
    let fill = async {
        while !(redis.keys_with(CANARY)?.iter().any(|key| key.contains(":f:"))) {
            ensure!(canaries.shown().await?.contains(CANARY));
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(TIMEOUT, fill).await.context("no page is rendered")??;
    until_keys(&redis, &[":c:", ":f:"]).await?;
    ensure!(canaries.history(canaries.edited).await?.contains("canary before an edit"));
    let mut admin = server.admin()?;
    for id in [canaries.edited, canaries.reply] {
        let request = HideCommentRequest { id, moderator_id: "mod".to_owned(), ..HideCommentRequest::default() };
        admin.hide_comment(request).await?;
    }
    let (id, member_id) = (canaries.own, "ann".to_owned());
    let own = DeleteCommentRequest { id, member_id, ..DeleteCommentRequest::default() };
    canaries.say.client.comments().delete_comment(own).await?;
    let (id, moderator_id) = (canaries.moderated, "mod".to_owned());
    let request = AdminServiceDeleteCommentRequest { id, moderator_id, ..AdminServiceDeleteCommentRequest::default() };
    admin.delete_comment(request).await?;
    until_keys(&redis, &[]).await?;
    // The response cache may return its page for a moment; from then on no read shows a text.
    let gone = async {
        while canaries.shown().await?.contains(CANARY) {
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(TIMEOUT, gone).await.context("a text is shown")??;
    for _ in 0..3 {
        let shown = canaries.shown().await?;
        ensure!(!shown.contains(CANARY) && shown.contains("a visible reply"), "{shown}");
    }
    ensure!(redis.keys_with(CANARY)?.is_empty(), "the reads brought it back");
    for id in canaries.hidden() {
        ensure!(refused(canaries.history(id).await)? == (Code::NotFound, ErrorReason::CommentNotFound));
        for rejection in canaries.rejections(id).await? {
            let details = String::from_utf8_lossy(rejection.details()).into_owned();
            let metadata = format!("{:?}", rejection.metadata());
            ensure!(
                ![rejection.message(), &details, &metadata].iter().any(|text| text.contains(CANARY)),
                "{rejection:?}"
            );
        }
    }
    let (id, moderator_id) = (canaries.edited, "mod".to_owned());
    admin.unhide_comment(UnhideCommentRequest { id, moderator_id, ..UnhideCommentRequest::default() }).await?;
    let back = async {
        while !canaries.shown().await?.contains("canary after an edit") {
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(TIMEOUT, back).await.context("the text that is visible again is not shown")??;
    ensure!(canaries.history(canaries.edited).await?.contains("canary before an edit"));
    Ok(())
}

#[tokio::test]
async fn masked_words_are_in_no_copy_and_in_no_public_response() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("masked.txt");
    std::fs::write(&file, CANARY)?;
    let (url, list) = (cache_url(&redis), format!("policy.lists=[{{name=\"m\", outcome=\"mask\", file={file:?}}}]"));
    let settings = ["--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.threshold=0", "--set", &list];
    let server = Server::dev_with(None, &settings).await?;
    let canaries = canaries_at(&server).await?;
    let masked = "****** of a reply";
    let fill = async {
        while !redis.keys_with(masked)?.iter().any(|key| key.contains(":f:")) {
            ensure!(canaries.shown().await?.contains(masked));
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(TIMEOUT, fill).await.context("no page is rendered")??;
    until_keys_with(&redis, masked, &[":c:", ":f:"]).await?;
    ensure!(canaries.history(canaries.edited).await?.contains("****** before an edit"));
    for response in [canaries.shown().await?, canaries.history(canaries.edited).await?] {
        ensure!(!response.contains(CANARY), "{response}");
    }
    ensure!(redis.keys_with(CANARY)?.is_empty(), "{:?}", redis.keys_with(CANARY)?);
    // Moderators read what the members wrote, of the text in place.
    let request = GetModeratedCommentsRequest { ids: canaries.hidden().to_vec(), ..Default::default() };
    let found = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    let originals: Vec<String> =
        found.into_iter().filter_map(|comment| comment.original).map(|content| content.text).collect();
    let expected = ["canary after an edit", "canary of a reply", "canary of the author", "canary of a moderator"];
    ensure!(originals == expected, "{originals:?}");
    ensure!(redis.keys_with(CANARY)?.is_empty(), "{:?}", redis.keys_with(CANARY)?);
    server.stop().await?;
    Ok(())
}
