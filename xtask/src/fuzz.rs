//! Coverage-guided fuzzing of what comes from outside (`tests/fuzz`), by libFuzzer: compiled with its instrumentation by the toolchain of
//! the workspace, so that nothing has to be installed; `cargo fuzz` runs the same targets.

use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run, run_told};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::Command;
use std::sync::Arc;

const FOLDER: &str = "tests/fuzz";
/// What `cargo fuzz` asks of the compiler, but for sanitizers, which find nothing in code without `unsafe`.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these targets; otherwise all of tests/fuzz/fuzz_targets
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Add to the corpus in the repository what reaches code that nothing there reaches
    #[arg(long)]
    keep: bool,
}

/// Fuzzes one target after the other; `false` where one breaks. What broke it lies in `fuzz/` of cargo's build directory.
pub(crate) fn run_targets(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let targets = chosen(repo, &args.targets)?;
    let host = host(repo)?;
    let build = repo.target().join("fuzz/build");
    let manifest = repo.at(FOLDER).join("Cargo.toml");
    let mut cargo = repo.cargo(&["build", "--release", "--locked", "--target", &host, "--manifest-path"]);
    // For the target alone: build scripts are not fuzzed.
    run(live, cargo.arg(manifest).arg("--target-dir").arg(&build).env("RUSTFLAGS", INSTRUMENTED))?;
    let mut sound = true;
    for target in &targets {
        let (work, crashes) = (repo.target().join("fuzz/corpus").join(target), repo.target().join("fuzz/crashes"));
        let kept = repo.at(FOLDER).join("corpus").join(target);
        for folder in [&work, &crashes, &kept] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let binary = build.join(&host).join("release").join(target);
        let mut fuzzer = repo.clean(&binary);
        fuzzer.arg(format!("-max_total_time={}", args.seconds)).arg("-rss_limit_mb=4096").arg("-timeout=20");
        fuzzer.arg(format!("-artifact_prefix={}/{target}-", crashes.display())).arg("-print_final_stats=1");
        sound &= fuzz(live, fuzzer.arg(&work).arg(&kept), target)?;
        if args.keep {
            run(live, repo.clean(&binary).arg("-merge=1").arg(&kept).arg(&work))?;
        }
    }
    Ok(sound)
}

/// Runs one target and tells what came of it in a line, or all of its last words.
fn fuzz(live: &Arc<Live>, fuzzer: &mut Command, target: &str) -> Result<bool> {
    let (mut runs, mut covered, mut last) = (String::new(), String::new(), crate::run::Last::default());
    let outcome = run_told(live, fuzzer, &mut |line| {
        last.keep(line);
        if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
            count.trim().clone_into(&mut runs);
        } else if let Some((_, rest)) = line.split_once(" cov: ") {
            rest.split(' ').next().unwrap_or_default().clone_into(&mut covered);
        }
    });
    match outcome {
        Ok(()) => {
            println!("{target:<12} {runs:>10} inputs, {covered:>6} edges, nothing broke");
            Ok(true)
        }
        Err(error) => {
            last.show();
            println!("{target:<12} BROKE: {error:#}");
            Ok(false)
        }
    }
}

/// The targets of these names, or all.
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

/// The triple of this machine.
fn host(repo: &Repo) -> Result<String> {
    let told = output_of(repo.clean("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not say its host")?;
    Ok(host.to_owned())
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
