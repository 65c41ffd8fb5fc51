//! Ranked lists: their formulas, exact walks during concurrent changes, previews and jumps.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    Comment, CommentSort, ErrorReason, LikeValue, ListCommentsRequest, ListRepliesRequest, PinCommentRequest,
    RebuildRanksRequest, RebuildRanksResponse, SubjectScope, UpdateSubjectRequest,
};
use riposte_sdk::v1::{Subject, subject_scope::Scope};
use riposte_tests::{Case, Fixture, Say, cases, floors, rank, refused, until};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    every_ranked_sort_is_that_of_its_formula,
    ranked_walks_are_exact_while_others_like_write_and_delete,
    a_like_lifts_a_comment_within_seconds,
    a_preview_shows_the_most_liked_replies,
    around_a_comment_or_floor_a_ranked_page_continues_in_both_directions,
    pinned_roots_are_listed_separately_and_in_their_place,
    replies_are_ranked_by_likes_and_dislikes_only,
    a_ranked_token_belongs_to_its_sort,
    a_ranked_list_without_comments_is_empty_and_a_later_revision_is_not_reached,
    a_rebuild_of_ranks_finds_nothing_left_to_do_the_second_time,
];

const RANKED: [CommentSort; 5] =
    [CommentSort::Hot, CommentSort::Top, CommentSort::Best, CommentSort::Controversial, CommentSort::MostReplies];

/// Creates roots with various likes, dislikes and replies; several are equal.
async fn voted(fixture: &Fixture, count: usize) -> Result<(Say, Vec<Comment>)> {
    let say = Say::on(&fixture.client, "article");
    let mut roots = Vec::new();
    for n in 0..count {
        let root = say.comment("m", &n.to_string()).await?;
        for member in 0..(n * 7) % 5 {
            say.like(root.id, &format!("l{member}"), LikeValue::Like).await?;
        }
        for member in 0..(n * 3) % 4 {
            say.like(root.id, &format!("d{member}"), LikeValue::Dislike).await?;
        }
        for _ in 0..(n * 5) % 3 {
            say.reply(root.id, "r", "yes").await?;
        }
        roots.push(root);
    }
    Ok((say, roots))
}

async fn every_ranked_sort_is_that_of_its_formula(fixture: Fixture) -> Result<()> {
    let (say, _) = voted(&fixture, 17).await?;
    for sort in RANKED {
        let found = say.roots(sort, 5).await?;
        ensure!(found.len() == 17, "{sort:?}: {} roots", found.len());
        let mut expected = say.roots(CommentSort::Newest, 100).await?;
        rank::sort(&mut expected, sort);
        let ids = |list: &[Comment]| list.iter().map(|c| c.id).collect::<Vec<_>>();
        ensure!(ids(&found) == ids(&expected), "{sort:?}: {found:#?}");
    }
    Ok(())
}

async fn ranked_walks_are_exact_while_others_like_write_and_delete(fixture: Fixture) -> Result<()> {
    let (say, roots) = voted(&fixture, 40).await?;
    let (doomed, stood): (Vec<_>, Vec<_>) = roots.iter().map(|root| root.id).partition(|id| id % 3 == 0);
    let stop = Arc::new(AtomicBool::new(false));
    let writer = |kind: usize| {
        let (say, stop, ids, mut doomed) = (say.clone(), Arc::clone(&stop), stood.clone(), doomed.clone());
        tokio::spawn(async move {
            let mut written = 0;
            while !stop.load(Ordering::Relaxed) && written < 600 {
                let id = ids[written * 7 % ids.len()];
                match kind {
                    0 => drop(say.like(id, &format!("w{written}"), LikeValue::Like).await?),
                    1 => drop(say.comment("w", "more").await?),
                    _ => drop(say.reply(id, "w", "more").await?),
                }
                if let Some(id) = doomed.pop().filter(|_| kind == 1) {
                    super::comments::delete(&say, id, "m").await?;
                }
                written += 1;
            }
            Ok::<_, tonic::Status>(written)
        })
    };
    let writers: Vec<_> = (0..3).map(writer).collect();
    for (sort, size) in RANKED.into_iter().flat_map(|sort| [(sort, 3), (sort, 11)]) {
        let walked = say.roots(sort, size).await?;
        let ids: HashSet<i64> = walked.iter().map(|c| c.id).collect();
        ensure!(ids.len() == walked.len(), "{sort:?}: something came twice");
        let missing: Vec<_> = stood.iter().filter(|id| !ids.contains(*id)).collect();
        ensure!(missing.is_empty(), "{sort:?}: {missing:?} did not come");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        ensure!(writer.await?? > 0, "nothing was written meanwhile");
    }
    super::floors::verify(&fixture, &say).await
}

async fn a_like_lifts_a_comment_within_seconds(fixture: Fixture) -> Result<()> {
    let (say, roots) = voted(&fixture, 6).await?;
    // The root has no votes and no replies.
    let last = roots[0].id;
    let first = || async { anyhow::Ok(say.roots(CommentSort::Top, 3).await?.first().map(|top| top.id)) };
    ensure!(first().await? != Some(last));
    for n in 0..9 {
        say.like(last, &format!("more{n}"), LikeValue::Like).await?;
    }
    let lifted = || async { Ok(first().await? == Some(last)) };
    until("the most liked comment stands first", lifted).await?;
    super::comments::delete(&say, last, "m").await?;
    let left = say.roots(CommentSort::Top, 3).await?;
    ensure!(left.len() == roots.len() - 1 && !left.iter().any(|c| c.id == last), "what is deleted leaves at once");
    Ok(())
}

/// Returns the floors of the only preview on the first page.
async fn preview(say: &Say, sort: CommentSort) -> Result<Vec<i32>> {
    let thread = say.page(sort, 5).await?.threads.remove(0);
    ensure!(!thread.reply_page_token.is_empty(), "there are more than it shows");
    Ok(thread.replies.iter().map(|reply| reply.floor).collect())
}

async fn a_preview_shows_the_most_liked_replies(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let mut replies = Vec::new();
    for n in 0..8 {
        replies.push(say.reply(root.id, "m", &n.to_string()).await?);
    }
    for (reply, likes) in [(5, 3), (2, 2), (7, 1)] {
        for n in 0..likes {
            say.like(replies[reply].id, &format!("l{n}"), LikeValue::Like).await?;
        }
    }
    let shown = || async { Ok(preview(&say, CommentSort::Newest).await? == [6, 3, 8]) };
    until("the preview shows the three most liked", shown).await?;
    ensure!(preview(&say, CommentSort::Hot).await? == [6, 3, 8], "the same in every order");
    let page = say.page(CommentSort::Newest, 5).await?;
    let request = ListRepliesRequest {
        root_id: root.id,
        page_token: page.threads[0].reply_page_token.clone(),
        ..ListRepliesRequest::default()
    };
    let oldest = say.client.replies().list_replies(request).await?.into_inner();
    ensure!(oldest.replies.iter().map(|r| r.floor).eq(1..=8), "its token walks all of them from the first");
    Ok(())
}

async fn around_a_comment_or_floor_a_ranked_page_continues_in_both_directions(fixture: Fixture) -> Result<()> {
    let (say, roots) = voted(&fixture, 15).await?;
    for (n, target) in [&roots[0], &roots[7], &roots[14]].into_iter().enumerate() {
        let (around_comment_id, around_floor) = if n == 1 { (0, target.floor) } else { (target.id, 0) };
        let request = ListCommentsRequest {
            sort: CommentSort::Best.into(),
            page_size: 4,
            around_comment_id,
            around_floor,
            ..ListCommentsRequest::default()
        };
        let (page, seen) = say.both_ways(request).await?;
        ensure!(page.threads.len() == 4 && floors(&page).contains(&target.floor), "{:?}", floors(&page));
        let complete: Vec<i32> = say.roots(CommentSort::Best, 100).await?.iter().map(|c| c.floor).collect();
        ensure!(seen == complete, "around {}: {seen:?}, not {complete:?}", target.floor);
    }
    let reply = say.reply(roots[3].id, "m", "deep").await?;
    let request = ListCommentsRequest {
        sort: CommentSort::Top.into(),
        page_size: 3,
        around_comment_id: reply.id,
        ..ListCommentsRequest::default()
    };
    let page = say.list(request).await?;
    let thread = page.threads.iter().find(|t| t.comment.as_ref().is_some_and(|c| c.id == roots[3].id));
    let thread = thread.context("the page of its root")?;
    ensure!(thread.replies.iter().any(|r| r.id == reply.id), "{thread:?}");
    Ok(())
}

async fn pinned_roots_are_listed_separately_and_in_their_place(fixture: Fixture) -> Result<()> {
    let (say, roots) = voted(&fixture, 6).await?;
    let owned = Subject { key: Some(say.key.clone()), owner_id: "owner".into(), ..Subject::default() };
    let update = UpdateSubjectRequest {
        subject: Some(owned),
        update_mask: Some(prost_types::FieldMask { paths: vec!["owner_id".into()] }),
        ..UpdateSubjectRequest::default()
    };
    say.client.subjects().update_subject(update).await?;
    let pin = PinCommentRequest { id: roots[2].id, member_id: "owner".into(), ..PinCommentRequest::default() };
    say.client.comments().pin_comment(pin).await?;
    for sort in RANKED {
        let page = say.page(sort, 10).await?;
        let pinned: Vec<i64> = page.pinned.iter().filter_map(|t| t.comment.as_ref()).map(|c| c.id).collect();
        ensure!(pinned == [roots[2].id], "{sort:?}: {pinned:?}");
        ensure!(floors(&page).len() == 6 && floors(&page).contains(&roots[2].floor), "{sort:?}: {:?}", floors(&page));
    }
    Ok(())
}

async fn replies_are_ranked_by_likes_and_dislikes_only(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    for n in 0..14_usize {
        let reply = say.reply(root.id, "m", &n.to_string()).await?;
        for member in 0..(n * 5) % 7 {
            let value = if n % 4 == 3 { LikeValue::Dislike } else { LikeValue::Like };
            say.like(reply.id, &format!("l{member}"), value).await?;
        }
    }
    let mut expected = say.replies(root.id, CommentSort::Oldest, 100).await?;
    rank::sort(&mut expected, CommentSort::Top);
    let found = say.replies(root.id, CommentSort::Top, 4).await?;
    ensure!(found.iter().map(|c| c.id).eq(expected.iter().map(|c| c.id)), "{found:#?}");
    let around = ListRepliesRequest {
        root_id: root.id,
        sort: CommentSort::Top.into(),
        page_size: 3,
        around_comment_id: expected[8].id,
        ..ListRepliesRequest::default()
    };
    let page = say.client.replies().list_replies(around).await?.into_inner();
    ensure!(page.replies.iter().any(|r| r.id == expected[8].id), "{page:?}");
    ensure!(!page.next_page_token.is_empty() && !page.previous_page_token.is_empty());
    for sort in RANKED.into_iter().filter(|sort| *sort != CommentSort::Top) {
        let request = ListRepliesRequest { root_id: root.id, sort: sort.into(), ..ListRepliesRequest::default() };
        let outcome = say.client.replies().list_replies(request).await;
        ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::FieldInvalid), "{sort:?}");
    }
    Ok(())
}

async fn a_ranked_token_belongs_to_its_sort(fixture: Fixture) -> Result<()> {
    let (say, _) = voted(&fixture, 8).await?;
    let top = |token: &str, size| ListCommentsRequest {
        sort: CommentSort::Top.into(),
        page_size: size,
        page_token: token.to_owned(),
        ..ListCommentsRequest::default()
    };
    let first = say.list(top("", 3)).await?;
    let token = first.next_page_token.clone();
    ensure!(floors(&say.list(top(&token, 5)).await?).len() == 5, "another page size goes");
    let back = say.list(top(&say.list(top(&token, 5)).await?.previous_page_token, 3)).await?;
    ensure!(floors(&back) == floors(&first) && back.previous_page_token.is_empty(), "{:?}", floors(&back));
    let mismatch = (Code::InvalidArgument, ErrorReason::PageTokenMismatch);
    for sort in [CommentSort::Hot, CommentSort::Best, CommentSort::Newest] {
        let request = ListCommentsRequest { sort: sort.into(), ..top(&token, 3) };
        ensure!(refused(say.list(request).await)? == mismatch, "{sort:?}");
    }
    let (other, _) = voted(&fixture, 2).await?;
    ensure!(refused(other.list(top(&token, 3)).await)? == mismatch);
    Ok(())
}

async fn a_ranked_list_without_comments_is_empty_and_a_later_revision_is_not_reached(fixture: Fixture) -> Result<()> {
    let nothing = Say::on(&fixture.client, "article");
    for sort in RANKED {
        let page = nothing.page(sort, 5).await?;
        ensure!(page.threads.is_empty() && page.next_page_token.is_empty() && page.previous_page_token.is_empty());
    }
    let (say, _) = voted(&fixture, 3).await?;
    let at = |min_revision| ListCommentsRequest {
        sort: CommentSort::Hot.into(),
        min_revision,
        ..ListCommentsRequest::default()
    };
    let now = say.list(at(0)).await?.subject.unwrap_or_default().revision;
    let more = say.comment("m", "after the ranking").await?;
    let page = say.list(at(now + 1)).await?;
    ensure!(floors(&page).contains(&more.floor), "a walk contains all roots of its revision: {:?}", floors(&page));
    ensure!(refused(say.list(at(now + 2)).await)? == (Code::Unavailable, ErrorReason::RevisionNotReached));
    Ok(())
}

async fn a_rebuild_of_ranks_finds_nothing_left_to_do_the_second_time(fixture: Fixture) -> Result<()> {
    let object_type = format!("t{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let mut sums = HashMap::new();
    for n in 0..3 {
        let say = Say::on(&fixture.client, &object_type);
        let root = say.comment("m", "root").await?;
        let reply = say.reply(root.id, "m", "reply").await?;
        say.like(if n == 0 { root.id } else { reply.id }, "x", LikeValue::Like).await?;
    }
    for second in [false, true] {
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.clone())) });
        let request = RebuildRanksRequest { scope, ..RebuildRanksRequest::default() };
        let mut responses = fixture.server.admin()?.rebuild_ranks(request).await?.into_inner();
        let mut last = RebuildRanksResponse::default();
        while let Some(response) = responses.message().await? {
            last = response;
        }
        ensure!(last.subjects_done == 3 && last.comments_checked == 6 && last.resume_token.is_empty(), "{last:?}");
        sums.insert(second, last.comments_changed);
    }
    ensure!(sums[&true] == 0, "{sums:?}");
    Ok(())
}
