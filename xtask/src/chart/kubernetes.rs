//! A check of every object of Kubernetes' own kinds with Kubernetes' own schemas, for the oldest
//! version that the chart supports and for a recent one. The schemas are part of the validator, so
//! the check needs no cluster and no network.

mod types;

use super::custom::is_custom;
use super::findings::Findings;
use super::objects::{Rendered, title};
use crate::live::Live;
use crate::repo::Repo;
use crate::tools;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The Kubernetes version of the renders.
pub(super) const RECENT: &str = "1.34";
/// The checked versions. The first is the one of `kubeVersion` in Chart.yaml.
const VERSIONS: [&str; 2] = ["1.29", RECENT];

/// Checks all examples, with one run of the validator for each.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, examples: &[Rendered], found: &mut Findings) -> Result<()> {
    let chart: Value = yaml_serde::from_str(&fs::read_to_string(repo.at(super::CHART).join("Chart.yaml"))?)?;
    let oldest = chart["kubeVersion"].as_str().is_some_and(|from| from.starts_with(&format!(">={}.", VERSIONS[0])));
    ensure!(oldest, "Chart.yaml takes other versions of Kubernetes than {VERSIONS:?}");
    let validator = match tools::kubernetes_validate(repo, live) {
        Ok(validator) => validator,
        Err(error) => {
            found.skip(format!("Kubernetes' schemas: kubernetes-validate does not come ({error:#})"));
            return Ok(());
        }
    };
    for rendered in examples {
        let folder = live.folder()?;
        let objects: Vec<&Value> = rendered.objects.iter().filter(|object| !is_custom(object)).collect();
        found.judge(format!("{}, Kubernetes {VERSIONS:?}", rendered.name), valid(&validator, folder.path(), &objects));
    }
    let folder = live.folder()?;
    found.judge("Kubernetes' schemas", finds_a_typo(&validator, folder.path(), examples));
    types::check(repo, &tools::kubernetes_definitions(repo, RECENT)?, found)?;
    Ok(())
}

fn valid(validator: &Path, folder: &Path, objects: &[&Value]) -> Result<()> {
    let mut command = Command::new(validator);
    command.args(["--strict", "--quiet"]);
    command.args(VERSIONS.iter().flat_map(|version| ["--kubernetes-version", version]));
    for (number, object) in objects.iter().enumerate() {
        let path = folder.join(format!("{number}.json"));
        fs::write(&path, object.to_string())?;
        command.arg(path);
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // The validator only warns of an unknown kind and continues.
    ensure!(output.status.success() && !text.contains("WARN"), "{}{}", text, String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Checks that the validator finds a misspelt field: one that accepts everything would show
/// nothing.
fn finds_a_typo(validator: &Path, folder: &Path, examples: &[Rendered]) -> Result<()> {
    for object in examples.iter().flat_map(|rendered| rendered.of_kind("Deployment")).take(1) {
        let mut wrong = object.clone();
        wrong["spec"]["template"]["spec"]["terminationGracePeriodSecond"] = Value::from(1);
        ensure!(valid(validator, folder, &[&wrong]).is_err(), "a misspelt field of {} is taken", title(object));
    }
    Ok(())
}
