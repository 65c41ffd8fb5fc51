//! Floors: dense, unique, in commit order, under many writers.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::{CommentSort, LikeValue, SubjectScope, VerifyCountsRequest, subject_scope::Scope};
use riposte_tests::{Case, Fixture, Say, cases};

pub(crate) const CASES: &[Case] = cases![
    sixty_four_writers_on_one_subject_leave_floors_1_to_n_and_exact_counts,
    sixty_four_writers_on_one_root_leave_reply_floors_1_to_n,
    a_comment_answered_before_another_was_sent_has_the_lower_floor,
    counts_equal_the_rows_after_any_mix,
];

async fn sixty_four_writers_on_one_subject_leave_floors_1_to_n_and_exact_counts(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let writer = |n: usize| {
        let say = say.clone();
        async move {
            let mut floors = Vec::new();
            for i in 0..5 {
                floors.push(say.comment(&format!("m{n}"), &format!("comment {i} of {n}")).await?.floor);
            }
            ensure!(floors.is_sorted(), "a writer saw its own floors out of order: {floors:?}");
            Ok(floors)
        }
    };
    let floors: Vec<i32> = try_join_all((0..64).map(writer)).await?.concat();
    ensure!(floors.iter().copied().collect::<BTreeSet<_>>() == (1..=320).collect(), "not dense: {floors:?}");
    let page = say.page(CommentSort::Newest, 1).await?;
    let subject = page.subject.unwrap_or_default();
    ensure!((subject.root_count, subject.comment_count) == (320, 320), "{subject:?}");
    verify(&fixture, &say).await
}

async fn sixty_four_writers_on_one_root_leave_reply_floors_1_to_n(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("owner", "root").await?;
    let writer = |n: usize| {
        let say = say.clone();
        async move { Ok::<_, anyhow::Error>(say.reply(root.id, &format!("m{n}"), "reply").await?.floor) }
    };
    let floors = try_join_all((0..64).map(writer)).await?;
    ensure!(floors.iter().copied().collect::<BTreeSet<_>>() == (1..=64).collect(), "not dense: {floors:?}");
    let root = say.roots(CommentSort::Oldest, 5).await?.remove(0);
    ensure!(root.reply_count == 64, "{root:?}");
    verify(&fixture, &say).await
}

async fn a_comment_answered_before_another_was_sent_has_the_lower_floor(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut last = 0;
    for n in 0..20 {
        let floor = say.comment("m", &n.to_string()).await?.floor;
        ensure!(floor == last + 1, "{floor} after {last}");
        last = floor;
    }
    Ok(())
}

async fn counts_equal_the_rows_after_any_mix(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "deep");
    let roots: Vec<_> = try_join_all((0..4).map(|n| say.comment("m", if n % 2 == 0 { "a" } else { "b" }))).await?;
    let hand = |n: usize| {
        let (say, root) = (say.clone(), roots[n % roots.len()].clone());
        async move {
            let member = format!("m{n}");
            let first = say.reply(root.id, &member, "first").await?;
            let second = say.reply(first.id, &member, "second").await?;
            say.like(first.id, &member, LikeValue::Like).await?;
            say.like(root.id, &member, if n.is_multiple_of(3) { LikeValue::Dislike } else { LikeValue::Like }).await?;
            if n.is_multiple_of(2) {
                super::comments::delete(&say, first.id, &member).await?;
            }
            if n.is_multiple_of(4) {
                super::comments::undelete(&say, first.id, &member).await?;
                super::comments::delete(&say, second.id, &member).await?;
            }
            Ok::<_, anyhow::Error>(())
        }
    };
    try_join_all((0..32).map(hand)).await?;
    verify(&fixture, &say).await
}

/// Calls VerifyCounts for the subject.
pub(crate) async fn verify(fixture: &Fixture, say: &Say) -> Result<()> {
    let scope = SubjectScope { scope: Some(Scope::Key(say.key.clone())) };
    let request = VerifyCountsRequest { scope: Some(scope), ..VerifyCountsRequest::default() };
    let mut responses = fixture.server.admin()?.verify_counts(request).await?.into_inner();
    let mut seen = 0;
    while let Some(response) = responses.message().await? {
        ensure!(response.drifts.is_empty(), "{:?}", response.drifts);
        seen += 1;
    }
    ensure!(seen == 1, "{seen} subjects were verified");
    Ok(())
}
