//! `cargo xtask toys`: toy changes of the kinds that CONTRIBUTING.md has recipes for. Each is
//! applied to a scratch tree, which has the files of the working tree, and compiled and tested
//! there. The files that it touches are counted, so that a kind of change that becomes more
//! laborious fails the build.
//!
//! xtask/toys has one file for each toy, and README.md, which describes their language.

mod count;
mod patch;
#[cfg(test)]
mod recipes;
mod scratch;
mod toy;
mod tree;

use crate::live::Live;
use crate::regenerate;
use crate::repo::Repo;
use crate::run::{Last, run, run_to_end, watched};
use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use scratch::ScratchTree;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use toy::{Toy, Toys};
use tree::Tree;

/// The toys to apply.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The toys, together on one tree [default: all of the step `toys` of `cargo xtask test`]
    #[arg(value_name = "TOY")]
    names: Vec<String>,
    /// Apply every toy alone, those that the test command leaves out too
    #[arg(long, conflicts_with = "names")]
    full: bool,
    /// Count the files that every toy touches; generate, compile and test nothing
    #[arg(long, conflicts_with_all = ["names", "full"])]
    count: bool,
    /// Print the toys with their targets, and do nothing
    #[arg(long, conflicts_with_all = ["names", "full", "count"])]
    list: bool,
    /// Build with the dev profile instead of the release profile of the test command
    #[arg(long)]
    dev: bool,
}

/// Applies the chosen toys. Returns `false` if a toy touches more files than its target.
pub(crate) fn run_args(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let start = Instant::now();
    let toys = Toys::read(repo)?;
    if args.list {
        for toy in &toys.all {
            println!("{:<15} {:>2} files  {}", toy.name, toy.files, toy.about);
        }
        return Ok(true);
    }
    if args.count {
        return all_counted(repo, &toys, &toys.all.iter().map(|toy| vec![toy]).collect::<Vec<_>>());
    }
    let groups: Vec<Vec<&Toy>> = match args.names.as_slice() {
        [] if args.full => toys.all.iter().map(|toy| vec![toy]).collect(),
        [] => vec![toys.of_the_test_command()],
        names => vec![names.iter().map(|name| toys.named(name)).collect::<Result<_>>()?],
    };
    if !all_counted(repo, &toys, &groups)? {
        return Ok(false);
    }
    let profile = if args.dev { Profile::Dev } else { Profile::Release };
    for group in &groups {
        build_and_test(repo, live, &toys, group, profile)?;
    }
    let count: usize = groups.iter().map(Vec::len).sum();
    println!("{count} toy changes applied, compiled and tested in {} s", start.elapsed().as_secs());
    Ok(true)
}

/// Applies the toys of the test command to one tree. Returns the number of toys.
pub(crate) fn check(repo: &Repo, live: &Arc<Live>) -> Result<usize> {
    let toys = Toys::read(repo)?;
    let group = toys.of_the_test_command();
    ensure!(all_counted(repo, &toys, std::slice::from_ref(&group))?, "a toy touches more files than its target");
    build_and_test(repo, live, &toys, &group, Profile::Release)?;
    Ok(group.len())
}

/// Applies the toys of each group to one tree and lists the files that each touches. Returns `true`
/// if no toy touches more files than its target.
fn all_counted(repo: &Repo, toys: &Toys, groups: &[Vec<&Toy>]) -> Result<bool> {
    let mut success = true;
    for group in groups {
        let mut tree = Tree::of(repo.at(""));
        tree.apply(&toys.fixture)?;
        for toy in group {
            let touched = tree.apply(toy)?;
            let result = if touched.len() > toy.files { "TOO MANY" } else { "ok" };
            println!("{:<15} {:>2} of {:>2} files  {result}", toy.name, touched.len(), toy.files);
            touched.iter().for_each(|file| println!("    {file}"));
            success &= touched.len() <= toy.files;
        }
    }
    if !success {
        eprintln!("A change of that kind became more laborious: improve the design, not the target.");
    }
    Ok(success)
}

/// The profile of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Profile {
    Dev,
    Release,
}

/// The package of the fixture, which is also the name of its program and of its test target.
const FIXTURE: &str = "riposte-toys";

/// Generates, compiles and tests a scratch tree with these toys.
fn build_and_test(repo: &Repo, live: &Arc<Live>, toys: &Toys, group: &[&Toy], profile: Profile) -> Result<()> {
    let start = Instant::now();
    let mut tree = Tree::of(repo.at(""));
    tree.apply(&toys.fixture)?;
    for toy in group {
        tree.apply(toy)?;
    }
    let names = group.iter().map(|toy| toy.name.as_str()).collect::<Vec<_>>().join(", ");
    eprintln!("\n--- {names}: generate, compile and test");
    let scratch = ScratchTree::make(repo, &tree)?;
    regenerate::run(scratch.repo(), live, false).context("the code cannot be generated")?;
    // Target and features are those of the test command's own builds, so that no dependency is
    // compiled again: `--examples` selects the features of the tests.
    let mut check = scratch.cargo(repo, &["check", "--workspace", "--all-features", "--lib", "--bins", "--examples"]);
    let mut test = scratch.cargo(repo, &["test", "--workspace", "--exclude", "xtask", "--test", FIXTURE]);
    if profile == Profile::Release {
        check.arg("--release");
        test.arg("--release");
        // A dependency keeps its profile. The crates of the workspace run for seconds here, which
        // does not justify minutes of optimisation.
        for package in scratch.packages()? {
            test.arg("--config").arg(format!("profile.release.package.{package}.opt-level=0"));
        }
    }
    run(live, &mut check).with_context(|| format!("the tree with {names} does not compile"))?;
    let binary = if profile == Profile::Release { "release" } else { "debug" };
    test.env("RIPOSTE_TEST_BIN", repo.target().join(binary).join(FIXTURE));
    test.env("RIPOSTE_TEST_REDIS_SERVER", tools::redis(repo, live)?);
    test.args(["--", "--color", "never"]);
    tested(live, &mut test, group)?;
    eprintln!("{names}: compiled and tested in {} s", start.elapsed().as_secs());
    Ok(())
}

/// Runs the tests, of which every toy has to bring at least one.
fn tested(live: &Arc<Live>, test: &mut Command, group: &[&Toy]) -> Result<()> {
    let (mut passed, mut last) = (BTreeSet::new(), Last::default());
    let status = run_to_end(live, test, &mut |line| {
        passed.extend(passing(line).map(str::to_owned));
        if watched() {
            println!("{line}");
        } else {
            last.keep(line);
        }
    })?;
    if !status.success() {
        last.show();
        bail!("a test of a toy fails");
    }
    match group.iter().find(|toy| !passed.contains(&toy.name)) {
        Some(toy) => bail!("{}: it brings no test that runs", toy.name),
        None => Ok(()),
    }
}

/// Returns the module of the test that a line of output reports as passed.
fn passing(line: &str) -> Option<&str> {
    let test = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
    test.split_once("::").map(|(module, _)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_test_names_the_toy_that_brings_it() {
        assert_eq!(passing("test column::it_is_stored ... ok"), Some("column"));
        assert_eq!(passing("test column::it_is_stored ... FAILED"), None);
        assert_eq!(passing("test result: ok. 1 passed"), None);
    }

    #[test]
    fn every_toy_applies_alone_and_with_the_others_and_meets_its_target() {
        let repo = Repo::find().unwrap();
        let toys = Toys::read(&repo).unwrap();
        assert_eq!(toys.of_the_test_command().len(), 6);
        let alone = toys.all.iter().map(|toy| vec![toy]);
        let groups: Vec<_> = alone.chain([toys.of_the_test_command()]).collect();
        assert!(all_counted(&repo, &toys, &groups).unwrap());
    }
}
