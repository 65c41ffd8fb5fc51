//! The tests of all crates, with real servers.

use super::Run;
use super::summary::Report;
use super::totals::TestTotals;
use crate::build::EVERYTHING;
use crate::repo::Repo;
use crate::run::{run, run_to_end, watched};
use crate::servers;
use crate::tools;
use anyhow::{Context, Result, ensure};
use std::num::NonZero;
use std::process::Command;

/// Compiles the tests and with them the server that they start. The step `readme` builds and tests
/// the server that ships.
pub(super) fn build(at: &Run<'_>) -> Result<Report> {
    run(at.live, cargo_test(at.repo).arg("--no-run"))?;
    run(at.live, task_runners(at.repo).arg("--no-run"))?;
    let server = at.repo.server_binary();
    let bytes = std::fs::metadata(&server).with_context(|| format!("{} was not built", server.display()))?.len();
    Ok(Report::success(format!("the server has {} MB", bytes.div_ceil(1_000_000))))
}

/// Returns the command for the task runner's own tests, with the build of `cargo xtask`.
fn task_runners(repo: &Repo) -> Command {
    repo.cargo(&["test", "--release", "--package", "xtask", "--locked"])
}

/// The limit that ends a hanging test binary, so that the others run, and its last output names the
/// test.
const BOUNDED: &str = r#"target."cfg(unix)".runner=["timeout", "--foreground", "--signal=KILL", "10m"]"#;

/// Returns the command for the tests of all other crates. A failing one does not stop the others.
fn cargo_test(repo: &Repo) -> Command {
    let mut cargo = repo.cargo(&["test", "--no-fail-fast", "--config", BOUNDED]);
    cargo.args(EVERYTHING);
    cargo
}

/// Runs everything: unit tests, the store's suite on all backends, the black-box tests.
pub(super) fn all(at: &mut Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    tools::faketime(at.live)?;
    // The broker starts while the others do.
    let skipped = begin_kafka(at)?;
    if at.mariadb.is_none() {
        at.mariadb = Some(servers::start_mariadb(at.live, servers::Setup::TESTS)?);
    }
    if at.redis.is_none() {
        at.redis = Some(servers::start_redis(&tools::redis(at.repo, at.live)?, at.live)?);
    }
    let servers = at.mariadb.as_ref().context("the servers were just started")?;
    let redis = at.redis.as_ref().context("the servers were just started")?;
    let mut exports = [servers.exports().as_slice(), redis.exports().as_slice()].concat();
    at.kafka.iter_mut().try_for_each(servers::Kafka::ready)?;
    exports.extend(at.kafka.iter().flat_map(servers::Kafka::exports));
    let left_out = if at.full { &[][..] } else { &REPEATED[..] };
    let report = run_tests(at, &exports, left_out, &mut [cargo_test(at.repo), task_runners(at.repo)])?;
    Ok(skipped.into_iter().fold(report, Report::but_skipped))
}

/// The cases that run only with `--full`. Each repeats another one: on MariaDB with one table of
/// each kind, as SQLite has; on one Redis server, where another has a cluster of them; on SQLite,
/// where another has two MariaDB servers; with the verdicts of a second Polis conversation.
const REPEATED: [&str; 6] = [
    "mariadb_single::",
    "cached_redis::",
    "the_data_in_sqlite_equals_the_file_and_a_second_import_changes_nothing",
    "killed_at_three_random_points_sqlite_loses_no_answered_comment",
    "votes_cast_by_sixteen_clients_at_once_count_as_the_last_of_each_voter_in_sqlite",
    "the_judgements_of_biodiversity_are_repeated_by_four_moderators_at_two_servers",
];

/// The test threads for each processor. Many tests wait: for servers to start, for timeouts, for
/// faults to end.
const THREADS_PER_PROCESSOR: usize = 2;

/// Begins to start the Kafka broker. Returns the reason for which this machine has none.
fn begin_kafka(at: &mut Run<'_>) -> Result<Option<String>> {
    match tools::kafka(at.repo, at.live)? {
        Ok(jars) => {
            at.kafka = Some(servers::begin_kafka(&jars, at.live)?);
            Ok(None)
        }
        Err(reason) => Ok(Some(format!("the topic on a real Kafka: {reason}"))),
    }
}

/// Kills the brokers that lead the topic, in a Kafka of three.
pub(super) fn kafka_cluster(at: &mut Run<'_>) -> Result<Report> {
    let jars = match tools::kafka(at.repo, at.live)? {
        Ok(jars) => jars,
        Err(reason) => return Ok(Report::default().but_skipped(reason)),
    };
    let mut cargo = cargo_test(at.repo);
    cargo.args(["--test", "process", "topic::kills"]);
    let exports =
        [("RIPOSTE_TEST_KAFKA_JARS", jars.display().to_string()), ("RIPOSTE_TEST_KAFKA_KILLS", KILLS.to_string())];
    let mut report = run_tests(at, &exports, &[], &mut [cargo])?;
    report.note = format!("Kafka {}; {}", tools::KAFKA, report.note);
    Ok(report)
}

/// The number of kills of a leading broker.
const KILLS: u32 = 20;

/// Runs the store's suite again, on Oracle's MySQL.
pub(super) fn mysql(at: &mut Run<'_>) -> Result<Report> {
    let version = match or_skipped(servers::unpack_mysql(at.repo, at.live), MYSQL_CURE) {
        Ok(version) => version,
        Err(skipped) => return Ok(skipped),
    };
    let servers = servers::start_mysql(at.repo, at.live)?;
    let mut cargo = cargo_test(at.repo);
    // The tests are chosen by target and not by package: a package alone would be compiled again,
    // with its own set of features.
    for test in targets_of_store(at.repo)? {
        cargo.args(["--test", &test]);
    }
    let mut report = run_tests(at, &servers.exports(), &[], &mut [cargo])?;
    report.note = format!("MySQL {version}; {}", report.note);
    Ok(report)
}

/// Runs the store's suite, the API and the kills of a leader on Vitess.
pub(super) fn vitess(at: &mut Run<'_>) -> Result<Report> {
    let needed = servers::unpack_mysql(at.repo, at.live).and_then(|_version| tools::vtcombo(at.repo, at.live));
    if let Err(skipped) = or_skipped(needed, VITESS_CURE) {
        return Ok(skipped);
    }
    let keyspace = servers::start_vitess(at.repo, at.live)?;
    let suites = [("stores", "confined::"), ("api", "vitess::"), ("process", "numbering::")];
    let mut cargos = suites.map(|(test, cases)| {
        let mut cargo = cargo_test(at.repo);
        cargo.args(["--test", test, cases]);
        cargo
    });
    let mut report = run_tests(at, &keyspace.exports(), &[], &mut cargos)?;
    report.note = format!("Vitess {}; {}", tools::VITESS, report.note);
    Ok(report)
}

/// Runs the suites of the cache on Valkey.
pub(super) fn valkey(at: &mut Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    let (program, version) = match or_skipped(tools::valkey(at.repo, at.live), VALKEY_CURE) {
        Ok(found) => found,
        Err(skipped) => return Ok(skipped),
    };
    let servers = servers::start_mariadb(at.live, servers::Setup::TESTS)?;
    let redis = servers::start_redis(&program, at.live)?;
    let (mut suites, mut store) = (cargo_test(at.repo), cargo_test(at.repo));
    suites.args(["--test", "cache_protocol", "--test", "cache_consistency", "--test", "cache_model"]);
    store.args(["--test", "stores", "cached_"]);
    suites.envs(redis.exports());
    store.envs(redis.exports());
    let mut report = run_tests(at, &servers.exports(), &[], &mut [suites, store])?;
    report.note = format!("Valkey {version}; {}", report.note);
    Ok(report)
}

const MYSQL_CURE: &str =
    "run this step as root on a machine with apt, which unpacks MySQL's packages of Debian under .tools/mysql";
const VITESS_CURE: &str = "run this step as root on a machine with apt and with go 1.26.4 or later, which unpacks MySQL \
                           and builds vtcombo under .tools";
const VALKEY_CURE: &str = "put a valkey-server of version 9 on the PATH, or run this step on a machine with apt, which \
                           unpacks Valkey's packages of Debian under .tools/valkey";

/// Returns what a step on request needs, or the report that skips the step without it and says how
/// to get it.
fn or_skipped<T>(needed: Result<T>, cure: &str) -> std::result::Result<T, Report> {
    needed.map_err(|error| Report::default().but_skipped(format!("{error:#}; {cure}")))
}

/// Returns the names of the store's test binaries.
fn targets_of_store(repo: &Repo) -> Result<Vec<String>> {
    let files = repo.files()?;
    let names = files.iter().filter_map(|path| path.strip_prefix("server/conformance/tests/")?.strip_suffix(".rs"));
    let targets: Vec<String> = names.filter(|name| !name.contains('/')).map(str::to_owned).collect();
    ensure!(!targets.is_empty(), "server/conformance/tests has no test");
    Ok(targets)
}

/// Runs these commands with these servers, without the cases `left_out`.
fn run_tests(at: &Run<'_>, servers: &[(&str, String)], left_out: &[&str], cargos: &mut [Command]) -> Result<Report> {
    let server = at.repo.server_binary();
    let data = at.repo.test_data();
    let mut report = Report::default();
    if !data.is_dir() {
        report.skipped.push(format!("tests on real data: RIPOSTE_TEST_DATA names no folder ({})", data.display()));
    }
    if !left_out.is_empty() {
        report.skipped.push("cases that repeat others on a further backend: `cargo xtask test --full`".to_owned());
    }
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get) * THREADS_PER_PROCESSOR;
    let mut totals = TestTotals::default();
    let mut success = true;
    for cargo in cargos {
        cargo.envs(servers.iter().cloned()).env("RIPOSTE_TEST_BIN", &server).env("RIPOSTE_DEV_BINARY", &server);
        cargo.env("RIPOSTE_CONFORMANCE", at.repo.at("sdk/conformance"));
        if data.is_dir() {
            cargo.env("RIPOSTE_TEST_DATA", &data);
        }
        // The output of passing tests is shown, so that a test that skips itself is visible.
        cargo.args(["--", "--show-output", "--color", "never", "--test-threads", &threads.to_string()]);
        cargo.args(left_out.iter().flat_map(|case| ["--skip", case]));
        let mut see = |line: &str| {
            let ended = totals.see(line);
            if watched() {
                println!("{line}");
            } else if let Some(ended) = ended {
                println!("{ended}");
            }
        };
        match run_to_end(at.live, cargo, &mut see) {
            Ok(status) => success &= status.success(),
            // The counts up to the error are reported too.
            Err(error) => {
                success = false;
                totals.faults.push(format!("{error:#}"));
            }
        }
    }
    totals.end();
    totals.faults.iter().for_each(|line| eprintln!("{line}"));
    report.passed = totals.passed.saturating_sub(totals.skipped.len());
    report.failed = totals.failed.len().max(usize::from(!success));
    report.skipped.extend(totals.skipped);
    report.note = match totals.failed.as_slice() {
        [] if success => format!("{} test binaries", totals.binaries),
        [] => "the tests do not compile, or a test binary died".to_owned(),
        failed => failed.join(", "),
    };
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_its_server_is_skipped_and_says_how_to_get_it() {
        let report = or_skipped::<()>(Err(anyhow::anyhow!("no packages")), VALKEY_CURE).unwrap_err();
        assert_eq!((report.passed, report.failed), (0, 0));
        assert!(report.skipped[0].starts_with("no packages; put a valkey-server"), "{:?}", report.skipped);
        assert_eq!(or_skipped(Ok(9), VALKEY_CURE).unwrap(), 9);
    }

    #[test]
    fn the_stores_suites_are_found_by_their_files() {
        let targets = targets_of_store(&Repo::find().unwrap()).unwrap();
        assert!(targets.iter().any(|name| name == "sql") && !targets.iter().any(|name| name.contains('/')));
    }

    #[test]
    fn every_case_that_is_left_out_exists() {
        let repo = Repo::find().unwrap();
        let mut real = String::new();
        for path in repo.files().unwrap().iter().filter(|path| path.starts_with("tests/tests/real/")) {
            real.push_str(&std::fs::read_to_string(repo.at(path)).unwrap());
        }
        for case in REPEATED {
            let exists = match case.strip_suffix("::") {
                Some(backend) => repo.at(&format!("server/conformance/tests/stores/{backend}.rs")).is_file(),
                None => real.contains(&format!("fn {case}(")),
            };
            assert!(exists, "no test is named {case}");
        }
    }
}
