//! `cargo xtask before REV`: the server of an older revision, for tests and benchmarks that
//! compare versions.

use crate::build::EVERYTHING_SHIPPED;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::run_observed_within;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time limit of a build. It compiles every dependency anew, perhaps on a busy machine.
const LIMIT: Duration = Duration::from_hours(1);

/// The revision to build.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A commit, a tag or a branch of this repository
    #[arg(value_name = "REV")]
    revision: String,
}

/// Builds the binary unless it exists, and writes its path to standard output.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    println!("{}", binary(repo, live, &args.revision)?.display());
    Ok(true)
}

/// Returns the path of the binary of `revision`. Builds it with today's profile `dist` unless it
/// exists.
fn binary(repo: &Repo, live: &Arc<Live>, revision: &str) -> Result<PathBuf> {
    let commit = commit(repo, revision)?;
    let place = RevisionFolder::of(repo, &repo.git(&["rev-parse", "--short", &commit])?);
    fs::create_dir_all(&place.folder).with_context(|| place.folder.display().to_string())?;
    // A second run for the same revision waits here and then finds the binary. The lock ends with
    // the process.
    let lock = File::create(place.folder.join("lock"))?;
    lock.lock().with_context(|| format!("cannot lock {}", place.folder.display()))?;
    let manifest = repo.at("Cargo.toml");
    let profile = profile(&fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?)?;
    if place.has_built(&profile) {
        return Ok(place.binary());
    }
    let source = Source::check_out(repo, place.folder.join("src"), &commit)?;
    let built = build(repo, live, &source.folder, &place, &profile);
    let gone = source.remove();
    built.with_context(|| format!("revision {revision} cannot be built"))?;
    gone?;
    // The build directory is several times as large as the binary and is of no more use.
    fs::remove_dir_all(place.target())?;
    Ok(place.binary())
}

/// Builds the server in the checked-out `source` and puts the binary in its place.
fn build(repo: &Repo, live: &Arc<Live>, source: &Path, place: &RevisionFolder, profile: &[String]) -> Result<()> {
    let mut cargo = repo.cargo(&["build", "--bin", "riposte"]);
    cargo.args(EVERYTHING_SHIPPED).current_dir(source).env("CARGO_TARGET_DIR", place.target());
    for setting in profile {
        cargo.args(["--config", setting]);
    }
    run_observed_within(live, &mut cargo, LIMIT, &mut |line| eprintln!("{line}"))?;
    // The profile file is written first: a binary without one is never treated as finished.
    fs::write(place.profile(), profile.join("\n"))?;
    let partial = place.folder.join("riposte.partial");
    fs::copy(place.target().join("dist/riposte"), &partial).with_context(|| partial.display().to_string())?;
    fs::rename(&partial, place.binary())?;
    Ok(())
}

/// Resolves `revision` to the id of a commit.
fn commit(repo: &Repo, revision: &str) -> Result<String> {
    let name = format!("{revision}^{{commit}}");
    let found = repo.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
    // Older versions of git print the option too.
    let id = found.ok().and_then(|output| output.lines().last().map(str::to_owned)).filter(|id| !id.is_empty());
    id.with_context(|| {
        format!("this repository has no revision `{revision}`; in a shallow clone `git fetch --unshallow` gets it")
    })
}

/// Returns the settings of the profile `dist` and of those that it inherits, as arguments of
/// cargo's `--config`. Two versions are comparable only if one profile builds both, so today's
/// settings replace the older ones, and an older manifest may lack the profile.
fn profile(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse()?;
    let mut settings = Vec::new();
    for name in ["release", "dist"] {
        let profile = manifest.get("profile").and_then(|profiles| profiles.get(name)).and_then(toml::Value::as_table);
        let profile = profile.with_context(|| format!("Cargo.toml has no [profile.{name}]"))?;
        // The tables of single packages stay as the older manifest has them, because it may lack
        // today's packages.
        let scalars = profile.iter().filter(|(_, value)| !value.is_table());
        settings.extend(scalars.map(|(key, value)| format!("profile.{name}.{key}={value}")));
    }
    Ok(settings)
}

/// The folder of one revision below cargo's build directory.
#[derive(Debug)]
struct RevisionFolder {
    folder: PathBuf,
}

impl RevisionFolder {
    fn of(repo: &Repo, short: &str) -> Self {
        Self { folder: repo.target().join("before").join(short) }
    }

    fn binary(&self) -> PathBuf {
        self.folder.join("riposte")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    fn profile(&self) -> PathBuf {
        self.folder.join("profile")
    }

    /// Returns `true` if a binary exists that was built with this profile.
    fn has_built(&self, profile: &[String]) -> bool {
        let same = fs::read_to_string(self.profile()).is_ok_and(|built| built == profile.join("\n"));
        same && self.binary().is_file()
    }
}

/// A git worktree of a commit. It is removed with its registration, even when the build fails.
#[derive(Debug)]
struct Source<'a> {
    repo: &'a Repo,
    folder: PathBuf,
}

impl<'a> Source<'a> {
    fn check_out(repo: &'a Repo, folder: PathBuf, commit: &str) -> Result<Self> {
        let source = Self { repo, folder };
        if source.folder.exists() {
            source.is_clean()?;
            source.remove_folder()?;
        }
        repo.git(&["worktree", "prune"])?;
        repo.git(&["worktree", "add", "--detach", &source.path()?, commit])?;
        Ok(source)
    }

    /// Fails unless an interrupted run left the folder as it checked it out.
    fn is_clean(&self) -> Result<()> {
        let path = self.path()?;
        ensure!(
            self.folder.join(".git").is_file(),
            "{path} is left over and is no git worktree; remove it and run the command again"
        );
        let changes = self.repo.git(&["-C", &path, "status", "--porcelain"]);
        match changes.as_deref() {
            Ok("") => Ok(()),
            Ok(changes) => bail!("{path} is left over with uncommitted changes; save or remove it:\n{changes}"),
            Err(error) => bail!("{path} is left over and cannot be read; remove it and run the command again: {error}"),
        }
    }

    fn remove(self) -> Result<()> {
        self.remove_folder()
    }

    fn remove_folder(&self) -> Result<()> {
        self.repo.git(&["worktree", "remove", "--force", &self.path()?]).map(drop)
    }

    fn path(&self) -> Result<String> {
        let path = self.folder.to_str();
        Ok(path.with_context(|| format!("{} is not UTF-8", self.folder.display()))?.to_owned())
    }
}

#[cfg(test)]
mod tests;
