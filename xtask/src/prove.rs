//! `cargo xtask prove`: the history checker on a service with real databases and a real Redis,
//! under injected faults.
//!
//! The load program (`tests/src/histcheck.rs`) owns the servers, Redis, the proxies, the history
//! and the check. The task runner owns the databases; the load program sends it orders for their
//! faults (`orders`).

mod mutants;
mod orders;

use crate::live::Live;
use crate::repo::Repo;
use crate::run::output_of;
use crate::servers::Setup;
use crate::{build, servers, tools};
use anyhow::{Context, Result, anyhow};
use clap::builder::RangedU64ValueParser;
use nix::sched::{CloneFlags, unshare};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The duration and the kind of the run.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Make the run of CI: 100 s of faults with 50/200 tables, about three minutes in all
    #[arg(long, conflicts_with_all = ["minutes", "hours", "seconds"])]
    smoke: bool,
    /// Minutes during which faults are injected
    #[arg(long, conflicts_with_all = ["hours", "seconds"], value_parser = RangedU64ValueParser::<u64>::new().range(1..=LONGEST / 60))]
    minutes: Option<u64>,
    /// Hours during which faults are injected, in segments of 20 minutes, each with servers and a
    /// seed of its own
    #[arg(long, conflicts_with = "seconds", value_parser = RangedU64ValueParser::<u64>::new().range(1..=LONGEST / 3600))]
    hours: Option<u64>,
    /// Seconds during which faults are injected
    #[arg(long, value_parser = RangedU64ValueParser::<u64>::new().range(1..=LONGEST))]
    seconds: Option<u64>,
    /// The seed of the faults and calls; a run shows its seed [default: a random one]
    #[arg(long)]
    seed: Option<u64>,
    /// Run once for each mutant, or for each of those named, with servers that contain it; fail
    /// unless each mutant is found
    #[arg(long, num_args = 0.., value_name = "MUTANT")]
    planted: Option<Vec<String>>,
    /// Cache in a Redis Cluster, whose replicas take over, instead of a single Redis; the servers
    /// then have no network namespaces of their own
    #[arg(long)]
    cluster: bool,
    /// Send the events to a Kafka topic, too, whose broker is killed; the servers then have no
    /// network namespaces of their own. Runs with the mutant of the topic have one in any case
    #[arg(long, conflicts_with = "smoke")]
    topic: bool,
    /// Use this number of subject and of index tables. Without it, the segments of a run alternate
    /// between 8/32 and 50/200, and runs with a mutant have 4/8
    #[arg(long, value_name = "SUBJECT/INDEX")]
    tables: Option<String>,
    /// Let the databases flush once a second instead of at every commit. A killed database then
    /// loses acknowledged commits, so the run must fail; this shows that a loss is found
    #[arg(long, conflicts_with_all = ["smoke", "planted"])]
    careless: bool,
    /// Only check the history of an earlier run
    #[arg(long, value_name = "FILE", exclusive = true)]
    check: Option<PathBuf>,
    /// Only measure the checker, on a generated history with this number of operations
    #[arg(long, value_name = "OPERATIONS", exclusive = true, value_parser = RangedU64ValueParser::<u64>::new().range(1_000..))]
    sample: Option<u64>,
}

/// The maximum number of seconds of a run: a month.
const LONGEST: u64 = 31 * 24 * 3600;
/// The minimum numbers of calls and of faults in a smoke run. The number of calls depends on the
/// processors: two idle ones make 80,000. A run with less than half of that shows nothing.
const MINIMUM: (u64, u64) = (40_000, 11);
/// The summary of a run, below the build directory.
const SUMMARY: &str = "prove/summary.json";
/// Databases whose disks can fail.
const DATABASES: Setup = Setup { plain_files: true, ..Setup::TESTS };
/// Databases that lose up to a second of commits when they are killed.
const CARELESS: Setup = Setup { durable: false, ..DATABASES };
const SMOKE: Duration = Duration::from_secs(100);
/// The tables of the segments of a run: those of a new database, and those of the reference layout.
const LAYOUTS: [&str; 2] = ["8/32", SMOKE_LAYOUT];
/// The tables of a smoke run. The suites of the test command run with those of a new database.
const SMOKE_LAYOUT: &str = "50/200";
/// The means of servers with network namespaces of their own.
const NETWORKS: &str = "networks";
/// The longest run in one history.
const SEGMENT: Duration = Duration::from_mins(20);
/// The durations of the runs with a mutant; each follows if the one before did not detect it.
const TRIES: [Duration; 3] = [Duration::from_secs(15), Duration::from_secs(60), Duration::from_secs(240)];

/// Builds the programs and runs the requested checks. Returns `true` if all guarantees held, or all
/// mutants were detected.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    build::programs(repo, live)?;
    let mut program = repo.clean(repo.prove_load_binary());
    if let Some(history) = &args.check {
        return run_alone(live, program.arg("--check").arg(std::path::absolute(history)?));
    }
    if let Some(count) = args.sample {
        return run_alone(live, program.args(["--sample", &count.to_string()]));
    }
    if let Some(named) = &args.planted {
        mutants::check_names(named)?;
    }
    let redis = tools::redis(repo, live)?;
    tools::mariadb(live)?;
    tools::faults(live)?;
    let planted = args.planted.iter().flat_map(|named| mutants::chosen(named)).any(mutants::has_topic);
    let jars = if args.topic || planted {
        Some(tools::kafka(repo, live)?.map_err(|reason| anyhow!("a topic needs Kafka: {reason}"))?)
    } else {
        None
    };
    let folder = repo.target().join(SUMMARY).parent().context("the summary has no folder")?.to_owned();
    std::fs::create_dir_all(&folder)?;
    let server = if args.planted.is_some() { repo.mutant_binary() } else { repo.server_binary() };
    // The run has a thread of its own, because it leaves the network namespace of this process.
    let check = || {
        let means = means(live, args.cluster);
        let databases = if args.careless { CARELESS } else { DATABASES };
        let topic = Topic { jars: jars.as_deref(), always: args.topic };
        let runner = Runner { repo, live, server: &server, databases, redis: &redis, topic, folder: &folder, means };
        match &args.planted {
            Some(named) => runner.mutants(named, args),
            None => runner.segments(args),
        }
    };
    std::thread::scope(|scope| scope.spawn(check).join().map_err(|_| anyhow!("the run panicked"))?)
}

/// The result of a smoke run.
#[derive(Debug)]
pub(crate) struct SmokeResult {
    /// True if all guarantees held and enough calls were made.
    pub(crate) passed: bool,
    /// The figures as text.
    pub(crate) figures: String,
    /// The faults that cannot be injected on this machine.
    pub(crate) missing: Vec<&'static str>,
}

/// Runs the smoke run of the test command, on programs that are already built.
pub(crate) fn smoke(repo: &Repo, live: &Arc<Live>) -> Result<SmokeResult> {
    let passed = run(repo, live, &Args { smoke: true, ..Args::default() })?;
    let summary = std::fs::read_to_string(repo.target().join(SUMMARY)).context("the run ended without a summary")?;
    let summary: serde_json::Value = serde_json::from_str(&summary)?;
    let number = |name: &str| summary[name].as_u64().unwrap_or_default();
    let (operations, injections, anomalies) = (number("operations"), number("injections"), number("anomalies"));
    let means = summary["means"].as_str().unwrap_or_default();
    let missing = ["clocks", "disks", NETWORKS].into_iter().filter(|name| !means.contains(name)).collect();
    let enough = operations >= MINIMUM.0 && injections >= MINIMUM.1;
    let remark = if enough { "" } else { ": too few to show anything" };
    let figures = format!("{operations} operations, {injections} injections ({means}), {anomalies} anomalies{remark}");
    Ok(SmokeResult { passed: passed && enough, figures, missing })
}

/// Runs the load program without databases.
fn run_alone(live: &Arc<Live>, program: &mut Command) -> Result<bool> {
    Ok(live.spawn(program)?.wait()?.success())
}

/// One run of the load program.
struct Segment<'a> {
    length: Duration,
    seed: Option<u64>,
    tables: Option<&'a str>,
    mutant: Option<&'a str>,
}

/// The topic of a run.
struct Topic<'a> {
    /// The folder of Kafka, if a run needs it.
    jars: Option<&'a Path>,
    /// True if every run has a topic.
    always: bool,
}

/// The data that every run of the load program needs.
struct Runner<'a> {
    repo: &'a Repo,
    live: &'a Arc<Live>,
    /// The server under test.
    server: &'a Path,
    databases: Setup,
    redis: &'a Path,
    topic: Topic<'a>,
    folder: &'a Path,
    /// The optional faults that can be injected, by the load program's names.
    means: Vec<&'static str>,
}

impl Runner<'_> {
    /// Runs one segment after the other until the time is over.
    fn segments(&self, args: &Args) -> Result<bool> {
        let mut left = args.length();
        let layouts: &[&str] = if args.smoke { &[SMOKE_LAYOUT] } else { &LAYOUTS };
        let (mut passed, mut runs) = (true, Vec::new());
        for (number, layout) in (0..).zip(layouts.iter().copied().cycle()) {
            let length = left.min(SEGMENT);
            let seed = args.seed.map(|seed| seed.wrapping_add(number));
            let tables = args.tables.as_deref().unwrap_or(layout);
            passed &= self.once(&Segment { length, seed, tables: Some(tables), mutant: None }, &mut runs)?;
            left -= length;
            if left.is_zero() {
                break;
            }
        }
        if runs.len() > 1 {
            self.write_sum(&runs, 0, 0)?;
        }
        Ok(passed)
    }

    /// Runs the chosen mutants, each until it is detected or was missed in the longest run.
    fn mutants(&self, named: &[String], args: &Args) -> Result<bool> {
        let chosen = mutants::chosen(named);
        let (mut lines, mut runs) = (Vec::new(), Vec::new());
        for mutant in &chosen {
            let begun = Instant::now();
            let found = (0..).zip(TRIES).try_fold(false, |found, (number, length)| {
                let seed = args.seed.map(|seed| seed.wrapping_add(number));
                if found {
                    Ok(true)
                } else {
                    let length = args.requested_length().unwrap_or(length);
                    let tables = args.tables.as_deref();
                    self.once(&Segment { length, seed, tables, mutant: Some(mutant) }, &mut runs)
                }
            })?;
            let rules = runs.last().map(|run| run["rules"].to_string()).unwrap_or_default();
            lines.push((mutant, found, begun.elapsed().as_secs(), rules));
        }
        println!("\n{:<28} found", "mutant");
        for (mutant, found, seconds, rules) in &lines {
            let result = if *found { format!("within {seconds} s, by {rules}") } else { "MISSED".to_owned() };
            println!("{mutant:<28} {result}");
        }
        let caught = lines.iter().filter(|(_, found, ..)| *found).count();
        println!("{caught} of {} mutants found", lines.len());
        self.write_sum(&runs, lines.len(), caught)?;
        Ok(caught == lines.len())
    }

    /// Runs the load program on databases of its own. Its summary is added to `runs`.
    fn once(&self, segment: &Segment<'_>, runs: &mut Vec<serde_json::Value>) -> Result<bool> {
        let Segment { length, seed, tables, mutant } = segment;
        let path = self.repo.target().join(SUMMARY);
        // The summary of an earlier run must not be read as that of this run.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let mut databases = servers::start_mariadb(self.live, self.databases)?;
        let mut load = self.repo.clean(self.repo.prove_load_binary());
        load.args(["--seconds", &length.as_secs().to_string(), "--folder"]).arg(self.folder);
        let has_topic = self.topic.always || mutant.is_some_and(mutants::has_topic);
        // A broker has one address for all its clients, so the servers share a network with it.
        let means = self.means.iter().filter(|means| !has_topic || **means != NETWORKS);
        for means in means.chain(has_topic.then_some(&"topic")) {
            load.args(["--with", means]);
        }
        load.envs(self.topic.jars.map(|jars| ("RIPOSTE_TEST_KAFKA_JARS", jars)));
        if let Some(seed) = seed {
            load.args(["--seed", &seed.to_string()]);
        }
        if let Some(tables) = tables {
            load.args(["--tables", tables]);
        }
        if let Some(mutant) = mutant {
            load.args(["--planted", mutant]);
        }
        load.envs(databases.exports()).env("RIPOSTE_TEST_BIN", self.server);
        load.env("RIPOSTE_TEST_REDIS_SERVER", self.redis);
        let passed = orders::run_load(self.live, &mut load, &mut databases)?;
        // A run that failed early has no summary.
        let summary = std::fs::read_to_string(&path);
        let mut summary = summary.map_or(Ok(serde_json::json!({})), |text| serde_json::from_str(&text))?;
        summary["kept"] = passed.into();
        runs.push(summary);
        Ok(passed)
    }

    /// Writes the sum of several runs over the summary of the last one, with the numbers of tested
    /// and of detected mutants.
    fn write_sum(&self, runs: &[serde_json::Value], mutants: usize, caught: usize) -> Result<()> {
        let total = |name: &str| runs.iter().filter_map(|run| run[name].as_u64()).sum::<u64>();
        let summary = serde_json::json!({
            "seconds": total("seconds"),
            // All segments inject the same kinds of faults.
            "means": runs.first().map(|run| run["means"].clone()),
            "operations": total("operations"),
            "injections": total("injections"),
            "anomalies": total("anomalies"),
            "planted": mutants,
            "caught": caught,
            "kept": runs.iter().all(|run| run["kept"] == true),
            "runs": runs,
        });
        let path = self.repo.target().join(SUMMARY);
        std::fs::write(&path, format!("{summary:#}\n")).with_context(|| path.display().to_string())
    }
}

/// Returns the optional faults that can be injected here. Every process started later is in a
/// network namespace of its own, if that is permitted.
fn means(live: &Arc<Live>, cluster: bool) -> Vec<&'static str> {
    let mut means = vec!["clocks"];
    match servers::can_fail_disks(live) {
        Ok(()) => means.push("disks"),
        Err(error) => eprintln!("system calls cannot be made to fail here ({error:#}): no disk fails in this run"),
    }
    if cluster {
        means.push("cluster");
        return means;
    }
    // A thread of its own tries this first, because a thread cannot return to the network namespace
    // that it left.
    match std::thread::spawn(enter_network)
        .join()
        .unwrap_or_else(|_| Err(anyhow!("it panicked")))
        .and_then(|()| enter_network())
    {
        Ok(()) => means.push(NETWORKS),
        Err(error) => eprintln!("no network namespaces here ({error:#}): no packet is dropped in this run"),
    }
    means
}

/// Moves this thread, and the processes that it starts, to a network namespace with only the
/// loopback interface.
fn enter_network() -> Result<()> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    // The commands that the load program uses later are tried and undone.
    for arguments in [
        "link set lo up",
        "link add name riposte-a type veth peer name riposte-b",
        "link del riposte-a",
        "rule add from 10.77.0.11 to 10.77.0.2 blackhole",
        "rule del from 10.77.0.11 to 10.77.0.2 blackhole",
    ] {
        output_of(Command::new("ip").args(arguments.split(' ')))?;
    }
    Ok(())
}

impl Args {
    /// Returns the duration of faults, if an option sets it.
    fn requested_length(&self) -> Option<Duration> {
        let minutes = self.minutes.or(self.hours.map(|hours| 60 * hours));
        self.seconds.map(Duration::from_secs).or(minutes.map(Duration::from_mins))
    }

    fn length(&self) -> Duration {
        self.requested_length().filter(|_| !self.smoke).unwrap_or(SMOKE)
    }
}
