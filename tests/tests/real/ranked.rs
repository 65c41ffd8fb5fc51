//! Decide Madrid, ranked: every sort order of every proposal compared with a brute-force sort, with
//! real votes.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::subject_scope::Scope;
use riposte_sdk::v1::{Comment, CommentSort, CommentState, ListCommentsRequest, RebuildRanksRequest, SubjectScope};
use riposte_tests::real::madrid::{Madrid, OBJECT_TYPE, Orphans};
use riposte_tests::{Say, Server, rank, real};

use super::madrid::import;

const RANKED: [CommentSort; 5] =
    [CommentSort::Hot, CommentSort::Top, CommentSort::Best, CommentSort::Controversial, CommentSort::MostReplies];

fn gone(comment: &Comment) -> bool {
    comment.state != i32::from(CommentState::Active)
}

/// Returns the ids in ranked order, with the tombstones after them, newest first.
fn ranked(mut comments: Vec<Comment>, sort: CommentSort) -> Vec<i64> {
    comments.sort_by_key(|comment| std::cmp::Reverse(comment.floor));
    let (gone, mut stands): (Vec<_>, Vec<_>) = comments.into_iter().partition(gone);
    rank::sort(&mut stands, sort);
    stands.iter().chain(&gone).map(|comment| comment.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_of_every_proposal_is_that_of_its_votes() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    let server = Server::dev().await?;
    let scratch = tempfile::tempdir()?;
    import(&server, &data, &[], scratch.path()).await?.ended(6)?;
    // Rank indexes follow by themselves; the rebuild only shortens the wait.
    let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(OBJECT_TYPE.to_owned())) });
    let request = RebuildRanksRequest { scope, ..RebuildRanksRequest::default() };
    let mut responses = server.admin()?.rebuild_ranks(request).await?.into_inner();
    while responses.message().await?.is_some() {}
    let (client, mut roots, mut liked) = (server.client()?, 0, 0);
    for object_id in madrid.proposals.keys() {
        let say = Say { client: client.clone(), key: real::key(OBJECT_TYPE, object_id) };
        let all = say.roots(CommentSort::Newest, 100).await?;
        for sort in RANKED {
            let found: Vec<i64> = say.roots(sort, 50).await?.iter().map(|comment| comment.id).collect();
            ensure!(found == ranked(all.clone(), sort), "{object_id} by {sort:?}");
        }
        roots += all.len();
        liked += previews(&say).await?;
    }
    println!("{roots} roots in five orders; {liked} previews that begin with a liked reply");
    ensure!(roots > 2_000 && liked > 100, "{roots} roots, {liked} previews");
    Ok(())
}

/// Fails unless every preview of a subject shows the most liked replies, then the oldest; returns
/// the number of previews that begin with a liked reply.
async fn previews(say: &Say) -> Result<usize> {
    let request = ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Hot.into(),
        page_size: 100,
        ..ListCommentsRequest::default()
    };
    let (mut pages, mut liked) = (say.client.list(request)?, 0);
    while let Some(page) = pages.next().await? {
        for thread in page.threads.into_iter().filter(|thread| !thread.replies.is_empty()) {
            let root = thread.comment.context("a thread without its root")?.id;
            let mut replies = say.replies(root, CommentSort::Oldest, 100).await?;
            let likes = |reply: &Comment| if gone(reply) { 0 } else { reply.like_count };
            replies.sort_by_key(|reply| (std::cmp::Reverse(likes(reply)), reply.floor));
            let expected: Vec<i64> = replies.iter().take(3).map(|reply| reply.id).collect();
            let shown: Vec<i64> = thread.replies.iter().map(|reply| reply.id).collect();
            ensure!(shown == expected, "{root}: {shown:?}, not {expected:?}");
            liked += usize::from(thread.replies[0].like_count > 0);
        }
    }
    Ok(liked)
}
