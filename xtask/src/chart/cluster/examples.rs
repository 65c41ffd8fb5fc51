//! One example: installed, installed again, upgraded, deleted.

use super::api::Api;
use super::namespace;
use crate::chart::example;
use crate::chart::findings::Findings;
use crate::chart::helm::Helm;
use crate::chart::objects::{documents, title, word};
use anyhow::{Result, anyhow, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The values that an upgrade changes: the image and the server's configuration.
pub(super) const UPGRADE: [&str; 3] = [r#"image.tag="9.9.9""#, r#"image.digest="""#, r#"config.log.filter="debug""#];

/// Checks an example in a namespace of its own. Returns the number of its objects.
pub(super) fn check(api: &Api<'_>, helm: &Helm<'_>, name: &str, found: &mut Findings) -> Result<usize> {
    let within = namespace_of(name);
    namespace(api, &within)?;
    let helm = helm.within(&within);
    // Objects come in the order in which helm installs them.
    let objects = documents(&helm.template(&[&example(name)], &[])?)?;
    supposed(api, &objects)?;
    let mut there = BTreeMap::new();
    for object in &objects {
        let applied = api.place(object, &within).and_then(|path| Ok((api.apply(&path, object)?, path)));
        found.judge(format!("{name}, {}", title(object)), applied.map(|(now, path)| drop(there.insert(path, now))));
    }
    for object in &objects {
        found.judge(format!("{name}, {}, applied again", title(object)), unchanged(api, object, &within, &there));
    }
    for object in documents(&helm.template(&[&example(name)], &UPGRADE)?)? {
        let applied = api.place(&object, &within).and_then(|path| Ok((api.apply(&path, &object)?, path)));
        found.judge(
            format!("{name}, {}, upgraded", title(&object)),
            applied.map(|(now, path)| drop(there.insert(path, now))),
        );
    }
    for path in there.keys() {
        found.judge(format!("{name}, {path}, deleted"), api.delete(path));
    }
    Ok(objects.len())
}

/// Returns the namespace of an example.
pub(super) fn namespace_of(name: &str) -> String {
    format!("riposte-{name}")
}

/// Creates the objects that the chart refers to but does not make, as far as the server requires
/// them.
fn supposed(api: &Api<'_>, objects: &[Value]) -> Result<()> {
    let classes = objects.iter().filter_map(|object| object["spec"]["priorityClassName"].as_str());
    for class in classes {
        let object = json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": class}, "value": 1000,
        });
        api.apply(&format!("/apis/scheduling.k8s.io/v1/priorityclasses/{class}"), &object)?;
    }
    Ok(())
}

/// Fails if an object changes when it is applied a second time.
fn unchanged(api: &Api<'_>, object: &Value, within: &str, there: &BTreeMap<String, Value>) -> Result<()> {
    let path = api.place(object, within)?;
    let first = there.get(&path).ok_or_else(|| anyhow!("it was refused before"))?;
    let now = api.apply(&path, object)?;
    let revision = |of: &Value| word(&of["metadata"]["resourceVersion"]).to_owned();
    let (before, after) = (revision(first), revision(&now));
    ensure!(!before.is_empty() && before == after, "its version was {before:?} and became {after:?}");
    Ok(())
}
