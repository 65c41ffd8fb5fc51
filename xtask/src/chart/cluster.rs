//! The chart on a real API server: every example is installed by server-side apply, installed again
//! (which must change nothing), upgraded and deleted; then helm itself does the same. No controller
//! and no node is running, so the test covers the checks of the API server alone.

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

/// Checks all examples. Returns the findings and a description of the server.
///
/// # Errors
///
/// Fails when the server or helm cannot be fetched or does not run.
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

/// Creates a namespace whose pods must meet the restricted standard.
fn namespace(api: &Api<'_>, name: &str) -> Result<()> {
    let labels = json!({
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
    });
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
    api.apply(&format!("/api/v1/namespaces/{name}"), &object)?;
    // A controller would create this account, which pods get by default.
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}});
    api.apply(&format!("/api/v1/namespaces/{name}/serviceaccounts/default"), &account).map(drop)
}

/// Checks that the server rejects a misspelt field, an invalid port and a pod with all rights. A
/// server that accepts everything would make the other checks meaningless.
fn finds_faults(api: &Api<'_>) -> Result<()> {
    namespace(api, "faults")?;
    let object =
        |kind: &str, spec: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, "spec": spec});
    for (object, reason) in [
        (object("Service", json!({"ports": [{"port": 1}], "selectors": {}})), "selectors"),
        (object("Service", json!({"ports": [{"port": 70_000}]})), "65535"),
        (object("Pod", json!({"containers": [{"name": "x", "image": "x"}]})), "violates PodSecurity"),
    ] {
        let message = match api.place(&object, "faults").and_then(|path| api.apply(&path, &object)) {
            Ok(_) => "it is taken".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        ensure!(message.contains(reason), "{object} should be refused for {reason:?}: {message}");
    }
    Ok(())
}
