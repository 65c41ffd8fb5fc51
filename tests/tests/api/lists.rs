//! Lists: pages, previews, jumps, and rejected requests.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{Comment, CommentSort, ErrorReason, ListCommentsRequest, ListRepliesRequest};
use riposte_tests::{Case, Fixture, Say, cases, floors, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    pages_walk_both_ways_and_the_empty_token_is_the_end,
    a_preview_shows_the_first_replies_and_its_token_walks_all_of_them,
    around_a_comment_returns_its_page_with_tokens_in_both_directions,
    around_a_reply_returns_the_page_of_its_root_with_the_replies_around_it,
    around_a_floor_returns_its_place_even_if_its_comment_is_gone,
    a_revision_that_does_not_exist_is_not_reached,
];

async fn filled(fixture: &Fixture, count: usize) -> Result<(Say, Vec<Comment>)> {
    let say = Say::on(&fixture.client, "article");
    let mut all = Vec::new();
    for n in 0..count {
        all.push(say.comment("m", &n.to_string()).await?);
    }
    Ok((say, all))
}

async fn pages_walk_both_ways_and_the_empty_token_is_the_end(fixture: Fixture) -> Result<()> {
    let (say, _) = filled(&fixture, 10).await?;
    for (sort, expected) in [
        (CommentSort::Newest, (1..=10).rev().collect::<Vec<_>>()),
        (CommentSort::Oldest, (1..=10).collect()),
        (CommentSort::Unspecified, (1..=10).rev().collect()),
    ] {
        let mut request = ListCommentsRequest { sort: sort.into(), page_size: 4, ..Default::default() };
        let mut pages = vec![say.list(request.clone()).await?];
        ensure!(pages[0].previous_page_token.is_empty(), "nothing precedes the first page");
        while let Some(token) = pages.last().map(|p| p.next_page_token.clone()).filter(|t| !t.is_empty()) {
            request.page_token = token;
            pages.push(say.list(request.clone()).await?);
        }
        ensure!(pages.iter().flat_map(floors).collect::<Vec<_>>() == expected, "{sort:?}");
        request.page_token = pages[2].previous_page_token.clone();
        let up = say.list(request.clone()).await?;
        ensure!(floors(&up) == floors(&pages[1]), "{sort:?}: upward from the third page: {:?}", floors(&up));
        request.page_token = up.previous_page_token;
        let top = say.list(request.clone()).await?;
        ensure!(floors(&top) == floors(&pages[0]) && top.previous_page_token.is_empty(), "{sort:?}: {top:?}");
    }
    Ok(())
}

async fn a_preview_shows_the_first_replies_and_its_token_walks_all_of_them(fixture: Fixture) -> Result<()> {
    let (say, all) = filled(&fixture, 2).await?;
    for n in 0..5 {
        say.reply(all[0].id, "m", &n.to_string()).await?;
    }
    say.reply(all[1].id, "m", "only").await?;
    let page = say.page(CommentSort::Oldest, 10).await?;
    ensure!(page.threads[0].replies.iter().map(|r| r.floor).collect::<Vec<_>>() == [1, 2, 3], "{page:?}");
    ensure!(page.threads[1].reply_page_token.is_empty(), "the preview shows all");
    let mut request = ListRepliesRequest {
        root_id: all[0].id,
        page_token: page.threads[0].reply_page_token.clone(),
        page_size: 2,
        ..ListRepliesRequest::default()
    };
    let mut walked = Vec::new();
    while !request.page_token.is_empty() {
        let page = say.client.replies().list_replies(request.clone()).await?.into_inner();
        walked.extend(page.replies.iter().map(|r| r.floor));
        request.page_token = page.next_page_token;
    }
    ensure!(walked == [1, 2, 3, 4, 5], "{walked:?}");
    let none = say.list(ListCommentsRequest { reply_preview_size: Some(0), ..Default::default() }).await?;
    ensure!(none.threads.iter().all(|t| t.replies.is_empty() && !t.reply_page_token.is_empty()), "{none:?}");
    let ten = say.list(ListCommentsRequest { reply_preview_size: Some(10), ..Default::default() }).await?;
    ensure!(ten.threads.iter().all(|t| t.reply_page_token.is_empty()), "{ten:?}");
    Ok(())
}

async fn around_a_comment_returns_its_page_with_tokens_in_both_directions(fixture: Fixture) -> Result<()> {
    let (say, all) = filled(&fixture, 20).await?;
    for sort in [CommentSort::Newest, CommentSort::Oldest] {
        for target in [&all[0], &all[9], &all[19]] {
            let request = ListCommentsRequest {
                sort: sort.into(),
                page_size: 5,
                around_comment_id: target.id,
                ..ListCommentsRequest::default()
            };
            let (page, mut seen) = say.both_ways(request).await?;
            ensure!(page.threads.len() == 5 && floors(&page).contains(&target.floor), "{sort:?}: {:?}", floors(&page));
            if sort == CommentSort::Newest {
                seen.reverse();
            }
            ensure!(seen == (1..=20).collect::<Vec<_>>(), "{sort:?} around {}: {seen:?}", target.floor);
        }
    }
    let (other, strangers) = filled(&fixture, 1).await?;
    let foreign = ListCommentsRequest { around_comment_id: all[0].id, ..Default::default() };
    ensure!(refused(other.list(foreign).await)? == (Code::NotFound, ErrorReason::CommentNotFound), "{strangers:?}");
    Ok(())
}

async fn around_a_reply_returns_the_page_of_its_root_with_the_replies_around_it(fixture: Fixture) -> Result<()> {
    let (say, all) = filled(&fixture, 9).await?;
    let mut replies = Vec::new();
    for n in 0..11 {
        replies.push(say.reply(all[4].id, "m", &n.to_string()).await?);
    }
    let request = ListCommentsRequest { page_size: 3, around_comment_id: replies[6].id, ..Default::default() };
    let page = say.list(request).await?;
    let thread = page.threads.iter().find(|t| t.comment.as_ref().is_some_and(|c| c.id == all[4].id));
    let thread = thread.context("the root's page does not hold the root")?;
    ensure!(thread.replies.iter().any(|r| r.id == replies[6].id), "{thread:?}");
    ensure!(!thread.reply_page_token.is_empty());
    let within = ListRepliesRequest {
        root_id: all[4].id,
        around_comment_id: replies[6].id,
        page_size: 3,
        ..ListRepliesRequest::default()
    };
    let within = say.client.replies().list_replies(within).await?.into_inner();
    ensure!(within.replies.iter().any(|r| r.id == replies[6].id), "{within:?}");
    ensure!(!within.next_page_token.is_empty() && !within.previous_page_token.is_empty());
    Ok(())
}

async fn around_a_floor_returns_its_place_even_if_its_comment_is_gone(fixture: Fixture) -> Result<()> {
    let (say, all) = filled(&fixture, 12).await?;
    let around = |floor: i32| ListCommentsRequest {
        sort: CommentSort::Oldest.into(),
        page_size: 3,
        around_floor: floor,
        ..ListCommentsRequest::default()
    };
    ensure!(floors(&say.list(around(6)).await?).contains(&6));
    super::comments::delete(&say, all[5].id, "m").await?;
    let page = floors(&say.list(around(6)).await?);
    ensure!(page.len() == 3 && (page.contains(&5) || page.contains(&7)), "{page:?}");
    ensure!(floors(&say.list(around(1_000)).await?) == [10, 11, 12]);
    let both = ListCommentsRequest { around_comment_id: all[0].id, ..around(3) };
    ensure!(refused(say.list(both).await)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    Ok(())
}

async fn a_revision_that_does_not_exist_is_not_reached(fixture: Fixture) -> Result<()> {
    let (say, _) = filled(&fixture, 3).await?;
    let now = say.list(ListCommentsRequest::default()).await?.subject.unwrap_or_default().revision;
    let reached = ListCommentsRequest { min_revision: now, ..Default::default() };
    ensure!(say.list(reached).await?.threads.len() == 3);
    let beyond = ListCommentsRequest { min_revision: now + 1, ..Default::default() };
    ensure!(refused(say.list(beyond).await)? == (Code::Unavailable, ErrorReason::RevisionNotReached));
    Ok(())
}
