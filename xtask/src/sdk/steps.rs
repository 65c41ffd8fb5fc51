//! Builds and tests of the SDKs, several at a time.

use super::language::Language;
use super::toolchain::{Step, Toolchain};
use crate::live::Live;
use crate::repo::Repo;
use crate::run::{Last, run_observed, shown, watched};
use anyhow::{Context, Result};
use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The outcome of one SDK.
#[derive(Debug)]
pub(crate) struct Outcome {
    language: Language,
    took: Duration,
    pub(crate) end: End,
}

/// The end of an SDK's steps.
#[derive(Debug)]
pub(crate) enum End {
    Passed,
    /// The error of the failed step.
    Failed(String),
    /// The reason: a missing program, or tools that cannot be fetched.
    Skipped(String),
}

impl Outcome {
    /// Returns `true` if the steps failed.
    pub(crate) fn failed(&self) -> bool {
        matches!(self.end, End::Failed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, seconds) = (self.language.name(), self.took.as_secs_f64());
        match &self.end {
            End::Passed => write!(f, "{name} ok in {seconds:.1} s"),
            End::Failed(fault) => write!(f, "{name} FAILED after {seconds:.1} s: {fault}"),
            End::Skipped(reason) => write!(f, "{name} SKIPPED: {reason}"),
        }
    }
}

/// Builds the packages, and checks each as its registry would.
pub(super) fn build(repo: &Repo, live: &Arc<Live>, languages: &[Language]) -> Result<Vec<Outcome>> {
    all(repo, languages, &|toolchain, log| {
        step(repo, live, toolchain, Step::Build, None, log)?;
        with_tools(repo, live, toolchain, Step::Check, log)
    })
}

/// Writes the software bills of materials of the packages that were built.
pub(super) fn sbom(repo: &Repo, live: &Arc<Live>, languages: &[Language]) -> Result<Vec<Outcome>> {
    all(repo, languages, &|toolchain, log| {
        if !toolchain.has_step(Step::Sbom) {
            return Ok(None);
        }
        step(repo, live, toolchain, Step::Build, None, log)?;
        with_tools(repo, live, toolchain, Step::Sbom, log)
    })
}

/// Does a step with the tools that it needs. Returns the reason why it was not done: the tools
/// cannot be fetched, as without a network.
fn with_tools(
    repo: &Repo,
    live: &Arc<Live>,
    toolchain: &Toolchain,
    what: Step,
    log: &mut File,
) -> Result<Option<String>> {
    if toolchain.has_step(Step::Fetch)
        && let Err(error) = step(repo, live, toolchain, Step::Fetch, None, log)
    {
        return Ok(Some(format!("its package is built, but the tools of step {what:?} cannot be fetched: {error:#}")));
    }
    step(repo, live, toolchain, what, None, log).map(|()| None)
}

/// Builds the packages and tests them with a server.
pub(super) fn test(repo: &Repo, live: &Arc<Live>, languages: &[Language], server: &Path) -> Result<Vec<Outcome>> {
    all(repo, languages, &|toolchain, log| {
        step(repo, live, toolchain, Step::Build, None, log)?;
        step(repo, live, toolchain, Step::Test, Some(server), log).map(|()| None)
    })
}

/// Builds the package of one SDK and installs it for its benchmark.
pub(super) fn prepare_bench(repo: &Repo, live: &Arc<Live>, toolchain: &Toolchain) -> Result<()> {
    logged(toolchain, &|toolchain, log| {
        step(repo, live, toolchain, Step::Build, None, log)?;
        step(repo, live, toolchain, Step::Bench, None, log).map(|()| None)
    })
    .map(drop)
}

/// The work for one SDK. Returns the reason why a part of it was left out.
type StepAction<'a> = dyn Fn(&Toolchain, &mut File) -> Result<Option<String>> + Sync + 'a;

/// Does the work for each language, one more at a time than there are processors, because their
/// tests wait for much of their time. Returns the outcomes in the order of the languages.
fn all(repo: &Repo, languages: &[Language], work: &StepAction<'_>) -> Result<Vec<Outcome>> {
    let mut waiting = Vec::new();
    for language in languages {
        waiting.extend(Toolchain::read(repo, *language)?);
    }
    let (waiting, ended) = (Mutex::new(waiting.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..=thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    // The lock guard must not be held during the work.
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(toolchain) = next else { return };
                    let outcome = one(&toolchain, work);
                    ended.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let mut ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    ended.sort_by_key(|outcome| languages.iter().position(|language| *language == outcome.language));
    Ok(ended)
}

fn one(toolchain: &Toolchain, work: &StepAction<'_>) -> Outcome {
    let (language, start) = (toolchain.language, Instant::now());
    let end = match toolchain.missing() {
        Some(program) => End::Skipped(format!("this machine has no {program}")),
        None => match logged(toolchain, work) {
            Ok(None) => End::Passed,
            Ok(Some(reason)) => End::Skipped(reason),
            Err(error) => End::Failed(format!("{error:#}")),
        },
    };
    Outcome { language, took: start.elapsed(), end }
}

/// Does the work with a log file in the parent of the packages' folder.
fn logged(toolchain: &Toolchain, work: &StepAction<'_>) -> Result<Option<String>> {
    fs::create_dir_all(&toolchain.dir)?;
    fs::create_dir_all(&toolchain.out)?;
    let path = toolchain.out.with_extension("log");
    let mut log = File::create(&path).with_context(|| path.display().to_string())?;
    work(toolchain, &mut log).with_context(|| format!("see {}", path.display()))
}

/// Runs the commands of one step, until one fails.
fn step(
    repo: &Repo,
    live: &Arc<Live>,
    toolchain: &Toolchain,
    step: Step,
    server: Option<&Path>,
    log: &mut File,
) -> Result<()> {
    let name = toolchain.language.name();
    let mut commands = toolchain.commands(repo, step)?;
    if step == Step::Bench {
        // The last command is the program to measure, which does not run here.
        commands.pop();
    }
    for mut command in commands {
        command.env("RIPOSTE_CONFORMANCE", repo.at("sdk/conformance"));
        if let Some(server) = server {
            command.env("RIPOSTE_DEV_BINARY", server);
        }
        writeln!(log, "$ {}", shown(&command))?;
        let mut written = Ok(());
        let mut last = Last::default();
        let outcome = run_observed(live, &mut command, &mut |line| {
            if watched() {
                println!("{name:<10} | {line}");
            } else {
                last.keep(line);
            }
            written = std::mem::replace(&mut written, Ok(())).and_then(|()| writeln!(log, "{line}"));
        });
        outcome.and(written.context("its output cannot be kept")).inspect_err(|_| last.show())?;
    }
    Ok(())
}
