//! Processes with a part of the roles: servers, workers for the work that is done once per
//! deployment, and each without the other.

use anyhow::{Context, Result, ensure};
use futures::{FutureExt, stream};
use riposte_sdk::v1;
use riposte_sdk::v1::{CommentSort, ErrorReason, LikeValue};
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, Watch, command, refused, until};
use tonic::Code;
use tonic::transport::Endpoint;
use tonic_reflection::pb::v1 as reflection;

use super::cache::{cache_url, start_redis};
use super::metrics::ask;
use super::migrate::{REFERENCE, fresh, migrate};

/// One data source with its tables.
struct Ground(Databases);

impl Ground {
    /// Returns `None`, with a message, where there are no databases.
    async fn new() -> Result<Option<Self>> {
        let Some([database, _]) = mysql::servers() else { return Ok(None) };
        Ok(Some(Self(Databases::on(&[database], [""; 0]).await?)))
    }

    /// Starts a server with these roles, written as in a configuration file.
    async fn start(&self, roles: &str, more: &[&str]) -> Result<Server> {
        let roles = format!("server.roles={roles}");
        let more = [&roles[..]].into_iter().chain(more.iter().copied());
        Server::serve_with(&[self.0.arguments.clone(), riposte_tests::settings::sets(more)].concat()).await
    }

    /// Returns the holder of the lease, as a name that a process keeps for its lifetime; empty if
    /// no process holds it.
    async fn leader(&self) -> Result<String> {
        let query = "SELECT COALESCE(MAX(HEX(owner)), '') FROM relay_state WHERE leased_until > 0";
        Ok(mysql::query(&self.0.servers[0], &self.0.name, query).await?.trim().to_owned())
    }
}

async fn revision(say: &Say) -> Result<i64> {
    Ok(say.page(CommentSort::Newest, 1).await?.subject.context("no subject")?.revision)
}

/// Returns the age of the oldest commit without a sequence number, in seconds, from the metrics of
/// a server.
async fn lag(server: &Server) -> Result<f64> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    let value = text.lines().find_map(|line| line.strip_prefix("riposte_relay_lag_seconds{source=\"1\"} "));
    // The lag is measured once a second, for the first time after health has turned.
    value.map_or(Ok(-1.0), |number| Ok(number.parse()?))
}

/// Returns `true` if the server reports that no relay repairs the cache that it would read.
async fn is_stale(server: &Server) -> Result<bool> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    Ok(text.lines().any(|line| line == "riposte_cache_stale{source=\"1\"} 1"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_and_a_worker_together_equal_one_process() -> Result<()> {
    let (Some(ground), Some(redis)) = (Ground::new().await?, start_redis()?) else { return Ok(()) };
    let url = cache_url(&redis);
    let cached = ["cache.kind=redis", &url, "response_cache.enabled=false", "rankings.depth=1"];
    let worker = ground.start("[\"worker\"]", &cached).await?;
    let server = ground.start("[\"api\"]", &cached).await?;
    let here = Say::on(&server.client()?, "article");
    let root = here.comment("m", "the first").await?;
    let begin = revision(&here).await?;
    let mut watch = Watch::open(&here, begin).await?;
    for n in 0..4 {
        here.comment("m", &n.to_string()).await?;
    }
    // The worker assigns sequence numbers, and the watches of the server report the events.
    watch.until(begin, revision(&here).await?).await?;
    // Beyond the depth of rankings a list is ordered by its rank index, and an event consumer
    // maintains the histories of members.
    here.like(root.id, "fan", LikeValue::Like).await?;
    until("the rank index follows", async || {
        let page = here.page(CommentSort::Top, 1).await?;
        Ok(page.threads.first().and_then(|thread| thread.comment.as_ref()).is_some_and(|first| first.id == root.id))
    })
    .await?;
    let history = || v1::ListMemberCommentsRequest {
        object_type: "article".to_owned(),
        member_id: "m".to_owned(),
        page_size: 50,
        ..v1::ListMemberCommentsRequest::default()
    };
    until("the history follows", async || {
        Ok(here.client.comments().list_member_comments(history()).await?.into_inner().comments.len() == 5)
    })
    .await?;
    // A server without cache writes; the worker repairs the cache.
    let deaf = ground.start("[\"api\"]", &["response_cache.enabled=false"]).await?;
    let there = Say { client: deaf.client()?, key: here.key.clone() };
    ensure!(here.page(CommentSort::Newest, 20).await?.threads.len() == 5);
    there.comment("m", "written without a cache").await?;
    until("the cache is repaired", async || Ok(here.page(CommentSort::Newest, 20).await?.threads.len() == 6)).await?;
    for server in [server, deaf, worker] {
        ensure!(server.stop().await? == Some(0));
    }
    Ok(())
}

/// A process knows the layout that a configuration leaves open only after it has read a data
/// source.
#[tokio::test(flavor = "multi_thread")]
async fn the_cache_of_every_partition_is_repaired_also_where_the_layout_follows_the_database() -> Result<()> {
    let (Some(sets), Some(redis)) = (fresh().await?, start_redis()?) else { return Ok(()) };
    migrate(&sets, &REFERENCE, "up").await?.ended(0)?;
    let with = |more: &[&str]| [sets.clone(), riposte_tests::settings::sets(more.iter().copied())].concat();
    let url = cache_url(&redis);
    let server = Server::serve_with(&with(&["cache.kind=redis", &url, "response_cache.enabled=false"])).await?;
    let deaf = Server::serve_with(&with(&["server.roles=[\"api\"]", "response_cache.enabled=false"])).await?;
    // Half of the partitions have another data source in the layout of a new database.
    let mut subjects = Vec::new();
    for _ in 0..16 {
        let here = Say::on(&server.client()?, "article");
        here.comment("m", "first").await?;
        ensure!(here.page(CommentSort::Newest, 20).await?.threads.len() == 1);
        subjects.push((Say { client: deaf.client()?, key: here.key.clone() }, here));
    }
    for (there, _) in &subjects {
        there.comment("m", "written without a cache").await?;
    }
    for (_, here) in &subjects {
        until("the cache is repaired", async || Ok(here.page(CommentSort::Newest, 20).await?.threads.len() == 2))
            .await?;
    }
    for server in [server, deaf] {
        ensure!(server.stop().await? == Some(0));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_that_no_worker_repairs_is_not_read_until_a_worker_has_caught_up() -> Result<()> {
    let (Some(ground), Some(redis)) = (Ground::new().await?, start_redis()?) else { return Ok(()) };
    let url = cache_url(&redis);
    let cached = ["cache.kind=redis", &url, "cache.stale_after=5s", "response_cache.enabled=false"];
    let server = ground.start("[\"api\"]", &cached).await?;
    let worker = ground.start("[\"worker\"]", &cached).await?;
    let here = Say::on(&server.client()?, "article");
    // Returns the number of roots on the page, and whether the cache was used.
    let shown = async || {
        let page = here.page(CommentSort::Newest, 20).await?;
        anyhow::Ok((page.threads.len(), page.degraded.is_empty()))
    };
    here.comment("m", "the first").await?;
    until("the cache is read", async || Ok(shown().await? == (1, true))).await?;
    // From now on the lease holder has no cache, and neither has the writer.
    ensure!(worker.stop().await? == Some(0));
    let deaf = ground.start("[\"api\", \"worker\"]", &["response_cache.enabled=false"]).await?;
    let there = Say { client: deaf.client()?, key: here.key.clone() };
    there.comment("m", "written without a cache").await?;
    until("a change that the cache has missed is shown", async || Ok(shown().await? == (2, false))).await?;
    ensure!(is_stale(&server).await?, "the metrics do not say so");
    // A worker with a cache starts, and the other process yields the lease to it.
    let worker = ground.start("[\"worker\"]", &cached).await?;
    until("the cache is read again", async || {
        let (shown, cached) = shown().await?;
        ensure!(shown == 2, "{shown} are shown");
        Ok(cached && !is_stale(&server).await?)
    })
    .await?;
    for server in [server, deaf, worker] {
        ensure!(server.stop().await? == Some(0));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_worker_calls_succeed_and_events_follow_in_order_once_one_starts() -> Result<()> {
    let Some(ground) = Ground::new().await? else { return Ok(()) };
    let server = ground.start("[\"api\"]", &[]).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("m", "the first").await?;
    let begin = revision(&say).await?;
    let mut watch = Watch::open(&say, begin).await?;
    for n in 0..20 {
        say.comment("m", &n.to_string()).await?;
    }
    say.like(root.id, "fan", LikeValue::Like).await?;
    let shown = say.roots(CommentSort::Oldest, 50).await?;
    ensure!(shown.len() == 21 && shown[0].like_count == 1, "{} roots", shown.len());
    // The process that runs reports that no process assigns sequence numbers.
    until("the lag grows", async || Ok(lag(&server).await? >= 2.0)).await?;
    ensure!(watch.event().now_or_never().is_none(), "an event without a sequence number was sent");
    ensure!(ground.leader().await?.is_empty(), "it took the lead");
    let last = revision(&say).await?;
    let worker = ground.start("[\"worker\"]", &[]).await?;
    watch.until(begin, last).await?;
    until("the lag is over", async || Ok(lag(&server).await? == 0.0 && lag(&worker).await? == 0.0)).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_killed_or_stopped_is_replaced_by_another_and_no_event_is_omitted() -> Result<()> {
    let Some(ground) = Ground::new().await? else { return Ok(()) };
    let server = ground.start("[\"api\"]", &[]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "the first").await?;
    let begin = revision(&say).await?;
    let mut watch = Watch::open(&say, begin).await?;
    let first = ground.start("[\"worker\"]", &[]).await?;
    until("the first leads", async || Ok(!ground.leader().await?.is_empty())).await?;
    let leader = ground.leader().await?;
    // A worker serves no calls, so its stop does not wait for the drain delay of balancers.
    let second = ground.start("[\"worker\"]", &["server.drain_delay=1min"]).await?;
    say.comment("m", "under the first").await?;
    watch.until(begin, begin + 1).await?;
    first.crash().await?;
    for n in 0..20 {
        say.comment("m", &n.to_string()).await?;
    }
    let last = revision(&say).await?;
    watch.until(begin + 1, last).await?;
    let follows = ground.leader().await?;
    ensure!(!follows.is_empty() && follows != leader, "{follows} after {leader}");
    let third = ground.start("[\"worker\"]", &[]).await?;
    ensure!(second.stop().await? == Some(0));
    say.comment("m", "under the third").await?;
    watch.until(last, last + 1).await?;
    let last = ground.leader().await?;
    ensure!(!last.is_empty() && last != follows, "{last} after {follows}");
    drop(third);
    Ok(())
}

#[tokio::test]
async fn a_worker_serves_health_checks_and_no_other_call() -> Result<()> {
    let Some(ground) = Ground::new().await? else { return Ok(()) };
    let worker = ground.start("[\"worker\"]", &["server.reflection=true"]).await?;
    for target in [worker.target(), worker.admin_target()] {
        let address = target.trim_start_matches("http://");
        command::run(["healthcheck", "--target", address]).await?.ended(0)?.says(&["SERVING"])?;
        ensure!(services(target).await? == ["grpc.health.v1.Health"], "it names services that it does not serve");
    }
    let say = Say::on(&worker.client()?, "article");
    let Err(status) = say.comment("m", "x").await else { anyhow::bail!("it takes comments") };
    ensure!(status.code() == Code::Unimplemented, "{status:?}");
    for word in ["riposte.v1.CommentService/CreateComment", "serves no calls", "server.roles"] {
        ensure!(status.message().contains(word), "{status:?} does not say {word}");
    }
    let read = say.page(CommentSort::Newest, 1).await;
    ensure!(refused(read)? == (Code::Unimplemented, ErrorReason::NotImplemented));
    let hot = worker.admin()?.list_hot_subjects(v1::ListHotSubjectsRequest::default()).await;
    ensure!(refused(hot)? == (Code::Unimplemented, ErrorReason::NotImplemented));
    let metrics = ask(worker.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_ready 1"), "{metrics}");
    ensure!(worker.stop().await? == Some(0));
    Ok(())
}

/// Returns the services that reflection lists, without itself.
async fn services(target: &str) -> Result<Vec<String>> {
    let channel = Endpoint::from_shared(target.to_owned())?.connect().await?;
    let request = reflection::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(reflection::server_reflection_request::MessageRequest::ListServices(String::new())),
    };
    let mut client = reflection::server_reflection_client::ServerReflectionClient::new(channel);
    let mut responses = client.server_reflection_info(stream::iter([request])).await?.into_inner();
    let response = responses.message().await?.and_then(|response| response.message_response).context("no answer")?;
    let reflection::server_reflection_response::MessageResponse::ListServicesResponse(list) = response else {
        anyhow::bail!("{response:?}")
    };
    let names = list.service.into_iter().map(|service| service.name);
    Ok(names.filter(|name| !name.starts_with("grpc.reflection.")).collect())
}
