//! Packages of the system, by apt.

use crate::live::Live;
use crate::run::run;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Installs packages. It needs root on a Debian-like machine; otherwise its error lists the
/// packages to install.
pub(crate) fn install(live: &Arc<Live>, packages: &[&str]) -> Result<()> {
    if !is_root() || super::on_path("apt-get").is_none() {
        bail!("missing here: {}. As root: apt-get install --no-install-recommends {0}", packages.join(" "));
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    // A fresh machine has no package lists, and one in use has old ones: the first attempt fails on
    // both, and succeeds after the update.
    if run(live, &mut install).is_ok() {
        return Ok(());
    }
    run(live, Command::new("apt-get").args(["update", "-qq"]))?;
    run(live, &mut install)
}

/// Unpacks a package into a folder. An installed package would start a service of the machine.
pub(super) fn unpack(live: &Arc<Live>, package: &str, folder: &Path) -> Result<()> {
    let mut unpack = Command::new("bash");
    unpack.args(["-euo", "pipefail", "-c", UNPACK, "unpack"]).arg(folder).arg(package);
    run(live, &mut unpack).with_context(|| format!("{package} does not come from Debian's packages"))
}

/// The script that unpacks the package of the second argument into the folder of the first. A
/// machine in use may have old package lists.
const UNPACK: &str = r#"
mkdir -p "$1"; ROOT=$(cd "$1" && pwd); W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; cd "$W"
apt-get -qq download "$2" || { apt-get -qq update; apt-get -qq download "$2"; }
dpkg-deb -x "$2"_*.deb "$ROOT"
"#;

/// Returns `true` if this process runs as root, by /proc: the owner of the process's own entry is
/// its effective user.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0)
}
