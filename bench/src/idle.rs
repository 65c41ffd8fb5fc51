//! The cost of a service that nothing calls: the processor, the statements and the calls to Redis
//! of its polling.

use crate::cpu::{Meter, Watch};
use crate::{bare, database};
use anyhow::{Context, Result, ensure};
use fred::clients::Client;
use fred::interfaces::ClientLike;
use fred::types::InfoKind;
use fred::types::config::Config;
use serde_json::json;
use sqlx::mysql::MySqlConnection;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The servers whose counters are read, and the length of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// mysql://user@host:port/database of the data source
    #[arg(long)]
    url: String,
    /// redis://host:port
    #[arg(long)]
    redis: String,
    /// The length of the measurement, in seconds
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,
    /// The longest wait until the polling has settled, in seconds
    #[arg(long, default_value_t = 120.0)]
    within: f64,
    #[command(flatten)]
    watch: Watch,
}

/// The windows that are compared while the polling slows down, and the difference up to which two
/// of them are equal: statements per second.
const SETTLING: Duration = Duration::from_secs(5);
const EQUAL: f64 = 1.0;

/// Waits until the polling has settled, then measures. An idle service has no operations, so the
/// figures are shares and rates.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let mut counters = Counters::open(args).await?;
    let settling_s = counters.wait_until_steady(Duration::from_secs_f64(args.within)).await?;
    let meter = Meter::start(&args.watch)?;
    let rates = counters.over(Duration::from_secs_f64(args.seconds)).await?;
    let share = |us: f64| us / rates.seconds / 1e4;
    let cores: Vec<_> = meter.stop()?.watched(1).into_iter().map(|(name, us)| (name, share(us))).collect();
    let percent = |wanted: &str| cores.iter().find(|(name, _)| name == wanted).map(|(_, percent)| *percent);
    Ok(json!({
        "operations": 0, "errors": 0, "seconds": rates.seconds, "rate": 0.0, "p50_ms": 0.0, "p99_ms": 0.0,
        "p999_ms": 0.0, "client_cpu_us": 0.0, "watched_cpu_us": {},
        "idle": {
            "settling_s": settling_s,
            "server_core_percent": percent("server").context("no server is watched")?,
            "database_core_percent": percent("database"),
            "questions_per_s": rates.questions,
            "redis_calls_per_s": rates.redis_calls,
        },
    })
    .to_string())
}

/// The counters of both servers.
struct Counters {
    database: MySqlConnection,
    redis: Client,
}

/// The counts of both servers over a period, per second.
struct IdleRates {
    seconds: f64,
    questions: f64,
    redis_calls: f64,
}

impl Counters {
    async fn open(args: &Args) -> Result<Self> {
        let redis = Client::new(Config::from_url(&args.redis)?, None, None, None);
        redis.init().await?;
        Ok(Self { database: bare::open(&args.url).await?, redis })
    }

    /// Waits until two windows in succession have the same rate of statements. Returns the time
    /// until then, in seconds.
    async fn wait_until_steady(&mut self, within: Duration) -> Result<f64> {
        let (begin, mut last) = (Instant::now(), f64::INFINITY);
        loop {
            let now = self.over(SETTLING).await?.questions;
            if (last - now).abs() <= EQUAL {
                return Ok(begin.elapsed().as_secs_f64());
            }
            ensure!(begin.elapsed() < within, "the polling did not settle: {last:.1}, then {now:.1} statements/s");
            last = now;
        }
    }

    /// Counts over a period, without the reads of the counters themselves.
    async fn over(&mut self, time: Duration) -> Result<IdleRates> {
        let (questions, calls, begin) =
            (database::questions(&mut self.database).await?, self.calls().await?, Instant::now());
        sleep(time).await;
        let seconds = begin.elapsed().as_secs_f64();
        let per_second = |counted: u64| counted.saturating_sub(1) as f64 / seconds;
        Ok(IdleRates {
            seconds,
            questions: per_second(database::questions(&mut self.database).await? - questions),
            redis_calls: per_second(self.calls().await? - calls),
        })
    }

    /// Returns the number of calls that Redis received before this one: the reads from its
    /// connections. Its counter of commands also has those that a function runs.
    async fn calls(&self) -> Result<u64> {
        let stats: String = self.redis.info(Some(InfoKind::Stats)).await?;
        calls(&stats).context("Redis reports no total_reads_processed")
    }
}

fn calls(stats: &str) -> Option<u64> {
    let counter = |line: &str| line.trim().strip_prefix("total_reads_processed:")?.parse().ok();
    stats.lines().find_map(counter)
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn the_counter_of_redis_is_found_among_the_others() {
        let stats = "# Stats\r\ntotal_commands_processed:99\r\ntotal_reads_processed:42\r\n";
        assert_eq!((calls(stats), calls("# Stats\r\n")), (Some(42), None));
    }
}
