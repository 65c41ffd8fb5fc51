//! The task runner of the workspace: it generates the checked-in files, checks the sources and
//! tests the whole system with real servers, on a bare machine as well as on a prepared one.
//!
//! This crate must never contain anything that the product needs at run time, and must never leave
//! a process running.

mod before;
mod bench;
mod build;
mod chart;
mod docs;
mod fuzz;
mod generate;
mod live;
mod maven;
mod prove;
mod regenerate;
mod registry;
mod repo;
mod run;
mod sbom;
mod sdk;
mod servers;
mod test;
mod tidy;
mod tools;
mod toys;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use std::sync::Arc;

/// The tasks of the Riposte workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, max_term_width = 110, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Test the workspace: every check and every test, against real servers it starts itself
    ///
    /// Installs what the machine lacks (Debian packages, rustfmt and clippy, buf and cargo-deny
    /// under .tools/), starts two private MariaDB servers, Redis and a Redis Cluster, runs the
    /// steps in their order, stops all it started and writes one summary. A failed step does not
    /// stop the others, so one run shows every fault.
    #[command(visible_alias = "ci")]
    Test(test::Args),
    /// Call the service by many clients under injected faults, and check all responses against its
    /// promises
    ///
    /// Starts two MariaDB servers, Redis, two `riposte serve` processes and a relay, and proxies
    /// between them that delay, cut and break. Clients write, read and walk; servers, databases and
    /// Redis are killed, stopped, emptied and replaced. Every call and its response is recorded in
    /// a history, which is checked afterwards. docs/reliability.md lists the checks.
    Prove(prove::Args),
    /// Run coverage-guided fuzzers over the readers of external data (page tokens, requests, cache
    /// entries, import files)
    Fuzz(fuzz::Args),
    /// Start two private database servers, Redis and a Redis Cluster, print what to export, and
    /// keep them until Ctrl-C
    Servers(servers::HeldServers),
    /// Build the server of an older revision and print its path
    ///
    /// Checks the revision out below cargo's build directory, builds `riposte` there with today's
    /// profile `dist`, puts it at before/<rev>/riposte and removes the checkout. A binary that
    /// exists is not built again. Tests across versions take its path in RIPOSTE_TEST_BIN_BEFORE
    /// (docs/upgrade.md).
    Before(before::Args),
    /// Measure the service against bare loops on the same machine in the same run
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Apply toy changes to a scratch tree, and fail where one touches more files than its kind of
    /// change may
    ///
    /// A toy is a small change of a kind that CONTRIBUTING.md has a recipe for: a column, a read
    /// RPC, a state, an event consumer, a table, a sort. Each is applied to a scratch tree below
    /// cargo's build directory. The hand-written files that it touches are counted, and the tree is
    /// generated, compiled, and tested by the tests that the toys bring. xtask/toys/README.md
    /// describes the files of the toys.
    Toys(toys::Args),
    /// Generate all code that is checked in from proto/: the server's internal messages and all
    /// SDKs
    Gen {
        /// Change nothing; fail when a generated file differs from what would be written
        #[arg(long)]
        check: bool,
    },
    /// Generate, build and test the SDKs of all languages
    #[command(subcommand)]
    Sdk(sdk::Sdk),
    /// Write the software bills of materials of what ships to target/sbom/, and check them
    ///
    /// CycloneDX JSON of the server binary and of the package of each SDK, with the packages that
    /// each brings, their licences, hashes and dependencies. The tools and the schemas are fetched
    /// under .tools/; what cannot be fetched is SKIPPED.
    Sbom,
    /// Render the Helm chart and check it; gets helm where it is missing
    Chart(chart::Args),
    /// Build the documentation as a site, and check its links
    ///
    /// Writes the pages that docs/SUMMARY.md names to docs/src in cargo's build directory, with
    /// their links rewritten for the site, and the site to docs/site. mdbook and lychee come from
    /// PyPI to .tools/; without them the site is SKIPPED. Links between the pages are also checked
    /// by `cargo xtask tidy`, without a tool.
    Docs,
    /// Check the conventions that the compiler cannot: sizes, names, and which file may say what
    Tidy,
}

const AFTER_HELP: &str = "\
Examples:
  cargo xtask test                     everything, as the CI runs it
  cargo xtask test --only tidy clippy  two steps
  cargo xtask test --mysql             the store's suite on real MySQL 9 as well
  cargo xtask test --only vitess       the store's suite and the API on Vitess with two shards
  cargo xtask test --valkey            the suites of the cache on Valkey 9 as well
  cargo xtask test --kafka-cluster     kills of the leading brokers of a Kafka of three as well
  cargo xtask test --only kube         the chart on a real API server of Kubernetes
  cargo xtask test --only examples --screenshots
                                       the examples in two browsers, with new pictures
  cargo xtask test --only dashboards   every query of the dashboards on a real Prometheus
  cargo xtask test --list              what the steps are
  cargo xtask prove --smoke            five minutes of faults under a history checker
  cargo xtask prove --planted          mutants of the server, each of which has to be found
  cargo xtask fuzz --seconds 600 imports
                                       ten minutes of files that no system has written
  cargo xtask servers                  databases and Redis for `cargo test` in another terminal
  cargo xtask toys --count             how many files each kind of change touches
  cargo xtask toys --full              every toy change alone, compiled and tested
  cargo xtask before v0.1.0            the server of that version, to test this one against
  cargo xtask bench write --rows create_hot,like_hot --unpinned --tables one
                                       how much faster than one transaction per comment
  cargo xtask bench read --rows page_hot
                                       how near to a server of constant bytes
  cargo xtask bench compare --before OLD --before-settings bench/before/ed6c35b.toml
                                       whether an operation costs more CPU than in an older server";

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one task. Returns `false` when the task completed and reported faults.
fn run(cli: Cli) -> Result<bool> {
    let repo = repo::Repo::find()?;
    let live = Arc::new(live::Live::default());
    live::stop_on_signals(&live)?;
    match cli.task {
        Task::Test(args) => test::run(&repo, &live, &args),
        Task::Prove(args) => prove::run(&repo, &live, &args),
        Task::Fuzz(args) => fuzz::run_targets(&repo, &live, &args),
        Task::Servers(held) => servers::hold(&repo, &live, held).map(|()| true),
        Task::Before(args) => before::run(&repo, &live, &args),
        Task::Bench(what) => bench::run(&repo, &live, &what),
        Task::Toys(args) => toys::run_args(&repo, &live, &args),
        Task::Gen { check } => {
            let skipped = regenerate::run(&repo, &live, check)?;
            skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
            Ok(true)
        }
        Task::Sdk(what) => sdk::run(&repo, &live, &what),
        Task::Sbom => sbom::run_all(&repo, &live),
        Task::Chart(args) => chart::run(&repo, &live, &args),
        Task::Docs => docs::build(&repo, &live),
        Task::Tidy => tidy::run(&repo).map(|report| report.show()),
    }
}
