//! The rules for every render: restricted pods, and secrets in Secrets only.

use super::findings::Findings;
use super::objects::{Rendered, leaves, title, word};
use anyhow::{Result, anyhow, ensure};
use serde_json::Value;
use std::collections::BTreeSet;

/// Volumes that the restricted pod security standard allows.
pub(super) const VOLUMES: [&str; 8] =
    ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"];
/// Texts that no object but a Secret may contain.
const CANARIES: [&str; 5] = ["mysql://", "redis://", "redis-cluster://", "url", "keys"];

/// Checks one render.
pub(super) fn check(rendered: &Rendered, found: &mut Findings) {
    for (pod, spec) in rendered.pods() {
        found.judge(format!("{}, {pod}", rendered.name), restricted(spec));
    }
    found.judge(format!("{}, secrets", rendered.name), nothing_secret(rendered));
    found.judge(format!("{}, budget", rendered.name), budget(rendered));
    found.judge(format!("{}, calls", rendered.name), calls_find_servers(rendered));
    found.judge(format!("{}, names", rendered.name), distinct(rendered));
}

/// Checks for the restricted pod security standard and a read-only root file system.
fn restricted(spec: &Value) -> Result<()> {
    let of = &spec["securityContext"];
    ensure!(of["runAsNonRoot"] == true && of["runAsUser"].as_u64().is_some_and(|user| user > 0), "it may run as root");
    ensure!(of["seccompProfile"]["type"] == "RuntimeDefault", "it has no seccomp profile");
    ensure!(spec["automountServiceAccountToken"] == false, "it gets a token of the API server");
    for host in ["hostNetwork", "hostPID", "hostIPC"] {
        ensure!(spec.get(host).is_none(), "it has {host}");
    }
    for container in
        ["containers", "initContainers"].iter().flat_map(|list| spec[*list].as_array().into_iter().flatten())
    {
        let of = &container["securityContext"];
        ensure!(of["allowPrivilegeEscalation"] == false, "it may escalate");
        ensure!(of["readOnlyRootFilesystem"] == true, "its root file system can be written to");
        ensure!(of["capabilities"]["drop"] == serde_json::json!(["ALL"]), "it keeps capabilities");
        ensure!(container["resources"]["limits"]["memory"].is_string(), "its memory has no limit");
    }
    for volume in spec["volumes"].as_array().into_iter().flatten() {
        let kinds =
            volume.as_object().into_iter().flatten().map(|(kind, _)| kind.as_str()).filter(|kind| *kind != "name");
        for kind in kinds {
            ensure!(VOLUMES.contains(&kind), "it has a volume of the kind {kind}");
        }
    }
    Ok(())
}

/// Checks that no Secret is made, and that no ConfigMap contains an address with credentials or a
/// secret key of the server.
fn nothing_secret(rendered: &Rendered) -> Result<()> {
    ensure!(rendered.of_kind("Secret").next().is_none(), "the chart makes a Secret");
    for map in rendered.of_kind("ConfigMap") {
        let mut secret = None;
        leaves(&map["data"], "", &mut |path, value| {
            let mut lines = word(value).lines().filter(|line| {
                let key = line.split('=').next().unwrap_or_default().trim();
                CANARIES.iter().any(|canary| key == *canary || canary.ends_with("//") && line.contains(canary))
            });
            secret = secret.take().or_else(|| lines.next().map(|line| format!("{path}: {line}")));
        });
        if let Some(secret) = secret {
            return Err(anyhow!("{} holds a secret at {secret}", title(map)));
        }
    }
    Ok(())
}

/// Checks each Deployment: a single pod has no disruption budget; several pods have one with the
/// same labels.
fn budget(rendered: &Rendered) -> Result<()> {
    for deployment in rendered.of_kind("Deployment") {
        let several = deployment["spec"]["replicas"].as_u64().is_none_or(|count| count > 1);
        let selector = &deployment["spec"]["selector"];
        let has = rendered.of_kind("PodDisruptionBudget").any(|of| of["spec"]["selector"] == *selector);
        ensure!(has == several, "{}: several pods: {several}, a disruption budget: {has}", title(deployment));
    }
    Ok(())
}

/// Checks that calls reach only serving pods: a Service with a port for calls selects no worker.
fn calls_find_servers(rendered: &Rendered) -> Result<()> {
    for service in rendered.of_kind("Service") {
        let ports = service["spec"]["ports"].as_array().into_iter().flatten();
        let mut calls = ports.filter(|port| ["grpc", "grpc-admin"].contains(&word(&port["targetPort"])));
        let component = word(&service["spec"]["selector"]["app.kubernetes.io/component"]);
        ensure!(calls.next().is_none() || component == "server", "{} leads to {component:?}", title(service));
    }
    Ok(())
}

/// Checks that no two objects of a kind share a name.
fn distinct(rendered: &Rendered) -> Result<()> {
    let mut seen = BTreeSet::new();
    for object in &rendered.objects {
        ensure!(seen.insert(title(object)), "{} is there twice", title(object));
        ensure!(word(&object["metadata"]["name"]).len() <= 63, "the name of {} is too long", title(object));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod() -> Value {
        json!({
            "automountServiceAccountToken": false,
            "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [{
                "securityContext": {
                    "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]},
                },
                "resources": {"limits": {"memory": "1Gi"}},
            }],
            "volumes": [{"name": "config", "configMap": {"name": "x"}}],
        })
    }

    #[test]
    fn each_freedom_that_a_pod_must_not_have_is_found() {
        restricted(&pod()).unwrap();
        for (path, value) in [
            ("/securityContext/runAsNonRoot", json!(false)),
            ("/securityContext/runAsUser", json!(0)),
            ("/securityContext/seccompProfile/type", json!("Unconfined")),
            ("/automountServiceAccountToken", json!(true)),
            ("/containers/0/securityContext/allowPrivilegeEscalation", json!(true)),
            ("/containers/0/securityContext/readOnlyRootFilesystem", json!(false)),
            ("/containers/0/securityContext/capabilities/drop", json!([])),
            ("/containers/0/resources/limits", json!({})),
            ("/volumes/0", json!({"name": "root", "hostPath": {"path": "/"}})),
        ] {
            let mut pod = pod();
            *pod.pointer_mut(path).unwrap() = value;
            assert!(restricted(&pod).is_err(), "{path}");
        }
    }

    #[test]
    fn a_deployment_without_its_budget_and_a_service_of_workers_are_found() {
        let labels = |component: &str| json!({"app.kubernetes.io/component": component});
        let of = |kind: &str, component: &str| {
            let spec = json!({"replicas": 2, "selector": {"matchLabels": labels(component)}});
            json!({"kind": kind, "metadata": {"name": component}, "spec": spec})
        };
        let rendered = |objects: Vec<Value>| Rendered { name: "x".into(), objects };
        let pods = vec![of("Deployment", "server"), of("Deployment", "worker"), of("PodDisruptionBudget", "server")];
        assert!(budget(&rendered(pods.clone())).unwrap_err().to_string().contains("Deployment worker"));
        budget(&rendered([pods, vec![of("PodDisruptionBudget", "worker")]].concat())).unwrap();
        let service = |port: &str| {
            let spec = json!({"selector": labels("worker"), "ports": [{"targetPort": port}]});
            rendered(vec![json!({"kind": "Service", "metadata": {"name": "x"}, "spec": spec})])
        };
        calls_find_servers(&service("http-metrics")).unwrap();
        assert!(calls_find_servers(&service("grpc")).is_err());
    }

    #[test]
    fn a_secret_in_a_config_map_is_found() {
        let map = |line: &str| json!({"kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"riposte.toml": line}});
        let rendered = |line: &str| Rendered { name: "x".into(), objects: vec![map(line)] };
        nothing_secret(&rendered("[store]\nkind = \"mysql\"\n")).unwrap();
        for line in ["url = \"x\"", "note = \"mysql://u:p@h/d\"", "keys = [\"abc\"]"] {
            assert!(nothing_secret(&rendered(line)).is_err(), "{line}");
        }
    }
}
