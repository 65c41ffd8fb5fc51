//! Threads: the depth limit, thread order, conversations.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{Comment, CommentSort, ErrorReason, GetThreadRequest, ListConversationRequest};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_reply_below_the_cap_attaches_at_the_cap_and_keeps_its_parent,
    a_thread_is_read_in_thread_order_over_pages,
    a_conversation_is_the_chain_upward_by_parent,
    a_reply_to_what_does_not_exist_is_not_found,
    reply_counts_follow_the_contract,
];

/// Returns a subtree, read in pages of `page_size`.
pub(crate) async fn thread(say: &Say, comment_id: i64, page_size: i32) -> Result<Vec<Comment>> {
    let mut request = GetThreadRequest { comment_id, page_size, ..GetThreadRequest::default() };
    let mut all = Vec::new();
    loop {
        let page = say.client.replies().get_thread(request.clone()).await?.into_inner();
        all.extend(page.comments);
        if page.next_page_token.is_empty() {
            return Ok(all);
        }
        request.page_token = page.next_page_token;
    }
}

async fn a_reply_below_the_cap_attaches_at_the_cap_and_keeps_its_parent(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let first = say.reply(root.id, "m", "first").await?;
    let second = say.reply(first.id, "m", "second").await?;
    let third = say.reply(second.id, "m", "third").await?;
    ensure!([first.depth, second.depth, third.depth] == [1, 1, 1], "two levels by default");
    ensure!((second.root_id, second.parent_id) == (root.id, first.id), "{second:?}");
    ensure!((third.root_id, third.parent_id) == (root.id, second.id), "{third:?}");
    ensure!([first.floor, second.floor, third.floor] == [1, 2, 3]);
    ensure!(thread(&say, second.id, 10).await?.len() == 1, "at the cap a thread is that comment alone");
    Ok(())
}

async fn a_thread_is_read_in_thread_order_over_pages(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "deep");
    let root = say.comment("m", "r").await?;
    let a = say.reply(root.id, "m", "a").await?;
    let b = say.reply(root.id, "m", "b").await?;
    let a1 = say.reply(a.id, "m", "a1").await?;
    let b1 = say.reply(b.id, "m", "b1").await?;
    let a2 = say.reply(a.id, "m", "a2").await?;
    let complete = [root.id, a.id, a1.id, a2.id, b.id, b1.id];
    for size in [1, 2, 3, 100] {
        let walked: Vec<_> = thread(&say, root.id, size).await?.iter().map(|c| c.id).collect();
        ensure!(walked == complete, "pages of {size}: {walked:?}");
    }
    Ok(())
}

async fn a_conversation_is_the_chain_upward_by_parent(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "0").await?;
    let mut chain = vec![root.id];
    for n in 1..=104 {
        let parent = chain[n - 1];
        chain.push(say.reply(parent, "m", &n.to_string()).await?.id);
    }
    let ask = |id: i64| {
        let mut replies = say.client.replies();
        async move {
            let request = ListConversationRequest { comment_id: id, ..ListConversationRequest::default() };
            Ok::<_, tonic::Status>(replies.list_conversation(request).await?.into_inner())
        }
    };
    let short = ask(chain[3]).await?;
    ensure!(short.ancestors.iter().map(|c| c.id).collect::<Vec<_>>() == [chain[2], chain[1], chain[0]], "{short:?}");
    ensure!(!short.truncated && short.comment.unwrap_or_default().id == chain[3]);
    let long = ask(chain[104]).await?;
    let expected: Vec<_> = chain[4..104].iter().rev().copied().chain([chain[0]]).collect();
    ensure!(long.ancestors.iter().map(|c| c.id).collect::<Vec<_>>() == expected);
    ensure!(long.truncated);
    ensure!(ask(chain[0]).await?.ancestors.is_empty());
    Ok(())
}

async fn a_reply_to_what_does_not_exist_is_not_found(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let absent = say.reply(root.id ^ (1 << 40), "m", "late").await;
    ensure!(refused(absent)? == (Code::NotFound, ErrorReason::CommentNotFound));
    Ok(())
}

async fn reply_counts_follow_the_contract(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let first = say.reply(root.id, "m", "first").await?;
    for _ in 0..3 {
        say.reply(first.id, "m", "answer").await?;
    }
    let roots = say.roots(CommentSort::Newest, 10).await?;
    ensure!(roots[0].reply_count == 4, "a root counts replies at any depth: {roots:?}");
    let replies = say.replies(root.id, CommentSort::Oldest, 10).await?;
    ensure!(replies[0].reply_count == 3, "a reply counts its direct answers: {replies:?}");
    Ok(())
}
