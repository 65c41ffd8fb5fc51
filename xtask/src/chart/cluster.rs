//! The chart on a real API server: every example is installed by server-side apply, installed again, which must change
//! nothing, upgraded, and deleted; then the same by helm itself. No controller and no node is there: what is shown is what the server checks.

mod api;
mod examples;
mod kinds;
mod made;
mod release;

use super::examples_of;
use super::findings::Findings;
use super::helm::Helm;
use crate::live::Live;
use crate::repo::Repo;
use crate::{servers, tools};
use anyhow::{Result, ensure};
use api::Api;
use serde_json::{Value, json};
use std::sync::Arc;

/// Checks all examples; what was found, and on what.
///
/// # Errors
/// When the server or helm does not come or does not run.
pub(crate) fn check(repo: &Repo, live: &Arc<Live>) -> Result<(Findings, String)> {
    let helm = Helm::new(repo, tools::helm(repo, live)?);
    let kube = servers::start_kube(repo, live)?;
    let api = Api::new(&kube);
    let mut found = Findings::default();
    let defined = kinds::define(repo, &api, &mut found)?;
    found.judge("the server's own checks", finds_faults(&api));
    let mut objects = 0;
    for name in examples_of(repo)? {
        objects += examples::check(&api, &helm, &name, &mut found)?;
        found.judge(format!("{name}, by helm"), release::check(&helm, &kube, &name));
    }
    Ok((found, format!("{objects} objects on Kubernetes {}; {defined}", kube.version()?)))
}

/// A namespace whose pods must keep to the restricted standard.
fn namespace(api: &Api<'_>, name: &str) -> Result<()> {
    let labels = json!({
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
    });
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
    api.apply(&format!("/api/v1/namespaces/{name}"), &object)?;
    // A controller would make it, and pods that name no account get it.
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}});
    api.apply(&format!("/api/v1/namespaces/{name}/serviceaccounts/default"), &account).map(drop)
}

/// A server that takes everything shows nothing: a misspelt field, a port that is none, and a pod with all rights must be
/// refused.
fn finds_faults(api: &Api<'_>) -> Result<()> {
    namespace(api, "faults")?;
    let object =
        |kind: &str, spec: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, "spec": spec});
    for (object, why) in [
        (object("Service", json!({"ports": [{"port": 1}], "selectors": {}})), "selectors"),
        (object("Service", json!({"ports": [{"port": 70_000}]})), "65535"),
        (object("Pod", json!({"containers": [{"name": "x", "image": "x"}]})), "violates PodSecurity"),
    ] {
        let told = match api.place(&object, "faults").and_then(|path| api.apply(&path, &object)) {
            Ok(_) => "it is taken".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        ensure!(told.contains(why), "{object} should be refused for {why:?}: {told}");
    }
    Ok(())
}
