//! The parts of a Kubernetes API server: etcd from Debian's packages, and the server itself from
//! its Go module.

use super::{on_path, packages};
use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The version of the server; its minor version is the one that the chart is rendered for.
const KUBERNETES: &str = "1.34.4";
const MODULE: &str = "k8s.io/kubernetes";
const PACKAGE: &str = "k8s.io/kubernetes/cmd/kube-apiserver";
const BASE: &str = "k8s.io/component-base/version";

/// Returns etcd, unpacked, because Debian's package would start a service of the machine.
pub(crate) fn etcd(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let ours = repo.tools("etcd/usr/bin/etcd");
    if let Some(found) = [Some(ours.clone()), on_path("etcd")].into_iter().flatten().find(|path| path.is_file()) {
        return Ok(found);
    }
    packages::unpack(live, "etcd-server", &repo.tools("etcd"))?;
    Ok(ours)
}

/// Returns curl, which sends requests to the server.
pub(crate) fn curl(live: &Arc<Live>) -> Result<PathBuf> {
    installed(live, "curl")
}

/// Returns openssl, which makes the server's key.
pub(crate) fn openssl(live: &Arc<Live>) -> Result<PathBuf> {
    installed(live, "openssl")
}

/// Returns a program that has the name of its package.
fn installed(live: &Arc<Live>, name: &str) -> Result<PathBuf> {
    if on_path(name).is_none() {
        packages::install(live, &[name])?;
    }
    on_path(name).with_context(|| format!("{name} is still missing after its package was installed"))
}

/// Returns the API server, built from its Go module if it is missing: no package registry has its
/// program. The build takes minutes and some hundred megabytes.
pub(crate) fn kube_apiserver(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let program = repo.tools("kube/kube-apiserver");
    let there =
        || output_of(Command::new(&program).arg("--version")).is_ok_and(|output| output.trim().ends_with(KUBERNETES));
    if !there() {
        let folder = repo.tools("kube");
        fs::create_dir_all(&folder)?;
        let manifest = downloaded(repo, MODULE, KUBERNETES)?;
        let theirs = fs::read_to_string(manifest["GoMod"].as_str().context("go does not say where go.mod is")?)?;
        fs::write(folder.join("go.mod"), manifest_of_a_build(&theirs))?;
        run(live, &mut build(repo, &folder, &program)).context("Go cannot build kube-apiserver")?;
        ensure!(there(), "Go has not built a kube-apiserver {KUBERNETES}");
    }
    Ok(program)
}

/// Returns the folder of a Go module's files at a version, fetched if it is missing.
pub(crate) fn module(repo: &Repo, path: &str, version: &str) -> Result<PathBuf> {
    let output = downloaded(repo, path, version)?;
    Ok(output["Dir"].as_str().with_context(|| format!("go does not say where {path} is"))?.into())
}

fn downloaded(repo: &Repo, path: &str, version: &str) -> Result<Value> {
    let output = output_of(repo.command("go").args(["mod", "download", "-json", &format!("{path}@v{version}")]))?;
    Ok(serde_json::from_str(&output)?)
}

fn build(repo: &Repo, folder: &Path, program: &Path) -> Command {
    let mut build = repo.command("go");
    // The linker sets the version of the program.
    let mut of = KUBERNETES.split('.');
    let (major, minor) = (of.next().unwrap_or_default(), of.next().unwrap_or_default());
    let version = [("gitVersion", format!("v{KUBERNETES}")), ("gitMajor", major.into()), ("gitMinor", minor.into())];
    let words = version.map(|(name, value)| format!(" -X {BASE}.{name}={value}")).concat();
    build.args(["build", "-mod=mod", "-trimpath", "-ldflags", &format!("-s -w{words}"), "-o"]).arg(program);
    build.arg(PACKAGE).current_dir(folder).env("CGO_ENABLED", "0");
    build
}

/// Returns the manifest of a module that builds the Kubernetes module. The latter's own manifest
/// refers to parts in sibling folders that the module does not contain: each of them is also a
/// module, whose version begins with 0 instead of 1.
fn manifest_of_a_build(theirs: &str) -> String {
    let language = theirs.lines().find(|line| line.starts_with("go ")).unwrap_or_default();
    let beside = theirs.lines().filter_map(|line| line.trim().split_once(" => ./staging/"));
    let staged = KUBERNETES.replacen('1', "0", 1);
    let replaced: String = beside.map(|(name, _)| format!("\t{name} => {name} v{staged}\n")).collect();
    format!("module build\n\n{language}\n\nrequire {MODULE} v{KUBERNETES}\n\nreplace (\n{replaced})\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_next_to_the_server_are_modules_of_their_own() {
        let theirs = "module k8s.io/kubernetes\n\ngo 1.24.0\n\nrequire k8s.io/api v0.0.0\n\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\ta.example/b => a.example/c v1.0.0\n)\n";
        let ours = manifest_of_a_build(theirs);
        assert!(ours.contains("\ngo 1.24.0\n") && ours.contains(&format!("require k8s.io/kubernetes v{KUBERNETES}\n")));
        assert!(ours.contains("replace (\n\tk8s.io/api => k8s.io/api v0.") && !ours.contains("a.example"), "{ours}");
    }
}
