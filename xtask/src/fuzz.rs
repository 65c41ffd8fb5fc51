//! Coverage-guided fuzzing of external input (`tests/fuzz`) by libFuzzer. The crates of the
//! workspace are compiled with its instrumentation by the workspace's toolchain, over the
//! dependencies that are already compiled. `cargo fuzz` runs the same targets.

use crate::build::EVERYTHING;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::{Last, run, run_observed_within};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "tests/fuzz";
/// The time that a fuzzer may take beyond its limit: it reads its corpus first and finishes the
/// current input.
const GRACE: Duration = Duration::from_mins(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these targets; otherwise all of tests/fuzz/fuzz_targets
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Add inputs to the stored corpus if they reach code that the corpus does not reach
    #[arg(long)]
    keep: bool,
}

impl Args {
    /// Returns arguments for all targets, for a short time each, that add nothing to the stored
    /// corpus.
    pub(crate) fn short(seconds: u32) -> Self {
        Self { targets: Vec::new(), seconds, keep: false }
    }
}

/// Fuzzes one target after the other and writes a line for each. Returns `false` if one breaks.
pub(crate) fn run_targets(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let targets = chosen(repo, &args.targets)?;
    build(repo, live, &targets)?;
    let mut sound = true;
    for target in &targets {
        match fuzz(repo, live, target, args) {
            Ok(line) => println!("{line}"),
            Err(error) => {
                println!("{target:<13} BROKE: {error:#}");
                sound = false;
            }
        }
    }
    Ok(sound)
}

/// Compiles targets. The cargo arguments are those of every build, so that no dependency is
/// compiled again.
fn build(repo: &Repo, live: &Arc<Live>, targets: &[String]) -> Result<()> {
    let mut cargo = repo.cargo(&["build", "--features", "riposte-fuzz/libfuzzer"]);
    cargo.args(EVERYTHING).args(targets.iter().flat_map(|target| ["--bin", target]));
    run(live, cargo.env("RUSTC_WORKSPACE_WRAPPER", repo.at(FOLDER).join("instrumented")))
}

/// Runs one target. Returns its statistics, or an error with its last output. The input that broke
/// it is in `fuzz/` of cargo's build directory.
fn fuzz(repo: &Repo, live: &Arc<Live>, target: &str, args: &Args) -> Result<String> {
    let (work, crashes) = (repo.target().join("fuzz/corpus").join(target), repo.target().join("fuzz/crashes"));
    let stored = repo.at(FOLDER).join("corpus").join(target);
    for folder in [&work, &crashes, &stored] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let binary = repo.target().join("release").join(target);
    let mut fuzzer = repo.clean(&binary);
    fuzzer.arg(format!("-max_total_time={}", args.seconds)).arg("-rss_limit_mb=4096").arg("-timeout=20");
    fuzzer.arg(format!("-artifact_prefix={}/{target}-", crashes.display())).arg("-print_final_stats=1");
    let limit = Duration::from_secs(args.seconds.into()) + GRACE;
    let line = watched(live, fuzzer.arg(&work).arg(&stored), limit, target)?;
    if args.keep {
        keep(repo, live, &binary, &work, &stored)?;
    }
    Ok(line)
}

/// Adds the inputs of `work` that reach more code to the stored corpus.
fn keep(repo: &Repo, live: &Arc<Live>, binary: &Path, work: &Path, stored: &Path) -> Result<()> {
    run(live, repo.clean(binary).arg("-merge=1").arg(stored).arg(work))
}

/// Runs a fuzzer to its end.
fn watched(live: &Arc<Live>, fuzzer: &mut Command, limit: Duration, target: &str) -> Result<String> {
    let (mut runs, mut covered, mut last) = (String::new(), String::new(), Last::default());
    let outcome = run_observed_within(live, fuzzer, limit, &mut |line| {
        last.keep(line);
        if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
            count.trim().clone_into(&mut runs);
        } else if let Some((_, rest)) = line.split_once(" cov: ") {
            rest.split(' ').next().unwrap_or_default().clone_into(&mut covered);
        }
    });
    outcome.inspect_err(|_| last.show())?;
    ensure!(runs.parse::<u64>().is_ok_and(|runs| runs > 0), "it does not say that it tried anything");
    Ok(format!("{target:<13} {runs:>10} inputs, {covered:>6} edges, nothing broke"))
}

/// Returns the targets of these names, or all targets.
fn chosen(repo: &Repo, names: &[String]) -> Result<Vec<String>> {
    let prefix = format!("{FOLDER}/fuzz_targets/");
    let files = repo.files()?;
    let all: Vec<String> =
        files.iter().filter_map(|file| file.strip_prefix(&prefix)?.strip_suffix(".rs")).map(str::to_owned).collect();
    for name in names {
        ensure!(all.contains(name), "there is no target {name}, but {}", all.join(", "));
    }
    Ok(if names.is_empty() { all } else { names.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_by_their_files_and_unknown_names_refused() {
        let repo = Repo::find().unwrap();
        let all = chosen(&repo, &[]).unwrap();
        assert!(all.contains(&"requests".to_owned()), "{all:?}");
        assert_eq!(chosen(&repo, &["imports".to_owned()]).unwrap(), ["imports"]);
        assert!(chosen(&repo, &["nothing".to_owned()]).unwrap_err().to_string().contains("requests"));
    }
}
