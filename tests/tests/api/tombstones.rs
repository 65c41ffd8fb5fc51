//! Tombstones: an invisible comment stays listed while a visible comment is below it, at any depth.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{Comment, CommentSort, CommentState, DeletedBy, ErrorReason, LikeValue};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

use super::comments::{delete, get, undelete};

pub(crate) const CASES: &[Case] = cases![
    a_deleted_root_stays_as_a_tombstone_until_its_last_visible_reply_is_deleted,
    a_tombstone_stays_while_anything_visible_is_below_it_at_any_depth,
    a_thread_begins_with_a_tombstone_while_anything_visible_is_below_it_and_is_empty_afterwards,
    a_deleted_comment_without_replies_leaves_the_lists_and_is_read_as_a_tombstone,
    nothing_is_done_to_a_deleted_comment,
];

fn is_tombstone(comment: &Comment) -> bool {
    comment.state() == CommentState::Deleted && comment.content.is_none() && comment.member_id.is_empty()
}

async fn a_deleted_root_stays_as_a_tombstone_until_its_last_visible_reply_is_deleted(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let reply = say.reply(root.id, "x", "reply").await?;
    delete(&say, root.id, "m").await?;
    let listed = say.roots(CommentSort::Newest, 10).await?;
    ensure!(listed.len() == 1 && is_tombstone(&listed[0]) && listed[0].reply_count == 1, "{listed:?}");
    let subject = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    ensure!((subject.root_count, subject.comment_count) == (0, 1), "{subject:?}");
    delete(&say, reply.id, "x").await?;
    ensure!(say.roots(CommentSort::Newest, 10).await?.is_empty());
    undelete(&say, reply.id, "x").await?;
    ensure!(say.roots(CommentSort::Newest, 10).await?.len() == 1, "the tombstone did not come back");
    super::floors::verify(&fixture, &say).await
}

async fn a_tombstone_stays_while_anything_visible_is_below_it_at_any_depth(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "deep");
    let mut chain = vec![say.comment("m", "0").await?];
    for n in 1..6 {
        let parent = chain[n - 1].id;
        chain.push(say.reply(parent, "m", &n.to_string()).await?);
    }
    for comment in &chain[..5] {
        delete(&say, comment.id, "m").await?;
    }
    ensure!(chain[5].depth == 5, "{:?}", chain[5]);
    ensure!(say.roots(CommentSort::Oldest, 10).await?.iter().all(is_tombstone));
    ensure!(say.roots(CommentSort::Oldest, 10).await?.len() == 1);
    delete(&say, chain[5].id, "m").await?;
    ensure!(say.roots(CommentSort::Oldest, 10).await?.is_empty());
    ensure!(say.replies(chain[0].id, CommentSort::Oldest, 10).await?.is_empty());
    super::floors::verify(&fixture, &say).await
}

async fn a_thread_begins_with_a_tombstone_while_anything_visible_is_below_it_and_is_empty_afterwards(
    fixture: Fixture,
) -> Result<()> {
    let say = Say::on(&fixture.client, "deep");
    let root = say.comment("m", "0").await?;
    let middle = say.reply(root.id, "m", "1").await?;
    let leaf = say.reply(middle.id, "m", "2").await?;
    delete(&say, middle.id, "m").await?;
    let thread = super::threads::thread(&say, middle.id, 10).await?;
    ensure!(thread.len() == 2 && is_tombstone(&thread[0]) && thread[1].id == leaf.id, "{thread:?}");
    delete(&say, leaf.id, "m").await?;
    ensure!(super::threads::thread(&say, middle.id, 10).await?.is_empty());
    ensure!(super::threads::thread(&say, root.id, 10).await?.len() == 1);
    Ok(())
}

async fn a_deleted_comment_without_replies_leaves_the_lists_and_is_read_as_a_tombstone(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    delete(&say, root.id, "m").await?;
    ensure!(say.roots(CommentSort::Newest, 10).await?.is_empty());
    let tombstone = get(&say, root.id).await?;
    ensure!(is_tombstone(&tombstone) && tombstone.delete_time.is_some() && tombstone.floor == 1, "{tombstone:?}");
    ensure!(say.comment("m", "next").await?.floor == 2, "a floor was given twice");
    Ok(())
}

/// The tombstone is shown, so the error of a reply or a like has its state. Every other write
/// of its author or the owner but Undelete does not find the comment, with or without replies
/// below.
async fn nothing_is_done_to_a_deleted_comment(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    super::subjects::create(&say, "owner").await?;
    for with_reply in [false, true] {
        let root = say.comment("m", "root").await?;
        if with_reply {
            say.reply(root.id, "x", "reply").await?;
        }
        delete(&say, root.id, "m").await?;
        let unavailable = (Code::FailedPrecondition, ErrorReason::ParentUnavailable);
        ensure!(refused(say.reply(root.id, "m", "late").await)? == unavailable);
        let like = say.like(root.id, "m", LikeValue::Like).await;
        ensure!(refused(like)? == (Code::FailedPrecondition, ErrorReason::CommentUnavailable));
        let by_stranger = super::comments::edit(&say, root.id, "stranger", "late", "").await;
        let not_found = (Code::NotFound, ErrorReason::CommentNotFound);
        let found = [
            refused(super::comments::edit(&say, root.id, "m", "late", "").await)?,
            refused(by_stranger)?,
            refused(delete(&say, root.id, "m").await)?,
            refused(super::comments::pin(&say, root.id, "owner").await)?,
            refused(super::comments::unpin(&say, root.id, "owner").await)?,
            refused(super::admin::unhide(&fixture, root.id).await)?,
        ];
        ensure!(found.iter().all(|found| *found == not_found), "{found:?}");
        // A moderator may judge it: it stays deleted, and comes back hidden.
        ensure!(is_tombstone(&super::admin::hide(&fixture, root.id).await?));
        undelete(&say, root.id, "m").await?;
        ensure!(super::admin::unhide(&fixture, root.id).await?.state() == CommentState::Active);
        delete(&say, root.id, "m").await?;
        ensure!(super::admin::delete(&fixture, root.id).await?.deleted_by() == DeletedBy::Moderator);
        ensure!(refused(super::admin::delete(&fixture, root.id).await)? == not_found);
    }
    Ok(())
}
