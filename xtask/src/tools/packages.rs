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

/// Unpacks packages of Debian's unstable distribution, with all that they need, into a folder. apt
/// fetches and verifies them from the mirror that the machine already uses; the machine's own
/// packages do not change. Perl is left out, which only unused scripts need.
pub(crate) fn unpack_unstable(live: &Arc<Live>, packages: &[&str], folder: &Path) -> Result<()> {
    let mut unpack = Command::new("bash");
    unpack.args(["-euo", "pipefail", "-c", UNPACK_UNSTABLE, "unpack"]).arg(folder).args(packages);
    run(live, &mut unpack).with_context(|| format!("{} do not come from Debian's packages", packages.join(", ")))
}

/// The script that fetches and unpacks the packages of the other arguments in the folder of the
/// first.
const UNPACK_UNSTABLE: &str = r#"
mkdir -p "$1"; ROOT=$(cd "$1" && pwd); shift; W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
mkdir -p "$W"/{state/lists/partial,cache/archives/partial,etc/sources.list.d,dl}
MIRROR=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/*$')
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $MIRROR sid main" > "$W/etc/sources.list"
A=(-o "Dir::State=$W/state" -o Dir::State::status=/dev/null -o "Dir::Cache=$W/cache" -o "Dir::Etc=$W/etc"
   -o "Dir::Etc::sourcelist=$W/etc/sources.list" -o "Dir::Etc::sourceparts=$W/etc/sources.list.d")
apt-get "${A[@]}" -qq update
mapfile -t PACKAGES < <(apt-get "${A[@]}" -qq --print-uris --no-install-recommends install "$@" \
  | awk '{print $2}' | sed 's/_.*//' | grep -vE '^(perl|libperl)')
cd "$W/dl" && apt-get "${A[@]}" -q download "${PACKAGES[@]}" && for d in *.deb; do dpkg-deb -x "$d" "$ROOT"; done
"#;

/// Returns `true` if this process runs as root, by /proc: the owner of the process's own entry is
/// its effective user.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0)
}
