//! The tools that the checks need, and their installation. A tool is fetched only if it is missing.
//! Tools that are no system packages are installed under .tools/ and nowhere else. Registries are
//! reached by their own clients with the machine's own settings: this module names no host.

mod chart;
mod documents;
mod kafka;
mod kube;
mod packages;
mod valkey;
mod vitess;

pub(crate) use chart::{helm, helm_at_hand, kubernetes_definitions, kubernetes_validate, prometheus, promtool};
pub(crate) use documents::mdbook_and_lychee;
pub(crate) use kafka::{KAFKA, kafka};
pub(crate) use kube::{curl, etcd, kube_apiserver, module, openssl};
pub(crate) use packages::unpack_unstable;
pub(crate) use valkey::valkey;
pub(crate) use vitess::{VITESS, vtcombo};

use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const BUF: &str = "1.75.0";
const CARGO_DENY: &str = "0.20.2";

/// Makes every tool present, and returns a line with their versions.
pub(crate) fn all(repo: &Repo, live: &Arc<Live>) -> Result<String> {
    rust_components(repo, live)?;
    compilers(live)?;
    let mariadb = mariadb(live)?;
    let redis = redis_version(&redis(repo, live)?)?;
    faketime(live)?;
    buf(repo, live)?;
    cargo_deny(repo, live)?;
    Ok(format!("MariaDB {mariadb}, Redis {redis}, buf {BUF}, cargo-deny {CARGO_DENY}"))
}

/// Installs the tools that compile the Kafka client and its TLS.
fn compilers(live: &Arc<Live>) -> Result<()> {
    let missing: Vec<&str> = ["g++", "make", "perl"].into_iter().filter(|tool| on_path(tool).is_none()).collect();
    if missing.is_empty() { Ok(()) } else { packages::install(live, &missing) }
}

/// Installs MariaDB's server from the system's packages. Returns its version.
pub(crate) fn mariadb(live: &Arc<Live>) -> Result<String> {
    let complete = ["mariadbd", "mariadb-install-db"].iter().all(|program| on_path(program).is_some());
    if !complete {
        packages::install(live, &["mariadb-server-core", "mariadb-client-core"])?;
    }
    let server = on_path("mariadbd").context("mariadbd is still missing after its package was installed")?;
    let output = output_of(Command::new(server).arg("--version"))?;
    let version = output.split_whitespace().skip_while(|word| *word != "Ver").nth(1).unwrap_or("?");
    Ok(version.split('-').next().unwrap_or(version).to_owned())
}

/// Returns redis-server, from the system's packages. Debian's package of that name also starts a
/// service of the machine, so it is not installed: the same program is redis-check-rdb in
/// `redis-tools`, and its behaviour depends on the name under which it is called.
pub(crate) fn redis(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    if let Some(server) = on_path("redis-server") {
        return Ok(server);
    }
    if on_path("redis-check-rdb").is_none() {
        packages::install(live, &["redis-tools"])?;
    }
    let program = on_path("redis-check-rdb").context("Redis is still missing after its package was installed")?;
    let link = repo.tools("bin/redis-server");
    std::fs::create_dir_all(repo.tools("bin"))?;
    if std::fs::read_link(&link).ok().as_ref() != Some(&program) {
        drop(std::fs::remove_file(&link));
        std::os::unix::fs::symlink(program, &link)?;
    }
    redis_version(&link).map(|_| link)
}

fn redis_version(server: &Path) -> Result<String> {
    let output = output_of(Command::new(server).arg("--version"))?;
    let version = output.split_whitespace().find_map(|word| word.strip_prefix("v="));
    version.map(str::to_owned).with_context(|| format!("{} is not a redis-server: {output}", server.display()))
}

/// Installs the library that gives a process a separate clock.
pub(crate) fn faketime(live: &Arc<Live>) -> Result<()> {
    // The library is in the folder of the machine's architecture.
    let folders = std::fs::read_dir("/usr/lib").context("no /usr/lib")?.flatten();
    if folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).any(|library| library.is_file()) {
        return Ok(());
    }
    packages::install(live, &["libfaketime"])
}

/// Installs the tools to step clocks, make disks fail and drop packets.
pub(crate) fn faults(live: &Arc<Live>) -> Result<()> {
    faketime(live)?;
    let programs = [("strace", "strace"), ("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")];
    let missing: BTreeSet<&str> =
        programs.iter().filter(|(program, _)| on_path(program).is_none()).map(|(_, package)| *package).collect();
    if missing.is_empty() { Ok(()) } else { packages::install(live, &missing.into_iter().collect::<Vec<_>>()) }
}

/// Installs rustfmt and clippy of the pinned toolchain.
pub(crate) fn rust_components(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if output_of(&mut repo.cargo(&[subcommand, "--version"])).is_err() {
            run(live, repo.command("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

/// Returns the buf binary that lints the contract: from PyPI, else from npm.
pub(crate) fn buf(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let (python, node) = (repo.tools("buf/bin/buf"), repo.tools("buf-npm/node_modules/.bin/buf"));
    let places = [Some(python.clone()), Some(node.clone()), on_path("buf")];
    if let Some(found) = places.into_iter().flatten().find(|path| says(path, BUF)) {
        return Ok(found);
    }
    match buf_by_pip(repo, live) {
        Ok(()) => Ok(python),
        Err(error) => {
            eprintln!("buf does not come by pip ({error:#}); trying npm");
            let prefix = repo.tools("buf-npm");
            std::fs::create_dir_all(&prefix)?;
            let mut npm = repo.command("npm");
            npm.args(["install", "--silent", "--prefix"]).arg(prefix).arg(format!("@bufbuild/buf@{BUF}"));
            run(live, &mut npm).context("buf comes neither by pip nor by npm")?;
            Ok(node)
        }
    }
}

fn buf_by_pip(repo: &Repo, live: &Arc<Live>) -> Result<()> {
    by_pip(repo, live, "buf", &[&format!("buf-bin=={BUF}")])
}

/// Makes a Python environment under .tools/, and installs packages into it.
fn by_pip(repo: &Repo, live: &Arc<Live>, name: &str, requirements: &[&str]) -> Result<()> {
    let home = python_environment(repo, live, name)?;
    run(live, repo.command(home.join("bin/pip")).args(["install", "--quiet"]).args(requirements))
}

/// Makes an empty Python environment under .tools/. Returns its folder.
pub(crate) fn python_environment(repo: &Repo, live: &Arc<Live>, name: &str) -> Result<PathBuf> {
    let home = repo.tools(name);
    drop(std::fs::remove_dir_all(&home));
    std::fs::create_dir_all(repo.tools(""))?;
    // Debian ships Python without the module that makes environments.
    let mut make = repo.command("python3");
    make.args(["-m", "venv"]).arg(&home);
    if output_of(&mut make).is_err() {
        packages::install(live, &["python3-venv"])?;
        run(live, &mut make)?;
    }
    Ok(home)
}

/// Installs Chromium and its driver from the system's packages, with a font.
pub(crate) fn chromium(live: &Arc<Live>) -> Result<()> {
    if ["chromium", "chromedriver"].iter().all(|program| on_path(program).is_some()) {
        return Ok(());
    }
    packages::install(live, &["chromium", "chromium-driver", "fonts-dejavu-core"])
}

/// Returns cargo-deny, built from source without optimisation: the build takes 40 s on two cores,
/// and the program runs for one second.
pub(crate) fn cargo_deny(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let ours = repo.tools("bin/cargo-deny");
    let places = [Some(ours.clone()), on_path("cargo-deny")];
    if let Some(found) = places.into_iter().flatten().find(|path| says(path, CARGO_DENY)) {
        return Ok(found);
    }
    let mut install = repo.cargo(&["install", "--quiet", "--locked", "--debug", "--root"]);
    install.arg(repo.tools("")).arg(format!("cargo-deny@{CARGO_DENY}"));
    // The build has its own directory: the workspace's would keep its artifacts for ever.
    install.env_remove("CARGO_TARGET_DIR").env("CARGO_PROFILE_DEV_DEBUG", "0");
    run(live, &mut install)?;
    Ok(ours)
}

/// Returns `true` if a program reports this version for `--version`.
fn says(program: &Path, version: &str) -> bool {
    output_of(Command::new(program).arg("--version"))
        .is_ok_and(|output| output.split_whitespace().any(|word| word == version))
}

/// Returns the path of a program. The search includes the folders of system programs, which a
/// shell's path may lack.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(system).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_version_does_not_count() {
        let rustc = on_path("rustc").unwrap();
        assert!(!says(&rustc, "0.0.1"));
        assert!(on_path("no-such-program").is_none());
    }
}
