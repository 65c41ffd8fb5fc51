//! The locations of the workspace, its build directory, the tools fetched for it, and the test data
//! outside it.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace this task runner belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
}

impl Repo {
    /// Finds the workspace by this crate's own manifest, so that the task runner works in any
    /// folder.
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable for `cargo run`; the compiled-in value serves a binary that is
        // started directly.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask lies at the top of the file system")?.to_owned();
        ensure!(root.join("Cargo.toml").is_file(), "no workspace at {}", root.display());
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => std::path::absolute(PathBuf::from(dir))?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// Returns a workspace in a folder, with this build directory.
    pub(crate) fn of(root: PathBuf, target: PathBuf) -> Self {
        Self { root, target }
    }

    /// Returns a path below the top folder.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Returns cargo's build directory.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the built server, as tests use it.
    pub(crate) fn server_binary(&self) -> PathBuf {
        self.target.join("release/riposte")
    }

    /// Returns the server as it ships, built with the profile `dist`.
    pub(crate) fn dist_binary(&self) -> PathBuf {
        self.target.join("dist/riposte")
    }

    /// Returns the built server with mutants.
    pub(crate) fn mutant_binary(&self) -> PathBuf {
        self.target.join("release/riposte-mutant")
    }

    /// Returns the built program that makes calls, injects faults and checks the history.
    pub(crate) fn prove_load_binary(&self) -> PathBuf {
        self.target.join("release/prove-load")
    }

    /// Returns the built load generator.
    pub(crate) fn bench_binary(&self) -> PathBuf {
        self.target.join("release/riposte-bench")
    }

    /// Returns a path below the folder of fetched tools; git ignores it.
    pub(crate) fn tools(&self, path: &str) -> PathBuf {
        self.root.join(".tools").join(path)
    }

    /// Returns the folder of real comment data: `RIPOSTE_TEST_DATA`, or `shared/data` in the parent
    /// folder of the workspace. It need not exist.
    pub(crate) fn test_data(&self) -> PathBuf {
        match std::env::var_os("RIPOSTE_TEST_DATA") {
            // Tests run in their own crate's folder, where a relative path would mean another
            // place.
            Some(dir) => std::path::absolute(&dir).unwrap_or_else(|_| dir.into()),
            None => self.root.parent().unwrap_or(&self.root).join("shared/data"),
        }
    }

    /// Returns a command that runs in the top folder.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// Returns a cargo command that runs in the top folder, with the cargo that started this task.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.clean(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments);
        command
    }

    /// Returns a command that runs in the top folder, without the variables of this crate and of a
    /// developer's own service.
    pub(crate) fn clean(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.command(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            // The first two describe the xtask crate and would leak into the builds below. The last
            // are the settings of a developer's own service, which must not reach a test.
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text.starts_with("RIPOSTE_") {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Returns the output of a git command, without the last line break.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command("git").args(arguments).output().context("git cannot be run")?;
        let message = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {}: {}", arguments.join(" "), message.trim());
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Returns the files of the working tree that git tracks or would track, relative and sorted.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let listed = self.git(&["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"])?;
        let mut files: Vec<String> =
            listed.lines().filter(|path| self.root.join(path).is_file()).map(str::to_owned).collect();
        files.sort();
        Ok(files)
    }
}
