//! The pages of readers are the same bytes with and without comments beside them that wait for
//! review: only what names the revision of the subject moves.

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use prost::Message;
use riposte_sdk::v1::{
    CommentSort, CommentState, CommentThread, GetCommentRequest, GetThreadRequest, LikeValue, ListCommentsRequest,
    ListRepliesRequest, Subject,
};
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, mysql};

use super::cache::{cache_url, start_redis};
use super::unjudged_texts::approve;

/// The comments that wait beside the pages: as many roots as replies.
const WAITING: usize = 1_000;
/// The creates that are under way at the same time.
const CONCURRENT: usize = 32;
/// The approved roots; each has a liked reply, with a reply of its own.
const ROOTS: usize = 5;

/// Creates approved roots, each with replies of two levels and a like. Returns the roots and the
/// replies to them.
async fn threads(server: &Server, say: &Say) -> Result<(Vec<i64>, Vec<i64>)> {
    let (mut roots, mut replies) = (Vec::new(), Vec::new());
    for n in 0..ROOTS {
        let root = say.comment("ann", &format!("root {n}")).await?.id;
        approve(server, &[root]).await?;
        let reply = say.reply(root, "ben", &format!("reply {n}")).await?.id;
        approve(server, &[reply]).await?;
        let below = say.reply(reply, "ann", &format!("below {n}")).await?.id;
        approve(server, &[below]).await?;
        say.like(reply, "fan", LikeValue::Like).await?;
        say.like(root, "fan", LikeValue::Like).await?;
        roots.push(root);
        replies.push(reply);
    }
    Ok((roots, replies))
}

/// Creates comments that wait: every second one is a root, the others are replies to a root or to a
/// reply. Returns the last revision of the subject.
async fn hold(say: &Say, roots: &[i64], replies: &[i64]) -> Result<i64> {
    let made = futures::stream::iter(0..WAITING).map(|n| async move {
        let of = n / 4 % ROOTS;
        let comment = match n % 4 {
            0 | 2 => say.comment("eve", &format!("waits {n}")).await?,
            1 => say.reply(roots[of], "eve", &format!("waits {n}")).await?,
            _ => say.reply(replies[of], "eve", &format!("waits {n}")).await?,
        };
        ensure!(comment.state() == CommentState::Pending, "{comment:?}");
        anyhow::Ok(comment.id)
    });
    let made: Vec<_> = made.buffer_unordered(CONCURRENT).try_collect().await?;
    ensure!(made.len() == WAITING);
    let request = GetCommentRequest { id: made[0], viewer_member_id: "eve".into(), ..GetCommentRequest::default() };
    let own = say.client.comments().get_comment(request).await?.into_inner().comment.context("no comment")?;
    ensure!(own.state() == CommentState::Pending, "{own:?}");
    Ok(say.page(CommentSort::Oldest, 1).await?.subject_revision)
}

/// Removes what names the revision of the subject.
fn without_revision(subject: Option<Subject>) -> Option<Subject> {
    subject.map(|subject| Subject { revision: 0, ..subject })
}

/// Returns the bytes of every page of readers that shows at least this revision, without page
/// tokens, which are encrypted anew in each response, and without the revision of the subject.
async fn pages(say: &Say, roots: &[i64], min_revision: i64) -> Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    let sorts =
        [CommentSort::Newest, CommentSort::Oldest, CommentSort::Hot, CommentSort::Top, CommentSort::MostReplies];
    for sort in sorts {
        let request = ListCommentsRequest {
            sort: sort.into(),
            page_size: 20,
            reply_preview_size: Some(3),
            min_revision,
            ..ListCommentsRequest::default()
        };
        let mut page = say.list(request).await?;
        ensure!(page.threads.len() == ROOTS && page.subject_revision >= min_revision, "{page:?}");
        ensure!(page.next_page_token.is_empty() && page.degraded.is_empty(), "{page:?}");
        (page.subject, page.subject_revision) = (without_revision(page.subject), 0);
        pages.push((format!("{sort:?}"), page.encode_to_vec()));
    }
    for root in roots {
        for sort in [CommentSort::Oldest, CommentSort::Newest, CommentSort::Top] {
            let request =
                ListRepliesRequest { root_id: *root, sort: sort.into(), min_revision, ..ListRepliesRequest::default() };
            let mut page = say.client.replies().list_replies(request).await?.into_inner();
            ensure!(page.replies.len() == 2 && page.degraded.is_empty(), "{page:?}");
            page.subject_revision = 0;
            pages.push((format!("replies of {root}, {sort:?}"), page.encode_to_vec()));
        }
        let request = GetThreadRequest { comment_id: *root, min_revision, ..GetThreadRequest::default() };
        let mut page = say.client.replies().get_thread(request).await?.into_inner();
        page.subject_revision = 0;
        pages.push((format!("thread of {root}"), page.encode_to_vec()));
    }
    Ok(pages)
}

async fn compare(server: &Server) -> Result<()> {
    let say = Say::on(&server.client()?, "article");
    let (roots, replies) = threads(server, &say).await?;
    let first = say.page(CommentSort::Oldest, 20).await?;
    let previews = |threads: &[CommentThread]| threads.iter().all(|thread| !thread.replies.is_empty());
    ensure!(previews(&first.threads), "{first:?}");
    let before = pages(&say, &roots, first.subject_revision).await?;
    let last = hold(&say, &roots, &replies).await?;
    ensure!(last > first.subject_revision, "the subject's revision moves: {last}");
    // From the rows, and from the cache, which the first reads filled.
    for _ in 0..3 {
        let after = pages(&say, &roots, last).await?;
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            ensure!(before == after, "{name}:\n{before:?}\n{after:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn pages_are_the_same_beside_comments_that_wait() -> Result<()> {
    compare(&Server::dev_with(None, &["--moderate", "pre"]).await?).await
}

#[tokio::test]
async fn pages_of_redis_and_mariadb_are_the_same_beside_comments_that_wait() -> Result<()> {
    let (Some(redis), Some(databases)) = (start_redis()?, mysql::servers()) else { return Ok(()) };
    let url = cache_url(&redis);
    let more = ["--set", "cache.kind=redis", "--set", &url, "--set", "object_type_defaults.moderation=pre"];
    let databases = Databases::on(&databases, more).await?;
    compare(&Server::serve_with(&databases.arguments).await?).await
}
