//! Hot subjects: the response cache serves their first pages, within the promised age.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::{
    CommentSort, DeleteCommentRequest, ErrorReason, HotSubject, ListCommentsRequest, ListCommentsResponse,
    ListHotSubjectsRequest, Subject, SubjectState, UpdateSubjectRequest,
};
use riposte_tests::{Say, Server, mysql, refused};
use tonic::{Code, Request, Status};

use super::metrics::ask;

/// Every subject is hot from its first read.
const HOT: [&str; 2] = ["--set", "response_cache.threshold=0"];
/// The longest time after its removal for which a read may still return an item.
const MAX_AGE: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(30);

async fn page(say: &Say) -> Result<ListCommentsResponse, Status> {
    say.page(CommentSort::Newest, 10).await
}

/// Returns the same page from the store.
async fn fresh(say: &Say) -> Result<ListCommentsResponse, Status> {
    let request = ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Newest.into(),
        page_size: 10,
        fresh: true,
        ..ListCommentsRequest::default()
    };
    Ok(say.client.comments().list_comments(request).await?.into_inner())
}

fn ids(page: &ListCommentsResponse) -> Vec<i64> {
    page.threads.iter().filter_map(|thread| Some(thread.comment.as_ref()?.id)).collect()
}

/// Reads until the response is as required; fails if a read that began a second after `since`
/// returns another.
async fn converges(
    say: &Say,
    since: Instant,
    right: impl Fn(&Result<ListCommentsResponse, Status>) -> bool,
) -> Result<()> {
    loop {
        let begin = Instant::now();
        let response = page(say).await;
        if right(&response) {
            return Ok(());
        }
        let late = begin.saturating_duration_since(since);
        ensure!(late <= MAX_AGE, "{late:?} after the change, a reader still gets {response:?}");
    }
}

/// The value of a metric without labels.
async fn metric(server: &Server, name: &str) -> Result<u64> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line.map(str::parse).transpose()?.unwrap_or_default())
}

/// Reads until the given number of pages came from memory, and checks each of them. Returns the
/// number of reads.
async fn read_until_hits(
    server: &Server,
    say: &Say,
    least: u64,
    check: impl Fn(&ListCommentsResponse) -> Result<()>,
) -> Result<u64> {
    let reading = async {
        let mut read = 0;
        while metric(server, "riposte_response_cache_hits_total").await? < least {
            check(&page(say).await?)?;
            read += 1;
        }
        anyhow::Ok(read)
    };
    tokio::time::timeout(TIMEOUT, reading).await.with_context(|| format!("no {least} pages come from memory"))?
}

#[tokio::test]
async fn a_page_from_the_response_cache_equals_any_other_response() -> Result<()> {
    let server = Server::dev_with(None, &HOT).await?;
    let say = Say::on(&server.client()?, "article");
    for n in 0..25 {
        let root = say.comment("m", &n.to_string()).await?;
        say.reply(root.id, "x", "reply").await?;
    }
    let from_store = fresh(&say).await?;
    // Tokens are sealed anew for every read of the page.
    let plain = |page: &ListCommentsResponse| {
        let mut page = page.clone();
        page.next_page_token.clear();
        page.threads.iter_mut().for_each(|thread| thread.reply_page_token.clear());
        page
    };
    let same = |cached: &ListCommentsResponse| {
        ensure!(plain(cached) == plain(&from_store), "{cached:?}\n{from_store:?}");
        Ok(())
    };
    read_until_hits(&server, &say, 2, same).await?;
    let walked = say.roots(CommentSort::Newest, 10).await?;
    ensure!(walked.len() == 25, "tokens of a cached page are valid: {}", walked.len());

    let request = || ListCommentsRequest { subject: Some(say.key.clone()), page_size: 10, ..Default::default() };
    let mut named = Request::new(request());
    named.metadata_mut().insert("riposte-request-id", "mine-1".parse()?);
    for (request, expected) in [(named, Some("mine-1")), (Request::new(request()), None)] {
        let response = say.client.comments().list_comments(request).await?;
        let id = response.metadata().get("riposte-request-id").context("no request id")?.to_str()?.to_owned();
        ensure!(expected.map_or(id.len() == 36, |expected| expected == id), "{id}");
    }
    let mut faulty = Request::new(request());
    faulty.metadata_mut().insert("riposte-fault", "code=NOT_FOUND;n=1;key=hot".parse()?);
    let rejected = say.client.comments().list_comments(faulty).await;
    ensure!(rejected.is_err_and(|status| status.code() == Code::NotFound), "faults come before the response cache");
    Ok(())
}

#[tokio::test]
async fn changes_are_read_at_once_with_their_revision_and_within_a_second_without() -> Result<()> {
    let server = Server::dev_with(None, &HOT).await?;
    let say = Say::on(&server.client()?, "article");
    changes_are_seen(&say, &say).await
}

#[tokio::test]
async fn changes_by_another_process_are_seen_within_a_second() -> Result<()> {
    let Some(databases) = mysql::servers() else { return Ok(()) };
    let name = mysql::fresh_name();
    let writer = Server::serve(&databases, &name).await?;
    let mut sets = riposte_tests::settings::on_databases(&databases, &name);
    sets.extend(HOT.map(str::to_owned));
    let reader = Server::serve_with(&sets).await?;
    let writes = Say::on(&writer.client()?, "article");
    let reads = Say { client: reader.client()?, key: writes.key.clone() };
    changes_are_seen(&writes, &reads).await
}

async fn changes_are_seen(writes: &Say, reads: &Say) -> Result<()> {
    let first = writes.comment("m", "first").await?;
    let mut since = Instant::now();
    converges(reads, since, |page| page.as_ref().is_ok_and(|page| ids(page) == [first.id])).await?;
    for round in 0..3 {
        let made = writes.comment("m", &round.to_string()).await?;
        since = Instant::now();
        let revision = fresh(reads).await?.subject.unwrap_or_default().revision;
        let request = ListCommentsRequest {
            subject: Some(reads.key.clone()),
            sort: CommentSort::Newest.into(),
            page_size: 10,
            min_revision: revision,
            ..ListCommentsRequest::default()
        };
        let own = reads.client.comments().list_comments(request).await?.into_inner();
        ensure!(ids(&own).contains(&made.id), "a read with the revision shows it");
        converges(reads, since, |page| page.as_ref().is_ok_and(|page| ids(page).contains(&made.id))).await?;
        let delete = DeleteCommentRequest { id: made.id, member_id: "m".to_owned(), ..Default::default() };
        writes.client.comments().delete_comment(delete).await?;
        since = Instant::now();
        converges(reads, since, |page| page.as_ref().is_ok_and(|page| !ids(page).contains(&made.id))).await?;
    }
    for (state, refused) in [(SubjectState::Hidden, true), (SubjectState::Active, false)] {
        let subject = Subject { key: Some(writes.key.clone()), state: state.into(), ..Subject::default() };
        let update = UpdateSubjectRequest { subject: Some(subject), ..UpdateSubjectRequest::default() };
        writes.client.subjects().update_subject(update).await?;
        since = Instant::now();
        converges(reads, since, |page| page.is_err() == refused).await?;
    }
    Ok(())
}

#[tokio::test]
async fn refusals_of_a_hot_subject_are_the_handlers_own() -> Result<()> {
    let server = Server::dev_with(None, &HOT).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "x").await?;
    let subject = Subject { key: Some(say.key.clone()), state: SubjectState::Hidden.into(), ..Subject::default() };
    let update = UpdateSubjectRequest { subject: Some(subject), ..UpdateSubjectRequest::default() };
    say.client.subjects().update_subject(update).await?;
    let status = |response: Result<_, Status>| response.map(|page: ListCommentsResponse| page.threads.len()).err();
    let (cached, plain) = (status(page(&say).await), status(fresh(&say).await));
    let (cached, plain) = (cached.context("not refused")?, plain.context("not refused")?);
    let metadata = |status: &Status| riposte_sdk::Error::from(status.clone()).metadata().clone();
    ensure!((cached.code(), cached.message()) == (plain.code(), plain.message()), "{cached:?}");
    ensure!(
        metadata(&cached) == metadata(&plain) && metadata(&cached).contains_key("object_id"),
        "{cached:?}\n{plain:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_thousand_readers_cost_a_few_readings() -> Result<()> {
    let server = Server::dev_with(None, &HOT).await?;
    let clients = (0..4).map(|_| server.client()).collect::<Result<Vec<_>>>()?;
    let say = Say::on(&clients[0], "article");
    say.comment("m", "x").await?;
    let begin = Instant::now();
    let readers = (0..1_000).map(|n| {
        let say = Say { client: clients[n % clients.len()].clone(), key: say.key.clone() };
        async move { page(&say).await }
    });
    let pages = try_join_all(readers).await?;
    ensure!(pages.iter().all(|page| page.threads.len() == 1));
    let more = read_until_hits(&server, &say, 1, |_| Ok(())).await?;
    let (hits, misses) = (
        metric(&server, "riposte_response_cache_hits_total").await?,
        metric(&server, "riposte_response_cache_misses_total").await?,
    );
    let readings = metric(&server, "riposte_response_cache_loads_total").await?;
    // Page loads run one at a time; the next one begins when the page is 450 ms old, or when the
    // relay reports that the subject was created.
    let most = 2 + begin.elapsed().as_millis() as u64 / 450;
    ensure!(hits + misses <= 1_000 + more && (1..=most).contains(&readings), "{hits} + {misses}, {readings} of {most}");
    Ok(())
}

#[tokio::test]
async fn the_busiest_subjects_are_listed_with_their_rates() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "response_cache.window=60s"]).await?;
    let (busy, quiet) = (Say::on(&server.client()?, "article"), Say::on(&server.client()?, "video"));
    quiet.comment("m", "x").await?;
    for n in 0..6 {
        busy.comment("m", &n.to_string()).await?;
    }
    for say in [&busy, &busy, &busy, &quiet] {
        page(say).await?;
        // A later page is a read too.
        say.page(CommentSort::Oldest, 2).await?;
    }
    let list = async |limit| {
        let listed = server.admin()?.list_hot_subjects(ListHotSubjectsRequest { limit }).await?;
        anyhow::Ok(listed.into_inner().subjects)
    };
    let expected = |say: &Say, reads: f64, writes: f64| HotSubject {
        key: Some(say.key.clone()),
        reads_per_second: reads / 60.0,
        writes_per_second: writes / 60.0,
    };
    let near = |listed: &HotSubject, expected: &HotSubject| {
        let same = |a: f64, b: f64| (a - b).abs() < 1e-6;
        listed.key == expected.key
            && same(listed.reads_per_second, expected.reads_per_second)
            && same(listed.writes_per_second, expected.writes_per_second)
    };
    let listed = list(0).await?;
    let all = [expected(&busy, 6.0, 6.0), expected(&quiet, 2.0, 1.0)];
    ensure!(
        listed.len() == 2 && listed.iter().zip(&all).all(|(listed, expected)| near(listed, expected)),
        "{listed:?}"
    );
    ensure!(list(1).await?.len() == 1);
    let negative = server.admin()?.list_hot_subjects(ListHotSubjectsRequest { limit: -1 }).await;
    ensure!(refused(negative)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    Ok(())
}
