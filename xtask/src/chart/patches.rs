//! The chart's value `patches` works on every object: each name that it knows is patched in
//! an example that renders the object.

use super::findings::Findings;
use super::helm::Helm;
use super::objects::{Rendered, documents};
use super::{CHART, example};
use crate::repo::Repo;
use anyhow::{Context, Result, anyhow};
use serde_json::Value;
use std::fs;

/// The text of the rejection for a name whose object an example does not render.
const ABSENT: &str = "render no such object";

/// Tests every name of a patch.
pub(super) fn check(repo: &Repo, helm: &Helm<'_>, examples: &[Rendered], found: &mut Findings) -> Result<()> {
    let schema: Value = serde_json::from_str(&fs::read_to_string(repo.at(CHART).join("values.schema.json"))?)?;
    let names = schema["properties"]["patches"]["properties"].as_object().context("patches has no names")?;
    for name in names.keys() {
        found.judge(format!("patches.{name}"), patched(helm, examples, name));
    }
    Ok(())
}

/// Adds a label to the object and checks that this object and no other has it.
fn patched(helm: &Helm<'_>, examples: &[Rendered], name: &str) -> Result<()> {
    let patch = format!(r#"patches.{name}=[{{"op":"add","path":"/metadata/labels/patched","value":"yes"}}]"#);
    for rendered in examples {
        match helm.template(&[&example(&rendered.name)], &[&patch]) {
            Ok(text) => {
                let has = |object: &&Value| object["metadata"]["labels"]["patched"] == "yes";
                let count = documents(&text)?.iter().filter(has).count();
                return if count == 1 { Ok(()) } else { Err(anyhow!("{count} objects were patched")) };
            }
            Err(error) if error.to_string().contains(ABSENT) => {}
            Err(error) => return Err(error),
        }
    }
    Err(anyhow!("no example renders it"))
}
