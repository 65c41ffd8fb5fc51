//! Packages of the system, by apt.

use crate::live::Live;
use crate::run::run;
use anyhow::{Result, bail};
use std::process::Command;
use std::sync::Arc;

/// Installs packages; needs root on a Debian-like machine, and says what to install where it has neither.
pub(crate) fn install(live: &Arc<Live>, packages: &[&str]) -> Result<()> {
    if !is_root() || super::on_path("apt-get").is_none() {
        bail!("missing here: {}. As root: apt-get install --no-install-recommends {0}", packages.join(" "));
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    // A fresh machine has no package lists, one in use has old ones: both fail first and succeed after the update.
    if run(live, &mut install).is_ok() {
        return Ok(());
    }
    run(live, Command::new("apt-get").args(["update", "-qq"]))?;
    run(live, &mut install)
}

/// Whether this is root, as /proc says; the owner of our own entry there is our effective user.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0)
}
