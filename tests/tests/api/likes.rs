//! Likes: values that are set, exact counts, and the members of each value.

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::{BatchGetLikeStatesRequest, ErrorReason, LikeValue, ListLikersRequest, SetLikeRequest};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

use super::comments::get;

pub(crate) const CASES: &[Case] = cases![
    a_like_is_a_state_and_changed_is_true_if_it_moved,
    sixty_four_members_and_their_repeats_count_once_each,
    a_late_repeat_of_an_older_operation_never_undoes_a_newer_one,
    states_come_in_the_order_of_the_request_and_know_none,
    likers_are_walked_newest_first_each_once,
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
    let elsewhere = BatchGetLikeStatesRequest { comment_ids: vec![ids[0] ^ (1 << 14)], ..request };
    let elsewhere = say.client.likes().batch_get_like_states(elsewhere).await;
    ensure!(refused(elsewhere)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
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

async fn a_like_without_a_value_is_invalid(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    let unset = say.like(id, "x", LikeValue::Unspecified).await;
    ensure!(refused(unset)? == (Code::InvalidArgument, ErrorReason::LikeInvalid));
    Ok(())
}
