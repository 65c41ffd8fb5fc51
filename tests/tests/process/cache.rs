//! A server with Redis: while Redis is killed, paused or emptied, reads continue and report the
//! degradation; data that returns is never outdated.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1;
use riposte_sdk::v1::{CommentSort, DegradedPart, DegradedReason, LikeValue};
use riposte_test_support::redis::{Program, Server as Redis};
use riposte_tests::{Say, Server, mysql};

/// Starts a Redis for one test. Returns `None`, with a message, where the machine has no Redis.
pub(super) fn start_redis() -> Result<Option<Redis>> {
    Program::find().map(|program| Redis::start(&program)).transpose()
}

/// Returns the setting that names it as the cache of a server.
pub(super) fn cache_url(redis: &Redis) -> String {
    format!("cache.url={}", redis.url())
}

/// Starts a server with these settings that serves pages from the cache, without the response
/// cache.
pub(super) async fn copying(settings: &[&str]) -> Result<Server> {
    Server::dev_with(None, &[settings, &["--set", "response_cache.enabled=false"]].concat()).await
}

async fn served(redis: &Redis) -> Result<Server> {
    let url = cache_url(redis);
    copying(&["--set", "cache.kind=redis", "--set", &url]).await
}

/// Returns the newest roots with their previews.
async fn page(say: &Say) -> Result<v1::ListCommentsResponse> {
    let request = v1::ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Newest.into(),
        page_size: 20,
        ..v1::ListCommentsRequest::default()
    };
    Ok(say.client.comments().list_comments(request).await?.into_inner())
}

/// Creates a root with a liked reply. Returns the id of the reply.
async fn root_with_reply(say: &Say) -> Result<i64> {
    let root = say.comment("m", "first").await?;
    let reply = say.reply(root.id, "m", "answer").await?.id;
    say.like(reply, "fan", LikeValue::Like).await?;
    Ok(reply)
}

/// Checks that the preview of the oldest root is this reply, with `likes` likes.
async fn shows(say: &Say, reply: i64, likes: i32) -> Result<()> {
    let page = page(say).await?;
    let shown: Vec<_> =
        page.threads.last().context("a root")?.replies.iter().map(|of| (of.id, of.like_count)).collect();
    ensure!(shown == [(reply, likes)], "{shown:?}");
    Ok(())
}

/// Reads until a response is degraded or not, as requested. Every response is complete in both
/// cases.
pub(super) async fn until(say: &Say, degraded: bool, roots: usize) -> Result<()> {
    let responses = async {
        loop {
            let page = page(say).await?;
            ensure!(page.threads.len() == roots, "{} of {roots} roots", page.threads.len());
            let degraded_parts: Vec<_> = page.degraded.iter().map(|of| (of.part(), of.reason())).collect();
            ensure!(
                degraded_parts.is_empty() || degraded_parts == [(DegradedPart::Cache, DegradedReason::Unavailable)],
                "{degraded_parts:?}"
            );
            if degraded_parts.is_empty() != degraded {
                return Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), responses).await.context("it never changes")?
}

/// Returns the value of a cache counter of the server.
async fn counted(server: &Server, event: &str) -> Result<u64> {
    let text = super::metrics::ask(server.metrics_target(), "GET", "/metrics").await?;
    let line = format!("riposte_cache_events_total{{event=\"{event}\"}} ");
    let number = text.lines().find_map(|line_found| line_found.strip_prefix(&line)).context("not counted")?;
    Ok(number.parse()?)
}

#[tokio::test]
async fn reads_survive_a_killed_a_stopped_and_an_emptied_redis_and_return_nothing_old() -> Result<()> {
    let Some(mut redis) = start_redis()? else { return Ok(()) };
    let server = served(&redis).await?;
    let say = Say::on(&server.client()?, "video");
    let reply = root_with_reply(&say).await?;
    until(&say, false, 1).await?;
    // Redis is paused: the data that it returns when it resumes is outdated.
    redis.pause()?;
    until(&say, true, 1).await?;
    say.comment("m", "second").await?;
    until(&say, true, 2).await?;
    redis.resume()?;
    until(&say, false, 2).await?;
    // Redis is killed and restarted empty, even without the functions.
    redis.kill();
    until(&say, true, 2).await?;
    say.comment("m", "third").await?;
    redis.start_again()?;
    until(&say, false, 3).await?;
    until_hits(&server, &say).await?;
    shows(&say, reply, 1).await?;
    say.like(reply, "another", LikeValue::Like).await?;
    shows(&say, reply, 2).await
}

#[tokio::test]
async fn a_server_that_starts_while_redis_is_away_uses_it_when_it_comes() -> Result<()> {
    let Some(mut redis) = start_redis()? else { return Ok(()) };
    let address = cache_url(&redis);
    redis.kill();
    let server = copying(&["--set", "cache.kind=redis", "--set", &address]).await?;
    let say = Say::on(&server.client()?, "video");
    let reply = root_with_reply(&say).await?;
    until(&say, true, 1).await?;
    redis.start_again()?;
    until(&say, false, 1).await?;
    until_hits(&server, &say).await?;
    shows(&say, reply, 1).await
}

/// Reads until the cache serves pages again.
async fn until_hits(server: &Server, say: &Say) -> Result<()> {
    let before = counted(server, "hit").await?;
    let hits = async {
        while counted(server, "hit").await? == before {
            page(say).await?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(60), hits).await.context("nothing is kept again")?
}

#[tokio::test]
async fn a_cache_in_the_process_is_rebuilt_and_pages_come_from_it() -> Result<()> {
    check_rebuild(&copying(&["--set", "cache.kind=memory"]).await?).await
}

#[tokio::test]
async fn a_cache_in_redis_is_rebuilt_and_pages_come_from_it() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    check_rebuild(&served(&redis).await?).await
}

async fn check_rebuild(server: &Server) -> Result<()> {
    let say = Say::on(&server.client()?, "video");
    let reply = root_with_reply(&say).await?;
    until_hits(server, &say).await?;
    shows(&say, reply, 1).await?;
    let key = Some(say.key.clone());
    let scope = v1::SubjectScope { scope: Some(v1::subject_scope::Scope::Key(key.context("a key")?)) };
    let request = v1::RebuildCacheRequest { scope: Some(scope), request_id: String::new() };
    let mut responses = server.admin()?.rebuild_cache(request).await?.into_inner();
    let progress = responses.message().await?.context("no progress")?;
    ensure!(progress.subjects_rebuilt == 1, "{progress:?}");
    ensure!(page(&say).await?.threads.len() == 1);
    ensure!(counted(server, "drift").await? == 0);
    Ok(())
}

#[tokio::test]
async fn commits_of_a_process_without_cache_reach_the_cache_through_the_relay_and_fresh_reads_at_once() -> Result<()> {
    let (Some(redis), Some(databases)) = (start_redis()?, mysql::servers()) else { return Ok(()) };
    let name = mysql::fresh_name();
    // This server has no cache. It starts first and holds the lease until a server with a cache
    // requests the lease.
    let deaf = Server::serve(&databases, &name).await?;
    let url = cache_url(&redis);
    let more = ["--set", "cache.kind=redis", "--set", &url, "--set", "response_cache.enabled=false"].map(str::to_owned);
    let copying =
        Server::serve_with(&[riposte_tests::settings::on_databases(&databases, &name), more.to_vec()].concat()).await?;
    let there = Say::on(&deaf.client()?, "article");
    let here = Say { client: copying.client()?, key: there.key.clone() };
    let root = here.comment("m", "first").await?;
    let reply = here.reply(root.id, "m", "answer").await?;
    page(&here).await?;
    there.comment("m", "second").await?;
    there.like(root.id, "m", LikeValue::Like).await?;
    let gone = v1::DeleteCommentRequest { id: reply.id, member_id: "m".to_owned(), ..Default::default() };
    there.client.comments().delete_comment(gone).await?;
    let (subject, fresh) = (Some(here.key.clone()), true);
    let request = v1::ListCommentsRequest { subject: subject.clone(), fresh, ..Default::default() };
    let list = here.list(request).await?;
    ensure!(list.threads.len() == 2 && list.subject.context("a subject")?.comment_count == 2, "{:?}", list.threads);
    let request = v1::ListRepliesRequest { root_id: root.id, fresh, ..Default::default() };
    let replies = here.client.replies().list_replies(request).await?.into_inner().replies;
    ensure!(replies.is_empty(), "{replies:?}");
    let request = v1::GetCommentRequest { id: reply.id, fresh, ..Default::default() };
    let got = here.client.comments().get_comment(request).await?.into_inner().comment.context("a comment")?;
    ensure!(got.content.is_none(), "{got:?}");
    let request = v1::BatchGetCommentsRequest { ids: vec![root.id], fresh, ..Default::default() };
    let got = here.client.comments().batch_get_comments(request).await?.into_inner().comments;
    ensure!(got[0].like_count == 1 && got[0].reply_count == 0, "{got:?}");
    let request = v1::GetSubjectRequest { key: subject.clone(), fresh, ..Default::default() };
    let got = here.client.subjects().get_subject(request).await?.into_inner().subject.context("a subject")?;
    ensure!(got.root_count == 2, "{got:?}");
    let member_id = "m".to_owned();
    let request = v1::BatchGetLikeStatesRequest { subject, member_id, comment_ids: vec![root.id], fresh };
    let states = here.client.likes().batch_get_like_states(request).await?.into_inner().states;
    ensure!(states[0].value() == LikeValue::Like, "{states:?}");
    let shown = async {
        loop {
            let page = page(&here).await?;
            let roots = page.threads.iter().filter_map(|thread| Some((thread.comment.as_ref()?, &thread.replies)));
            let roots: Vec<_> = roots.map(|(root, replies)| (root.id, root.like_count, replies.len())).collect();
            if matches!(roots[..], [_, (first, 1, 0)] if first == root.id) {
                return anyhow::Ok(());
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), shown).await.context("the cache never shows it")?
}

/// Returns the page without the tokens, which are sealed anew for each response.
fn unsealed(mut page: v1::ListCommentsResponse) -> v1::ListCommentsResponse {
    unseal(&mut page.next_page_token);
    for thread in page.threads.iter_mut().chain(&mut page.pinned) {
        unseal(&mut thread.reply_page_token);
    }
    page
}

/// Replaces a token by a word that says that there is one.
fn unseal(token: &mut String) {
    if !token.is_empty() {
        "token".clone_into(token);
    }
}

#[tokio::test]
async fn a_rendered_page_equals_the_page_of_the_rows_and_its_tokens_are_valid() -> Result<()> {
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let server = copying(&["--set", "cache.kind=redis", "--set", &url]).await?;
    let say = Say::on(&server.client()?, "video");
    let mut roots = Vec::new();
    for n in 0..23 {
        roots.push(say.comment("m", &format!("楼 {n}")).await?.id);
    }
    for n in 0..5 {
        let reply = say.reply(roots[22], "m", &format!("{n}")).await?.id;
        say.reply(roots[21], "m", "only").await?;
        say.like(reply, &format!("fan {n}"), LikeValue::Like).await?;
    }
    let gone = v1::DeleteCommentRequest { id: roots[22], member_id: "m".to_owned(), ..Default::default() };
    say.client.comments().delete_comment(gone).await?;
    // Without single comments only the rendered page can serve the read without the rows.
    let single = "for _, key in ipairs(redis.call('KEYS', '*:c:*')) do redis.call('DEL', key) end return 0";
    let rendered = async {
        loop {
            while redis.ask(&["EVAL", "return #redis.call('KEYS', '*:f:*')", "0"])?.number()? == 0 {
                page(&say).await?;
            }
            redis.ask(&["EVAL", single, "0"])?;
            let before = counted(&server, "primary_read").await?;
            let page = page(&say).await?;
            // The relay may have reported a like late, which invalidates a rendered page.
            if counted(&server, "primary_read").await? == before {
                return anyhow::Ok(page);
            }
        }
    };
    let shown = tokio::time::timeout(Duration::from_secs(60), rendered).await.context("no page is rendered")??;
    let request = v1::ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Newest.into(),
        page_size: 20,
        ..v1::ListCommentsRequest::default()
    };
    let fresh = v1::ListCommentsRequest { fresh: true, ..request.clone() };
    ensure!(unsealed(shown.clone()) == unsealed(say.list(fresh).await?), "{shown:?}");
    ensure!(shown.threads.len() == 20 && !shown.next_page_token.is_empty(), "{shown:?}");
    let rest = say.list(v1::ListCommentsRequest { page_token: shown.next_page_token, ..request }).await?;
    ensure!(rest.threads.len() == 3 && rest.next_page_token.is_empty(), "{rest:?}");
    let walked = shown.threads.iter().filter(|thread| !thread.reply_page_token.is_empty());
    for thread in walked {
        let (root_id, page_token) = (thread.comment.as_ref().context("a root")?.id, thread.reply_page_token.clone());
        let request =
            v1::ListRepliesRequest { root_id, sort: CommentSort::Oldest.into(), page_token, ..Default::default() };
        let replies = say.client.replies().list_replies(request).await?.into_inner().replies;
        ensure!(replies.len() == 5, "{replies:?}");
    }
    Ok(())
}
