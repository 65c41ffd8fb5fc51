//! One example as a helm release: installed, upgraded without a change, upgraded with a change, and
//! uninstalled.

use super::examples::{UPGRADE, namespace_of};
use crate::chart::example;
use crate::chart::helm::Helm;
use crate::run::output_of;
use crate::servers::Kube;
use anyhow::{Context, Result};

/// Runs all of these steps. It waits for no rollout, because no node is running.
pub(super) fn check(helm: &Helm<'_>, kube: &Kube, name: &str) -> Result<()> {
    let (helm, values) = (helm.within(&namespace_of(name)), example(name));
    for (verb, sets) in [("install", &UPGRADE[..0]), ("upgrade", &UPGRADE[..0]), ("upgrade", &UPGRADE[..])] {
        let mut command = helm.on_cluster(verb, &kube.kubeconfig());
        command.args(["--values", &values]).args(sets.iter().flat_map(|set| ["--set-json", set]));
        output_of(&mut command).with_context(|| verb.to_owned())?;
    }
    output_of(&mut helm.on_cluster("uninstall", &kube.kubeconfig())).map(drop)
}
