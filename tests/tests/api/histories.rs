//! The comments of one member across subjects, and the member's likes within one.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    CommentState, DeleteSubjectRequest, ErrorReason, LikeValue, ListMemberCommentsRequest, ListMemberCommentsResponse,
    ListMemberLikesRequest, MemberLike,
};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

use super::comments::delete;

pub(crate) const CASES: &[Case] = cases![
    a_members_comments_are_walked_newest_first_across_subjects,
    comments_that_are_no_longer_visible_are_omitted_unless_they_are_requested,
    comments_below_a_deleted_subject_are_left_out,
    a_token_of_another_history_is_a_mismatch,
    the_likes_of_a_member_in_a_subject_are_walked_by_comment,
];

/// Returns a member id that is not used elsewhere.
fn fresh_member() -> String {
    format!("m-{}", uuid::Uuid::now_v7())
}

async fn page(fixture: &Fixture, request: &ListMemberCommentsRequest) -> Result<ListMemberCommentsResponse> {
    Ok(fixture.client.comments().list_member_comments(request.clone()).await?.into_inner())
}

async fn walk(fixture: &Fixture, member: &str, all: bool, page_size: i32) -> Result<Vec<(i64, CommentState)>> {
    let mut request = ListMemberCommentsRequest {
        object_type: "article".into(),
        member_id: member.into(),
        include_unlisted: all,
        page_size,
        ..ListMemberCommentsRequest::default()
    };
    let mut walked = Vec::new();
    loop {
        let page = page(fixture, &request).await?;
        ensure!(page.comments.len() <= page_size as usize, "{} on a page", page.comments.len());
        walked.extend(page.comments.iter().map(|comment| (comment.id, comment.state())));
        if page.next_page_token.is_empty() {
            return Ok(walked);
        }
        request.page_token = page.next_page_token;
    }
}

/// Walks the history until it shows the expected comments, because it follows the commits with a
/// delay.
async fn shows(fixture: &Fixture, member: &str, all: bool, expected: &[(i64, CommentState)]) -> Result<()> {
    let mut walked = Vec::new();
    let shown = async {
        while walked != expected {
            tokio::time::sleep(Duration::from_millis(20)).await;
            walked = walk(fixture, member, all, 7).await?;
        }
        anyhow::Ok(())
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), shown).await;
    waited.unwrap_or_else(|late| Err(late.into())).with_context(|| format!("{walked:?} and not {expected:?}"))
}

async fn a_members_comments_are_walked_newest_first_across_subjects(fixture: Fixture) -> Result<()> {
    let member = fresh_member();
    let subjects: Vec<_> = (0..5).map(|_| Say::on(&fixture.client, "article")).collect();
    let mut written = Vec::new();
    for n in 0..25 {
        let say = &subjects[n % subjects.len()];
        let comment = match written.get(n.wrapping_sub(5)) {
            Some((root, _)) if n < 10 => say.reply(*root, &member, "reply").await?,
            _ => say.comment(&member, "root").await?,
        };
        say.comment("another-member", "not theirs").await?;
        written.push((comment.id, CommentState::Active));
        // The order is by time, in milliseconds.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    written.reverse();
    shows(&fixture, &member, false, &written).await
}

async fn comments_that_are_no_longer_visible_are_omitted_unless_they_are_requested(fixture: Fixture) -> Result<()> {
    let (member, say) = (fresh_member(), Say::on(&fixture.client, "article"));
    let mut written = Vec::new();
    for n in 0..3 {
        written.insert(0, (say.comment(&member, &n.to_string()).await?.id, CommentState::Active));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    shows(&fixture, &member, false, &written).await?;
    let gone = delete(&say, written[1].0, &member).await?;
    ensure!(gone.state() == CommentState::Deleted);
    // Immediately: the rows decide, not the event consumer.
    let listed = walk(&fixture, &member, false, 1).await?;
    ensure!(listed == [written[0], written[2]], "{listed:?}");
    written[1].1 = CommentState::Deleted;
    shows(&fixture, &member, true, &written).await
}

async fn comments_below_a_deleted_subject_are_left_out(fixture: Fixture) -> Result<()> {
    let member = fresh_member();
    let (intact, gone) = (Say::on(&fixture.client, "article"), Say::on(&fixture.client, "article"));
    let first = intact.comment(&member, "intact").await?;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let second = gone.comment(&member, "gone").await?;
    let active = CommentState::Active;
    shows(&fixture, &member, false, &[(second.id, active), (first.id, active)]).await?;
    let request = DeleteSubjectRequest { key: Some(gone.key.clone()), ..DeleteSubjectRequest::default() };
    gone.client.subjects().delete_subject(request).await?;
    for all in [false, true] {
        ensure!(walk(&fixture, &member, all, 1).await? == [(first.id, active)]);
    }
    Ok(())
}

async fn a_token_of_another_history_is_a_mismatch(fixture: Fixture) -> Result<()> {
    let (member, say) = (fresh_member(), Say::on(&fixture.client, "article"));
    let mut written = Vec::new();
    for n in 0..2 {
        written.insert(0, (say.comment(&member, &n.to_string()).await?.id, CommentState::Active));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    shows(&fixture, &member, false, &written).await?;
    let mut request = ListMemberCommentsRequest {
        object_type: "article".into(),
        member_id: member,
        page_size: 1,
        ..ListMemberCommentsRequest::default()
    };
    request.page_token = page(&fixture, &request).await?.next_page_token;
    let other = ListMemberCommentsRequest { member_id: fresh_member(), ..request.clone() };
    let unlisted = ListMemberCommentsRequest { include_unlisted: true, ..request };
    for request in [other, unlisted] {
        let outcome = fixture.client.comments().list_member_comments(request).await;
        ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::PageTokenMismatch));
    }
    Ok(())
}

async fn the_likes_of_a_member_in_a_subject_are_walked_by_comment(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut expected = Vec::new();
    for n in 0..23 {
        let id = say.comment("m", &n.to_string()).await?.id;
        let value = [LikeValue::Like, LikeValue::Dislike, LikeValue::None][n % 3];
        say.like(id, "x", LikeValue::Like).await?;
        say.like(id, "x", value).await?;
        say.like(id, "y", LikeValue::Like).await?;
        if value != LikeValue::None {
            expected.push((id, value));
        }
    }
    expected.sort_by_key(|(id, _)| *id);
    let mut request = ListMemberLikesRequest {
        subject: Some(say.key.clone()),
        member_id: "x".into(),
        page_size: 5,
        ..ListMemberLikesRequest::default()
    };
    let mut walked = Vec::new();
    loop {
        let page = say.client.likes().list_member_likes(request.clone()).await?.into_inner();
        walked.extend(page.likes);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    let found: Vec<_> = walked.iter().map(|like: &MemberLike| (like.comment_id, like.value())).collect();
    ensure!(found == expected && walked.iter().all(|like| like.like_time.is_some()), "{walked:?}");
    let nothing = Say::on(&fixture.client, "article");
    let request = ListMemberLikesRequest { subject: Some(nothing.key), page_token: String::new(), ..request };
    ensure!(say.client.likes().list_member_likes(request).await?.into_inner().likes.is_empty());
    Ok(())
}
