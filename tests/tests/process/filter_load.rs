//! Creates at a steady rate while the filter is slow, dead, flapping or wrong, and an outage of it
//! that ends. Every second create is of a type without a filter, so that both have the same
//! machine. The times are written to standard error.
//!
//! A measurement sets `RIPOSTE_TEST_FILTER_LOAD=RATE,SECONDS,OUTAGE`: the creates per second of all
//! types, the seconds of each phase, and those of the outage (docs/benchmarks/policy.md).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use riposte_fakes::{CallFault, CallScript, Script};
use riposte_sdk::v1::{CommentState, GetModeratedCommentsRequest};
use riposte_tests::mysql::{Databases, servers};
use riposte_tests::{Say, Server, until};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::filter::{Filter, member_key, script};
use super::metrics::ask;

/// The types with and without the filter.
const FILTERED: &str = "load_filtered";
const PLAIN: &str = "load_plain";
/// The filtered type of the texts about which the filter breaks the contract: what it leaves open
/// three times is left to moderators, and is not settled.
const GARBLED: &str = "load_garbled";
/// The subjects of each type.
const SUBJECTS: usize = 16;
/// The time within which what an outage held must be settled.
const DRAINED_WITHIN: Duration = Duration::from_secs(600);

/// The size of a run.
struct LoadSize {
    rate: u32,
    phase: Duration,
    outage: Duration,
    is_measured: bool,
}

impl LoadSize {
    fn read() -> Result<Self> {
        let given = std::env::var_os("RIPOSTE_TEST_FILTER_LOAD").and_then(|given| given.into_string().ok());
        let text = given.as_deref().unwrap_or("60,1,2");
        let numbers: Vec<u32> =
            text.split(',').map(str::parse).collect::<Result<_, _>>().context("RATE,SECONDS,OUTAGE")?;
        let [rate, phase, outage] = numbers[..] else { anyhow::bail!("RATE,SECONDS,OUTAGE") };
        let seconds = |seconds| Duration::from_secs(u64::from(seconds));
        Ok(Self { rate, phase: seconds(phase), outage: seconds(outage), is_measured: given.is_some() })
    }
}

/// A create that was answered.
struct Created {
    id: i64,
    state: CommentState,
    is_filtered: bool,
    /// The time since it was due.
    took: Duration,
}

/// The load of one server.
struct Load {
    server: Server,
    filtered: Arc<Vec<Say>>,
    garbled: Arc<Vec<Say>>,
    plain: Arc<Vec<Say>>,
    rate: u32,
    /// The number of creates so far; each is by a member of its own.
    sent: usize,
}

impl Load {
    async fn start(filter: SocketAddr, key: &std::path::Path, size: &LoadSize) -> Result<Self> {
        let mut sets = vec![
            format!("filter.endpoint={filter}"),
            format!("filter.member_key_file={}", key.display()),
            format!("object_types.{FILTERED}.filter=hold"),
            format!("object_types.{GARBLED}.filter=hold"),
            format!("object_types.{PLAIN}.filter=off"),
        ];
        if !size.is_measured {
            // A machine may have much else to do.
            sets.push("filter.timeout=500ms".to_owned());
        }
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set.as_str()]).collect();
        let server = match servers().filter(|_| size.is_measured) {
            Some(servers) => Server::serve_with(&Databases::on(&servers, sets).await?.arguments).await?,
            None => Server::dev_with(None, &sets).await?,
        };
        let client = server.client()?;
        let says = |name: &str| Arc::new((0..SUBJECTS).map(|_| Say::on(&client, name)).collect());
        let [filtered, garbled, plain] = [FILTERED, GARBLED, PLAIN].map(says);
        Ok(Self { filtered, garbled, plain, server, rate: size.rate, sent: 0 })
    }

    /// Creates comments at the rate until `is_over`, every second one by `filtered`, and returns
    /// all of them.
    async fn run(
        &mut self,
        filtered: &Arc<Vec<Say>>,
        mut is_over: impl AsyncFnMut(Duration) -> Result<bool>,
    ) -> Result<Vec<Created>> {
        let mut ticks = interval(Duration::from_secs(1) / self.rate);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let (start, mut tasks, mut created) = (Instant::now(), JoinSet::new(), Vec::new());
        loop {
            let due = ticks.tick().await.into_std();
            if is_over(start.elapsed()).await? {
                break;
            }
            let number = self.sent;
            self.sent += 1;
            let is_filtered = number.is_multiple_of(2);
            let says = Arc::clone(if is_filtered { filtered } else { &self.plain });
            tasks.spawn(async move {
                let say = &says[number / 2 % SUBJECTS];
                let comment = say.comment(&format!("m{number}"), "a text of some length, with a few words").await?;
                let (id, state) = (comment.id, comment.state());
                anyhow::Ok(Created { id, state, is_filtered, took: due.elapsed() })
            });
            while let Some(done) = tasks.try_join_next() {
                created.push(done??);
            }
        }
        while let Some(done) = tasks.join_next().await {
            created.push(done??);
        }
        Ok(created)
    }

    /// Returns the texts of the filtered type that an outage holds, as the metrics have it.
    async fn held(&self) -> Result<Option<u64>> {
        held(self.server.metrics_target()).await
    }

    /// Waits until the filter judges again: a breaker may be open.
    async fn recovers(&self) -> Result<()> {
        let say = &self.filtered[0];
        until("the filter judges", || async {
            Ok(say.comment("recovered", "a text").await?.state() == CommentState::Active)
        })
        .await
    }
}

async fn held(target: &str) -> Result<Option<u64>> {
    let name = format!("riposte_held_by_outage{{object_type=\"{FILTERED}\"}} ");
    let metrics = ask(target, "GET", "/metrics").await?;
    Ok(metrics.lines().find_map(|line| line.strip_prefix(&name)?.trim().parse().ok()))
}

/// Returns a percentile of times, in milliseconds.
pub(super) fn percentile(times: &mut [Duration], of: f64) -> f64 {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * of).round() as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Writes the times of a phase as a row of a table.
fn show(name: &str, created: &[Created]) {
    let times = |is_filtered: bool| -> Vec<Duration> {
        created.iter().filter(|comment| comment.is_filtered == is_filtered).map(|comment| comment.took).collect()
    };
    let (mut filtered, mut plain) = (times(true), times(false));
    let active = created.iter().filter(|comment| comment.is_filtered && comment.state == CommentState::Active).count();
    let [p50, p99, base_p50, base_p99] = [
        percentile(&mut filtered, 0.5),
        percentile(&mut filtered, 0.99),
        percentile(&mut plain, 0.5),
        percentile(&mut plain, 0.99),
    ];
    eprintln!(
        "| {name} | {} | {active} | {p50:.1} | {p99:.1} | {base_p50:.1} | {base_p99:.1} | {:+.1} | {:.1} × |",
        filtered.len(),
        p99 - base_p99,
        p99 / base_p99
    );
}

/// Checks that of these comments only those are in sight that the filter has received.
fn check(created: &[Created], judged: &HashSet<i64>) -> Result<()> {
    for comment in created.iter().filter(|comment| comment.is_filtered) {
        let is_sound = comment.state == CommentState::Pending
            || comment.state == CommentState::Active && judged.contains(&comment.id);
        ensure!(is_sound, "{} is {:?} and unjudged", comment.id, comment.state);
    }
    Ok(())
}

/// Returns the comments that the filter has received.
fn received(filter: &Filter) -> Result<HashSet<i64>> {
    let requests = filter.fakes()?.filter_requests();
    Ok(requests.iter().flat_map(|request| &request.items).map(|item| item.comment_id).collect())
}

fn late(latency: &str) -> Result<Script> {
    let latency = Some(latency.parse().map_err(anyhow::Error::msg)?);
    Ok(script(CallScript { latency, ..CallScript::default() }))
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_go_on_while_the_filter_fails_and_none_is_in_sight_unjudged() -> Result<()> {
    let (size, folder) = (LoadSize::read()?, tempfile::tempdir()?);
    let mut filter = Filter::start("127.0.0.1:0".parse()?).await?;
    let address = filter.fakes()?.address();
    let mut load = Load::start(address, &member_key(&folder)?, &size).await?;
    load.recovers().await?;
    eprintln!("| filter | creates | in sight | p50 ms | p99 ms | p50 ms, none | p99 ms, none | p99 | ratio |");
    eprintln!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut judged = HashSet::new();
    let unavailable = || script(CallScript::with(CallFault::Unavailable));
    let garbage = CallFault::GARBAGE.map(|fault| script(CallScript::with(fault)));
    let phases = [
        ("0 ms", vec![script(CallScript::default())]),
        ("5 ms", vec![late("5ms")?]),
        ("40 ms", vec![late("40ms")?]),
        ("80 ms", vec![late("80ms")?]),
        ("no response", vec![script(CallScript::with(CallFault::Never))]),
        ("flapping", vec![unavailable(), script(CallScript::default())]),
        ("garbage", garbage.to_vec()),
    ];
    for (name, scripts) in phases {
        let texts = Arc::clone(if name == "garbage" { &load.garbled } else { &load.filtered });
        let part = size.phase / scripts.len().max(4) as u32;
        let created = load
            .run(&texts, async |elapsed| {
                let number = (elapsed.as_nanos() / part.as_nanos()) as usize;
                filter.fakes()?.set_script(scripts[number % scripts.len()].clone());
                Ok(elapsed > size.phase)
            })
            .await?;
        check(&created, &received(&filter)?).context(name)?;
        show(name, &created);
        filter.fakes()?.set_script(script(CallScript::default()));
        load.recovers().await?;
    }
    judged.extend(received(&filter)?);
    filter.kill().await?;
    let texts = Arc::clone(&load.filtered);
    let mut created = load.run(&texts, async |elapsed| Ok(elapsed > size.outage)).await?;
    check(&created, &judged)?;
    show("dead", &created);
    let is_held = |comment: &&Created| comment.is_filtered && comment.state == CommentState::Pending;
    let outage = created.iter().filter(is_held).count();
    filter = Filter::start(address).await?;
    // The creates go on while what was held is settled.
    let (target, began) = (load.server.metrics_target().to_owned(), Instant::now());
    let watch = tokio::spawn(async move {
        let mut ticks = interval(Duration::from_millis(200));
        // The count of before the outage ended is not the result of the drain.
        let mut was_held = false;
        loop {
            ticks.tick().await;
            match held(&target).await? {
                Some(0) if was_held => break anyhow::Ok(began.elapsed()),
                Some(count) => was_held |= count > 0,
                None => {}
            }
        }
    });
    let finished = watch.abort_handle();
    created.extend(load.run(&texts, async |_| Ok(finished.is_finished() || began.elapsed() > DRAINED_WITHIN)).await?);
    let took = timeout(DRAINED_WITHIN, watch).await.context("what the outage held is not settled")???;
    eprintln!("held by the outage: {outage}; settled after {:.1} s", took.as_secs_f64());
    until("nothing is held", || async { Ok(load.held().await? == Some(0)) }).await?;
    judged.extend(received(&filter)?);
    let mut ids: Vec<i64> = created.iter().filter(|comment| comment.is_filtered).map(|comment| comment.id).collect();
    ids.sort_unstable();
    for part in ids.chunks(50) {
        let request = GetModeratedCommentsRequest { ids: part.to_vec(), allow_missing: false };
        for found in load.server.moderation()?.get_moderated_comments(request).await?.into_inner().comments {
            let comment = found.comment.clone().context("no comment")?;
            let is_settled = comment.state() == CommentState::Active && judged.contains(&comment.id);
            ensure!(is_settled && found.causes().next().is_none(), "{found:?}");
        }
    }
    load.server.stop().await?;
    Ok(())
}
