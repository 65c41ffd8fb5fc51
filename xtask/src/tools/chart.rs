//! The tools of the chart's checks: helm, promtool, and a validator that includes Kubernetes'
//! schemas.

use super::{by_pip, on_path, packages};
use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const HELM: &str = "3.22.0";
const KUBERNETES_VALIDATE: &str = "1.37.0";
/// The version of jsonschema, on which the validator depends and which determines its findings.
const JSONSCHEMA: &str = "4.26.0";

/// Returns helm 3 if it is on this machine.
pub(crate) fn helm_at_hand(repo: &Repo) -> Option<PathBuf> {
    [Some(repo.tools("bin/helm")), on_path("helm")].into_iter().flatten().find(|program| is_helm(program))
}

/// Returns helm 3, built from its Go module if it is missing: no package registry has its program.
/// The build takes minutes.
pub(crate) fn helm(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    if let Some(found) = helm_at_hand(repo) {
        return Ok(found);
    }
    let bin = repo.tools("bin");
    std::fs::create_dir_all(&bin)?;
    let mut install = repo.command("go");
    install.args(["install", &format!("helm.sh/helm/v3/cmd/helm@v{HELM}")]).env("GOBIN", &bin);
    run(live, &mut install).context("helm is not here, and Go cannot build it")?;
    helm_at_hand(repo).context("Go has not built a helm 3")
}

fn is_helm(program: &Path) -> bool {
    let version = output_of(Command::new(program).args(["version", "--template", "{{.Version}}"]));
    version.is_ok_and(|version| version.starts_with("v3."))
}

/// Returns promtool, unpacked from Debian's package of Prometheus: an installed package would start
/// a service of the machine.
pub(crate) fn promtool(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let ours = repo.tools("prometheus/usr/bin/promtool");
    if let Some(found) = [Some(ours.clone()), on_path("promtool")].into_iter().flatten().find(|path| path.is_file()) {
        return Ok(found);
    }
    packages::unpack(live, "prometheus", &repo.tools("prometheus"))?;
    Ok(ours)
}

/// Returns the server of Prometheus, which the same package has.
pub(crate) fn prometheus(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let ours = repo.tools("prometheus/usr/bin/prometheus");
    if let Some(found) = [Some(ours.clone()), on_path("prometheus")].into_iter().flatten().find(|path| path.is_file()) {
        return Ok(found);
    }
    packages::unpack(live, "prometheus", &repo.tools("prometheus"))?;
    Ok(ours)
}

/// Returns the validator of Kubernetes' objects, from PyPI.
pub(crate) fn kubernetes_validate(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let program = repo.tools("kubernetes/bin/kubernetes-validate");
    let there =
        || output_of(Command::new(&program).arg("--version")).is_ok_and(|output| output.contains(KUBERNETES_VALIDATE));
    if !there() {
        let requirements = [format!("kubernetes-validate=={KUBERNETES_VALIDATE}"), format!("jsonschema=={JSONSCHEMA}")];
        by_pip(repo, live, "kubernetes", &requirements.each_ref().map(String::as_str))?;
    }
    Ok(program)
}

/// Returns the path of the validator's definitions of all types in a version of Kubernetes.
pub(crate) fn kubernetes_definitions(repo: &Repo, version: &str) -> Result<PathBuf> {
    let file = format!("kubernetes_validate/kubernetes-json-schema/v{version}.0-local-strict/_definitions.json");
    // The path contains a folder with the name of Python's version.
    let versions = std::fs::read_dir(repo.tools("kubernetes/lib"))?.flatten();
    let mut files = versions.map(|folder| folder.path().join("site-packages").join(&file));
    files.find(|path| path.is_file()).with_context(|| format!("kubernetes-validate brings no {file}"))
}
