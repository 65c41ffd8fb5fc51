//! The running processes and existing folders of a run.
//!
//! Each process leads a process group of its own, so that its children end with it, and so that a
//! Ctrl-C in the terminal reaches only this program, which then stops the rest in one place.

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The registry of running processes. A process outside it was not started by this program and is
/// never touched.
#[derive(Debug, Default)]
pub(crate) struct Live {
    started: Mutex<Started>,
}

#[derive(Debug, Default)]
struct Started {
    groups: BTreeSet<i32>,
    folders: BTreeSet<PathBuf>,
}

impl Live {
    fn lock(&self) -> MutexGuard<'_, Started> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts `command` as the leader of a new process group. The lock is held during the start, so
    /// that a signal handler finds every process either registered or never started.
    pub(crate) fn spawn(self: &Arc<Self>, command: &mut Command) -> Result<Process> {
        let mut started = self.lock();
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        let group = i32::try_from(child.id()).context("a process id beyond 31 bits")?;
        started.groups.insert(group);
        drop(started);
        Ok(Process { child, group, live: Arc::clone(self) })
    }

    /// Makes an empty folder that is removed when its guard is dropped, or on a signal. Its path is
    /// short, because a socket path ends at 107 bytes.
    pub(crate) fn folder(self: &Arc<Self>) -> Result<Folder> {
        let mut base = std::env::temp_dir();
        if base.as_os_str().len() > 60 {
            base = PathBuf::from("/tmp");
        }
        Ok(self.adopt(tempfile::Builder::new().prefix("rip").rand_bytes(5).tempdir_in(base)?))
    }

    /// Takes over a folder that was made elsewhere.
    pub(crate) fn adopt(self: &Arc<Self>, made: tempfile::TempDir) -> Folder {
        self.lock().folders.insert(made.path().to_owned());
        Folder { made, live: Arc::clone(self) }
    }
}

/// A running process with its group; dropping it kills the group and reaps the process.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: i32,
    live: Arc<Live>,
}

impl Process {
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the process to end. Children that it leaves behind are killed when the guard is
    /// dropped.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        Ok(self.child.wait()?)
    }

    /// Returns the process group, for a caller that must end it at a deadline.
    pub(crate) fn group(&self) -> i32 {
        self.group
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill_group(self.group);
        // The wait cannot hang: the process was just killed, or has already been waited for.
        drop(self.child.wait());
        self.live.lock().groups.remove(&self.group);
    }
}

/// A folder that is removed when its guard is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    made: tempfile::TempDir,
    live: Arc<Live>,
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        self.made.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.live.lock().folders.remove(self.made.path());
    }
}

/// Kills a process group. A group that no longer exists is no error.
pub(crate) fn kill_group(group: i32) {
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
}

/// Installs a handler for SIGINT, SIGTERM and SIGHUP: it kills every group, removes every folder
/// and exits with 130. The killed processes hold nothing of value, so there is no graceful stop.
pub(crate) fn stop_on_signals(live: &Arc<Live>) -> Result<()> {
    let live = Arc::clone(live);
    let stop = move || {
        // The lock is held until the exit: a thread that tries to start a process waits here for
        // ever.
        let started = live.lock();
        eprintln!("\nstopping {} process group(s)", started.groups.len());
        for group in &started.groups {
            kill_group(*group);
        }
        for folder in &started.folders {
            drop(std::fs::remove_dir_all(folder));
        }
        std::process::exit(130);
    };
    ctrlc::set_handler(stop).context("cannot handle signals")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn alive(group: i32) -> bool {
        killpg(Pid::from_raw(group), None).is_ok()
    }

    #[test]
    fn a_dropped_process_takes_its_children_along() {
        let live = Arc::new(Live::default());
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo up; wait"]).stdout(Stdio::piped());
        let mut process = live.spawn(&mut command).unwrap();
        let mut line = String::new();
        let out = process.child().stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        let group = process.group();
        assert_eq!(line, "up\n");
        assert!(alive(group));
        drop(process);
        // The grandchild stays a zombie until the machine's init process reaps it, at an unknown
        // time.
        let gone = (0..2000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            !alive(group) || only_zombies(group)
        });
        assert!(gone);
        assert!(live.lock().groups.is_empty());
    }

    /// Returns `true` if a group contains only zombies that wait to be reaped.
    fn only_zombies(group: i32) -> bool {
        let stats = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let fields: Vec<String> = stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect();
            Some((fields[0].clone(), fields[2].parse::<i32>().ok()?))
        });
        stats.into_iter().filter(|(_, of)| *of == group).all(|(state, _)| state == "Z")
    }

    #[test]
    fn a_dropped_folder_is_removed_from_the_disk_and_from_the_registry() {
        let live = Arc::new(Live::default());
        let folder = live.folder().unwrap();
        let path = folder.path().to_owned();
        assert!(path.is_dir() && path.as_os_str().len() < 80);
        drop(folder);
        assert!(!path.exists());
        assert!(live.lock().folders.is_empty());
    }
}
