//! Request ids: a repeat always gets the first response, and never that of another request.

use anyhow::{Result, ensure};
use futures::future::join_all;
use riposte_sdk::v1::{
    CommentSort, CreateCommentRequest, CreateReplyRequest, DeleteCommentRequest, ErrorReason, PinCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_repeated_create_returns_the_first_id_floor_and_revision,
    the_same_id_with_another_body_is_refused,
    the_same_id_of_another_member_is_another_request,
    sixteen_concurrent_repeats_create_one_comment,
    a_failed_attempt_does_not_use_the_id_up,
    repeated_deletes_and_pins_return_the_first_result,
];

fn create(say: &Say, member: &str, text: &str, id: &str) -> CreateCommentRequest {
    CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: member.to_owned(),
        content: content(text),
        request_id: id.to_owned(),
        ..CreateCommentRequest::default()
    }
}

async fn a_repeated_create_returns_the_first_id_floor_and_revision(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().to_string();
    let first = say.client.comments().create_comment(create(&say, "m", "text", &id)).await?.into_inner();
    for n in 0..3 {
        say.comment("x", &n.to_string()).await?;
    }
    let comment = first.comment.clone().unwrap_or_default();
    super::comments::edit(&say, comment.id, "m", "edited", "").await?;
    let again = say.client.comments().create_comment(create(&say, "m", "text", &id)).await?.into_inner();
    let now = again.comment.clone().unwrap_or_default();
    ensure!((now.id, now.floor) == (comment.id, comment.floor), "{now:?}");
    ensure!((again.subject_revision, again.ack) == (first.subject_revision, first.ack), "{again:?}");
    ensure!(now.content.unwrap_or_default().text == "edited", "a repeat returns the present content");
    ensure!(say.roots(CommentSort::Oldest, 10).await?.len() == 4);
    Ok(())
}

async fn the_same_id_with_another_body_is_refused(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().to_string();
    let made = say.client.comments().create_comment(create(&say, "m", "text", &id)).await?.into_inner();
    let reused = (Code::InvalidArgument, ErrorReason::RequestIdReused);
    let other = say.client.comments().create_comment(create(&say, "m", "other", &id)).await;
    ensure!(refused(other)? == reused);
    let reply = CreateReplyRequest {
        parent_id: made.comment.unwrap_or_default().id,
        member_id: "m".into(),
        content: content("text"),
        request_id: id,
        ..CreateReplyRequest::default()
    };
    ensure!(refused(say.client.replies().create_reply(reply).await)? == reused, "another verb is another body");
    Ok(())
}

async fn the_same_id_of_another_member_is_another_request(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().to_string();
    let first = say.client.comments().create_comment(create(&say, "m", "text", &id)).await?.into_inner();
    let second = say.client.comments().create_comment(create(&say, "x", "text", &id)).await?.into_inner();
    ensure!(first.comment.unwrap_or_default().id != second.comment.unwrap_or_default().id);
    Ok(())
}

async fn sixteen_concurrent_repeats_create_one_comment(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().to_string();
    let twin = || {
        let (mut comments, request) = (say.client.comments(), create(&say, "m", "text", &id));
        async move { comments.create_comment(request).await }
    };
    let responses = join_all((0..16).map(|_| twin())).await;
    let mut ids = Vec::new();
    for response in responses {
        let response = response?.into_inner();
        let comment = response.comment.unwrap_or_default();
        ids.push((comment.id, comment.floor, response.subject_revision));
    }
    ids.dedup();
    ensure!(ids.len() == 1, "{ids:?}");
    ensure!(say.roots(CommentSort::Oldest, 10).await?.len() == 1);
    Ok(())
}

async fn a_failed_attempt_does_not_use_the_id_up(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().to_string();
    let bad = say.client.comments().create_comment(create(&say, "m", " ", &id)).await;
    ensure!(refused(bad)?.0 == Code::InvalidArgument);
    super::subjects::create(&say, "owner").await?;
    super::subjects::set_state(&say, riposte_sdk::v1::SubjectState::ReadOnly).await?;
    let closed = say.client.comments().create_comment(create(&say, "m", "text", &id)).await;
    ensure!(refused(closed)?.1 == ErrorReason::SubjectReadOnly);
    super::subjects::set_state(&say, riposte_sdk::v1::SubjectState::Active).await?;
    say.client.comments().create_comment(create(&say, "m", "text", &id)).await?;
    Ok(())
}

async fn repeated_deletes_and_pins_return_the_first_result(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    super::subjects::create(&say, "owner").await?;
    let comment = say.comment("m", "text").await?;
    let pin =
        PinCommentRequest { id: comment.id, member_id: "owner".into(), request_id: uuid::Uuid::new_v4().to_string() };
    let first = say.client.comments().pin_comment(pin.clone()).await?.into_inner();
    let delete = DeleteCommentRequest {
        id: comment.id,
        member_id: "m".into(),
        request_id: uuid::Uuid::new_v4().to_string(),
        ..DeleteCommentRequest::default()
    };
    let gone = say.client.comments().delete_comment(delete.clone()).await?.into_inner();
    let again = say.client.comments().delete_comment(delete).await?.into_inner();
    ensure!(again == gone, "{again:?}");
    let again = say.client.comments().pin_comment(pin).await?.into_inner();
    ensure!(again.subject_revision == first.subject_revision, "{again:?}");
    Ok(())
}
