//! Likes: values that are set, exact counts, and the members of each value.

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::Error;
use riposte_sdk::v1::{
    BatchGetLikeStatesRequest, BatchListLikersRequest, CommentLikers, DeleteCommentRequest, DeleteSubjectRequest,
    ErrorReason, LikeValue, ListLikersRequest, SetLikeRequest, SubjectState,
};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

use super::comments::get;
use super::subjects::set_state;

pub(crate) const CASES: &[Case] = cases![
    a_like_is_a_state_and_changed_is_true_if_it_moved,
    sixty_four_members_and_their_repeats_count_once_each,
    a_late_repeat_of_an_older_operation_never_undoes_a_newer_one,
    states_come_in_the_order_of_the_request_and_know_none,
    likers_are_walked_newest_first_each_once,
    the_likers_of_a_page_name_some_members_first_and_then_the_latest,
    the_likers_of_a_page_are_answered_for_all_its_comments_or_for_none,
    all_violations_of_a_batch_of_likers_are_reported_at_once,
    a_like_without_a_value_is_invalid,
];

async fn a_like_is_a_state_and_changed_is_true_if_it_moved(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let mut revision = 0;
    for (value, changed, likes, dislikes) in [
        (LikeValue::Like, true, 1, 0),
        (LikeValue::Like, false, 1, 0),
        (LikeValue::Dislike, true, 0, 1),
        (LikeValue::None, true, 0, 0),
        (LikeValue::None, false, 0, 0),
        (LikeValue::Like, true, 1, 0),
    ] {
        let response = say.like(id, "x", value).await?;
        ensure!(response.value() == value && response.changed == changed, "{value:?}: {response:?}");
        ensure!((response.like_count, response.dislike_count) == (likes, dislikes), "{value:?}: {response:?}");
        ensure!(changed == (response.comment_revision > revision), "{value:?}: {response:?}");
        revision = response.comment_revision;
    }
    Ok(())
}

async fn sixty_four_members_and_their_repeats_count_once_each(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let member = |n: usize| {
        let say = say.clone();
        async move {
            let member = format!("m{n}");
            let mut changes = 0;
            for value in [LikeValue::Like, LikeValue::Like, LikeValue::Dislike, LikeValue::Like] {
                changes += i32::from(say.like(id, &member, value).await?.changed);
            }
            Ok::<_, tonic::Status>(changes)
        }
    };
    let changes = try_join_all((0..64).map(member)).await?;
    ensure!(changes.iter().all(|c| *c == 3), "{changes:?}");
    let comment = get(&say, id).await?;
    ensure!((comment.like_count, comment.dislike_count) == (64, 0), "{comment:?}");
    super::floors::verify(&fixture, &say).await
}

async fn a_late_repeat_of_an_older_operation_never_undoes_a_newer_one(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let ids = fixture.client.request_ids();
    let set = |value: LikeValue, request_id: String| {
        let request = SetLikeRequest { comment_id: id, member_id: "x".into(), value: value.into(), request_id };
        let mut likes = say.client.likes();
        async move { Ok::<_, tonic::Status>(likes.set_like(request).await?.into_inner()) }
    };
    let (older, newer) = (ids.next(), ids.next());
    ensure!(set(LikeValue::Like, newer.clone()).await?.changed);
    let late = set(LikeValue::None, older).await?;
    ensure!(late.value() == LikeValue::Like && !late.changed, "{late:?}");
    let repeat = set(LikeValue::Like, newer.clone()).await?;
    ensure!(repeat.value() == LikeValue::Like && repeat.changed, "a repeat answers as the first: {repeat:?}");
    let other_body = set(LikeValue::Dislike, newer).await;
    ensure!(refused(other_body)? == (Code::InvalidArgument, ErrorReason::RequestIdReused));
    ensure!(get(&say, id).await?.like_count == 1);
    Ok(())
}

async fn states_come_in_the_order_of_the_request_and_know_none(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(say.comment("m", &n.to_string()).await?.id);
    }
    say.like(ids[1], "x", LikeValue::Like).await?;
    say.like(ids[4], "x", LikeValue::Dislike).await?;
    say.like(ids[5], "y", LikeValue::Like).await?;
    ids.reverse();
    let request = BatchGetLikeStatesRequest {
        subject: Some(say.key.clone()),
        member_id: "x".into(),
        comment_ids: ids.clone(),
        ..BatchGetLikeStatesRequest::default()
    };
    let states = say.client.likes().batch_get_like_states(request.clone()).await?.into_inner().states;
    ensure!(states.iter().map(|s| s.comment_id).collect::<Vec<_>>() == ids);
    use LikeValue::{Dislike, Like, None};
    ensure!(states.iter().map(|s| s.value()).collect::<Vec<_>>() == [None, Dislike, None, None, Like, None]);
    let absent = BatchGetLikeStatesRequest { comment_ids: vec![ids[0] ^ (1 << 40)], ..request.clone() };
    let absent = say.client.likes().batch_get_like_states(absent).await;
    ensure!(refused(absent)? == (Code::NotFound, ErrorReason::CommentNotFound));
    let elsewhere = BatchGetLikeStatesRequest { comment_ids: vec![ids[0] ^ (1 << 14)], ..request.clone() };
    let elsewhere = say.client.likes().batch_get_like_states(elsewhere).await;
    ensure!(refused(elsewhere)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    let delete = DeleteSubjectRequest { key: Some(say.key.clone()), ..DeleteSubjectRequest::default() };
    say.client.subjects().delete_subject(delete).await?;
    let deleted = say.client.likes().batch_get_like_states(request).await;
    ensure!(refused(deleted)? == (Code::NotFound, ErrorReason::SubjectNotFound));
    Ok(())
}

async fn likers_are_walked_newest_first_each_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    for n in 0..25 {
        let value = if n % 5 == 0 { LikeValue::Dislike } else { LikeValue::Like };
        say.like(id, &format!("m{n:02}"), value).await?;
    }
    let mut request = ListLikersRequest {
        comment_id: id,
        value: LikeValue::Like.into(),
        page_size: 7,
        ..ListLikersRequest::default()
    };
    let mut walked = Vec::new();
    loop {
        let page = say.client.likes().list_likers(request.clone()).await?.into_inner();
        walked.extend(page.likers);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    let time = |l: &riposte_sdk::v1::Liker| l.like_time.map(|t| (t.seconds, t.nanos));
    ensure!(walked.len() == 20 && walked.is_sorted_by(|a, b| time(a) >= time(b)), "{walked:?}");
    let mut members: Vec<_> = walked.into_iter().map(|l| l.member_id).collect();
    members.sort();
    members.dedup();
    ensure!(members.len() == 20, "{members:?}");
    Ok(())
}

async fn likers(say: &Say, request: BatchListLikersRequest) -> Result<Vec<CommentLikers>, tonic::Status> {
    let request = BatchListLikersRequest { subject: Some(say.key.clone()), ..request };
    Ok(say.client.likes().batch_list_likers(request).await?.into_inner().comments)
}

/// Returns the names and the count of a comment.
fn names(comment: &CommentLikers) -> (Vec<&str>, i32) {
    (comment.likers.iter().map(|liker| liker.member_id.as_str()).collect(), comment.count)
}

async fn the_likers_of_a_page_name_some_members_first_and_then_the_latest(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?.id;
    let reply = say.reply(root, "m", "reply").await?.id;
    let bare = say.comment("m", "without likes").await?.id;
    for n in 0..8 {
        // Of likes of one millisecond, that of the highest member id is the latest.
        say.like(root, &format!("m{n}"), if n == 5 { LikeValue::Dislike } else { LikeValue::Like }).await?;
    }
    say.like(reply, "m7", LikeValue::Like).await?;
    let first = |members: &[&str]| members.iter().map(|&member| member.to_owned()).collect();
    let request = BatchListLikersRequest {
        comment_ids: vec![bare, root, reply, root],
        limit: 4,
        first_member_ids: first(&["m1", "stranger", "m5", "m7", "m1"]),
        ..BatchListLikersRequest::default()
    };
    let found = likers(&say, request.clone()).await?;
    ensure!(found.iter().map(|comment| comment.comment_id).collect::<Vec<_>>() == request.comment_ids);
    ensure!(names(&found[1]) == (vec!["m1", "m7", "m6", "m4"], 7), "{:?}", found[1]);
    ensure!(names(&found[0]) == (vec![], 0) && names(&found[2]) == (vec!["m7"], 1), "{found:?}");
    ensure!(found[3] == found[1] && found[1].likers.iter().all(|liker| liker.like_time.is_some()), "{found:?}");
    let dislikes = BatchListLikersRequest { value: LikeValue::Dislike.into(), ..request.clone() };
    ensure!(names(&likers(&say, dislikes).await?[1]) == (vec!["m5"], 1));
    let usual = BatchListLikersRequest { limit: 0, first_member_ids: Vec::new(), ..request.clone() };
    ensure!(names(&likers(&say, usual).await?[1]) == (vec!["m7", "m6", "m4"], 7), "three by default");
    let named = BatchListLikersRequest { limit: 2, first_member_ids: first(&["m0", "m2", "m3"]), ..request };
    ensure!(names(&likers(&say, named).await?[1]) == (vec!["m0", "m2"], 7), "the limit counts named members too");
    ensure!(likers(&say, BatchListLikersRequest::default()).await?.is_empty());
    let list = ListLikersRequest { comment_id: root, ..ListLikersRequest::default() };
    let listed = say.client.likes().list_likers(list).await?.into_inner().likers;
    let latest = BatchListLikersRequest { comment_ids: vec![root], limit: 10, ..BatchListLikersRequest::default() };
    let latest = likers(&say, latest).await?;
    ensure!(listed == latest[0].likers, "one order in both calls: {listed:?}, {latest:?}");
    Ok(())
}

async fn the_likers_of_a_page_are_answered_for_all_its_comments_or_for_none(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let (root, deleted) = (say.comment("m", "root").await?.id, say.comment("m", "deleted").await?.id);
    let delete = DeleteCommentRequest { id: deleted, member_id: "m".into(), ..DeleteCommentRequest::default() };
    say.client.comments().delete_comment(delete).await?;
    let of = |comment_ids: &[i64]| BatchListLikersRequest { comment_ids: comment_ids.to_vec(), ..Default::default() };
    for (other, code, reason) in [
        (deleted, Code::FailedPrecondition, ErrorReason::CommentUnavailable),
        (root ^ (1 << 40), Code::NotFound, ErrorReason::CommentNotFound),
    ] {
        let Err(status) = likers(&say, of(&[root, other])).await else { anyhow::bail!("{reason:?} is no error") };
        let error = Error::from(status);
        ensure!((error.code(), error.reason()) == (code, reason), "{error:?}");
        ensure!(error.metadata().get("comment_id") == Some(&other.to_string()), "{error:?}");
    }
    let elsewhere = likers(&say, of(&[root, root ^ (1 << 14)])).await;
    ensure!(refused(elsewhere)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    ensure!(likers(&say, of(&[root])).await?.len() == 1);
    let absent = Say::on(&fixture.client, "article");
    ensure!(likers(&absent, of(&[])).await?.is_empty(), "its first comment creates it");
    set_state(&say, SubjectState::Hidden).await?;
    let hidden = likers(&say, of(&[root])).await;
    ensure!(refused(hidden)? == (Code::FailedPrecondition, ErrorReason::SubjectHidden));
    Ok(())
}

async fn all_violations_of_a_batch_of_likers_are_reported_at_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let request = BatchListLikersRequest {
        comment_ids: vec![id; 51],
        limit: 11,
        first_member_ids: vec!["m".into(), String::new()],
        ..BatchListLikersRequest::default()
    };
    let violations = |request: BatchListLikersRequest| async {
        let Err(status) = likers(&say, request).await else { anyhow::bail!("the request was accepted") };
        let error = Error::from(status);
        ensure!(error.code() == Code::InvalidArgument, "{error:?}");
        Ok(error.violations().iter().map(|violation| violation.field.clone()).collect::<Vec<_>>())
    };
    let found = violations(request).await?;
    ensure!(found == ["comment_ids", "limit", "first_member_ids[1]"], "{found:?}");
    let many = BatchListLikersRequest { comment_ids: vec![id; 50], limit: -1, ..Default::default() };
    let many = BatchListLikersRequest { first_member_ids: vec!["m".into(); 21], ..many };
    let found = violations(many).await?;
    ensure!(found == ["limit", "first_member_ids"], "{found:?}");
    let most = BatchListLikersRequest { comment_ids: vec![id; 50], limit: 10, ..Default::default() };
    let most = BatchListLikersRequest { first_member_ids: vec!["m".into(); 20], ..most };
    ensure!(likers(&say, most).await?.len() == 50);
    let none = BatchListLikersRequest { comment_ids: vec![id], value: LikeValue::None.into(), ..Default::default() };
    ensure!(refused(likers(&say, none).await)? == (Code::InvalidArgument, ErrorReason::LikeInvalid));
    Ok(())
}

async fn a_like_without_a_value_is_invalid(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let unset = say.like(id, "x", LikeValue::Unspecified).await;
    ensure!(refused(unset)? == (Code::InvalidArgument, ErrorReason::LikeInvalid));
    Ok(())
}
