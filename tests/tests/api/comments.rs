//! Comments: edit, history, delete, undelete, pin, read by id.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{
    ActingAs, BatchGetCommentsRequest, Comment, CommentSort, CommentState, DeleteCommentRequest, DeletedBy,
    ErrorReason, GetCommentRequest, ListCommentRevisionsRequest, PinCommentRequest, UndeleteCommentRequest,
    UnpinCommentRequest, UpdateCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::{Code, Status};

pub(crate) const CASES: &[Case] = cases![
    an_edit_by_the_author_keeps_the_history_and_moves_the_etag,
    another_member_cannot_edit_delete_or_pin,
    the_owner_of_the_subject_deletes_and_only_the_owner_brings_back,
    at_most_three_roots_are_pinned_and_they_stay_in_their_place,
    batches_keep_their_order_and_name_the_missing_ids,
    a_stale_etag_is_refused_and_likes_do_not_move_it,
    an_author_edits_only_within_the_window_of_the_type,
];

pub(crate) async fn get(say: &Say, id: i64) -> Result<Comment, Status> {
    let request = GetCommentRequest { id, ..GetCommentRequest::default() };
    Ok(say.client.comments().get_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn delete(say: &Say, id: i64, member: &str) -> Result<Comment, Status> {
    delete_as(say, id, member, ActingAs::Author).await
}

pub(crate) async fn delete_as(say: &Say, id: i64, member: &str, acting: ActingAs) -> Result<Comment, Status> {
    let request = DeleteCommentRequest {
        id,
        member_id: member.to_owned(),
        acting_as: acting.into(),
        ..DeleteCommentRequest::default()
    };
    Ok(say.client.comments().delete_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn undelete(say: &Say, id: i64, member: &str) -> Result<Comment, Status> {
    let request = UndeleteCommentRequest { id, member_id: member.to_owned(), ..UndeleteCommentRequest::default() };
    Ok(say.client.comments().undelete_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn edit(say: &Say, id: i64, member: &str, text: &str, etag: &str) -> Result<Comment, Status> {
    let request = UpdateCommentRequest {
        id,
        member_id: member.to_owned(),
        content: content(text),
        etag: etag.to_owned(),
        ..UpdateCommentRequest::default()
    };
    Ok(say.client.comments().update_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn pin(say: &Say, id: i64, member: &str) -> Result<Comment, Status> {
    let request = PinCommentRequest { id, member_id: member.to_owned(), ..PinCommentRequest::default() };
    Ok(say.client.comments().pin_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn unpin(say: &Say, id: i64, member: &str) -> Result<Comment, Status> {
    let request = UnpinCommentRequest { id, member_id: member.to_owned(), ..UnpinCommentRequest::default() };
    Ok(say.client.comments().unpin_comment(request).await?.into_inner().comment.unwrap_or_default())
}

async fn an_edit_by_the_author_keeps_the_history_and_moves_the_etag(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let made = say.comment("m", "one").await?;
    let second = edit(&say, made.id, "m", "two", &made.etag).await?;
    let third = edit(&say, made.id, "m", "three", "").await?;
    ensure!(second.etag != made.etag && third.etag != second.etag && third.edit_time.is_some(), "{third:?}");
    ensure!((third.floor, third.id) == (made.floor, made.id));
    let request = ListCommentRevisionsRequest { id: made.id, ..ListCommentRevisionsRequest::default() };
    let history = say.client.comments().list_comment_revisions(request).await?.into_inner().revisions;
    let texts: Vec<_> = history.iter().map(|r| (r.number, r.content.clone().unwrap_or_default().text)).collect();
    ensure!(texts == [(2, "two".to_owned()), (1, "one".to_owned())], "{texts:?}");
    ensure!(history.iter().all(|r| r.create_time.is_some() && r.member_id == "m"));
    Ok(())
}

async fn another_member_cannot_edit_delete_or_pin(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    super::subjects::create(&say, "owner").await?;
    let made = say.comment("m", "mine").await?;
    let denied = (Code::PermissionDenied, ErrorReason::MemberNotAllowed);
    ensure!(refused(edit(&say, made.id, "x", "theirs", "").await)? == denied);
    ensure!(refused(delete(&say, made.id, "x").await)? == denied);
    ensure!(refused(delete_as(&say, made.id, "m", ActingAs::SubjectOwner).await)? == denied);
    ensure!(refused(pin(&say, made.id, "m").await)? == denied);
    ensure!(get(&say, made.id).await? == made, "a refused call left a trace");
    Ok(())
}

async fn the_owner_of_the_subject_deletes_and_only_the_owner_brings_back(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    super::subjects::create(&say, "owner").await?;
    let made = say.comment("m", "bad").await?;
    let gone = delete_as(&say, made.id, "owner", ActingAs::SubjectOwner).await?;
    ensure!(gone.state() == CommentState::Deleted && gone.deleted_by() == DeletedBy::SubjectOwner, "{gone:?}");
    ensure!(gone.content.is_none() && gone.member_id.is_empty() && gone.delete_time.is_some(), "{gone:?}");
    ensure!(refused(undelete(&say, made.id, "m").await)? == (Code::PermissionDenied, ErrorReason::MemberNotAllowed));
    ensure!(refused(delete(&say, made.id, "m").await)? == (Code::NotFound, ErrorReason::CommentNotFound));
    let back = undelete(&say, made.id, "owner").await?;
    ensure!(back.content == made.content && back.member_id == "m" && back.state() == CommentState::Active, "{back:?}");
    let alive = undelete(&say, made.id, "owner").await;
    ensure!(refused(alive)? == (Code::AlreadyExists, ErrorReason::CommentAlreadyExists));
    super::floors::verify(&fixture, &say).await
}

async fn at_most_three_roots_are_pinned_and_they_stay_in_their_place(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    super::subjects::create(&say, "owner").await?;
    let mut roots = Vec::new();
    for n in 0..5 {
        roots.push(say.comment("m", &n.to_string()).await?.id);
    }
    let reply = say.reply(roots[0], "m", "reply").await?;
    for id in [roots[3], roots[1], roots[4], roots[1]] {
        ensure!(pin(&say, id, "owner").await?.pinned);
    }
    let fourth = pin(&say, roots[0], "owner").await;
    ensure!(refused(fourth)? == (Code::FailedPrecondition, ErrorReason::PinLimitReached));
    ensure!(refused(pin(&say, reply.id, "owner").await)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    let page = say.page(CommentSort::Oldest, 10).await?;
    let id = |t: &riposte_sdk::v1::CommentThread| t.comment.clone().unwrap_or_default().id;
    ensure!(page.pinned.iter().map(id).collect::<Vec<_>>() == [roots[3], roots[1], roots[4]], "{:?}", page.pinned);
    ensure!(page.threads.iter().map(id).collect::<Vec<_>>() == roots, "pinned roots left their place");
    delete(&say, roots[3], "m").await?;
    unpin(&say, roots[4], "owner").await?;
    let page = say.page(CommentSort::Oldest, 10).await?;
    ensure!(page.pinned.iter().map(id).collect::<Vec<_>>() == [roots[1]], "{:?}", page.pinned);
    Ok(())
}

async fn batches_keep_their_order_and_name_the_missing_ids(fixture: Fixture) -> Result<()> {
    let says: Vec<_> = (0..30).map(|_| Say::on(&fixture.client, "article")).collect();
    let mut ids = Vec::new();
    for say in &says {
        ids.push(say.comment("m", "x").await?.id);
    }
    ids.reverse();
    let request = BatchGetCommentsRequest { ids: ids.clone(), ..BatchGetCommentsRequest::default() };
    let found = fixture.client.comments().batch_get_comments(request).await?.into_inner();
    ensure!(found.comments.iter().map(|c| c.id).collect::<Vec<_>>() == ids);
    let absent = ids[7] ^ (1 << 40);
    ids.insert(3, absent);
    let strict = BatchGetCommentsRequest { ids: ids.clone(), ..BatchGetCommentsRequest::default() };
    let strict = fixture.client.comments().batch_get_comments(strict).await;
    ensure!(refused(strict)? == (Code::NotFound, ErrorReason::CommentNotFound));
    let lax = BatchGetCommentsRequest { ids: ids.clone(), allow_missing: true, ..BatchGetCommentsRequest::default() };
    let lax = fixture.client.comments().batch_get_comments(lax).await?.into_inner();
    ensure!(lax.missing == [absent] && lax.comments.len() == ids.len() - 1, "{:?}", lax.missing);
    Ok(())
}

async fn a_stale_etag_is_refused_and_likes_do_not_move_it(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let made = say.comment("m", "one").await?;
    say.like(made.id, "x", riposte_sdk::v1::LikeValue::Like).await?;
    say.reply(made.id, "x", "reply").await?;
    let second = edit(&say, made.id, "m", "two", &made.etag).await?;
    let stale = edit(&say, made.id, "m", "three", &made.etag).await;
    ensure!(refused(stale)? == (Code::Aborted, ErrorReason::EtagMismatch));
    ensure!(get(&say, made.id).await?.etag == second.etag);
    Ok(())
}

async fn an_author_edits_only_within_the_window_of_the_type(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "brief");
    let made = say.comment("m", "one").await?;
    let begin = std::time::Instant::now();
    let rejection = loop {
        match edit(&say, made.id, "m", "again", "").await {
            Ok(_) => ensure!(begin.elapsed() < std::time::Duration::from_secs(20), "the window never closes"),
            Err(status) => break refused::<()>(Err(status))?,
        }
    };
    ensure!(rejection == (Code::FailedPrecondition, ErrorReason::EditWindowClosed), "{rejection:?}");
    Ok(())
}
