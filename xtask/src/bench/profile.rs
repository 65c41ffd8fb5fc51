//! The profile that the measured programs are built with.

use crate::repo::Repo;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use toml::Value;

/// The settings of the profile `dist`, with those that it inherits, in one line.
pub(super) fn dist(repo: &Repo) -> Result<String> {
    let manifest = std::fs::read_to_string(repo.at("Cargo.toml")).context("cannot read Cargo.toml")?;
    let text =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    describe(&manifest, text)
}

fn describe(manifest: &str, variables: impl Iterator<Item = (String, String)>) -> Result<String> {
    let manifest: Value = toml::from_str(manifest)?;
    let variables: Vec<(String, String)> = variables.collect();
    // The setting with the largest effect on speed is listed even where cargo's default applies.
    let mut settings = BTreeMap::from([("lto".to_owned(), "false".to_owned())]);
    for name in ["release", "dist"] {
        let profile = manifest.get("profile").and_then(|profiles| profiles.get(name)?.as_table());
        let own = profile.into_iter().flatten().filter(|(key, value)| !value.is_table() && *key != "inherits");
        settings.extend(own.map(|(key, value)| (key.clone(), value.to_string())));
        // Cargo lets the environment override the manifest.
        let prefix = format!("CARGO_PROFILE_{}_", name.to_uppercase());
        settings.extend(variables.iter().filter_map(|(variable, value)| {
            Some((variable.strip_prefix(&prefix)?.to_lowercase().replace('_', "-"), value.clone()))
        }));
    }
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    Ok(format!("dist ({})", settings.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[profile.release]\nstrip = true\n[profile.release.package.xtask]\nopt-level = 0\n";

    #[test]
    fn a_profile_has_an_lto_even_if_the_manifest_sets_none() {
        assert_eq!(describe(MANIFEST, std::iter::empty()).unwrap(), "dist (lto = false, strip = true)");
    }

    #[test]
    fn the_environment_overrides_the_manifest() {
        let thin = ("CARGO_PROFILE_RELEASE_LTO".to_owned(), "thin".to_owned());
        assert_eq!(describe(MANIFEST, [thin.clone()].into_iter()).unwrap(), "dist (lto = thin, strip = true)");
        let dist = format!("{MANIFEST}[profile.dist]\ninherits = \"release\"\nlto = \"fat\"\n");
        let own = r#"dist (lto = "fat", strip = true)"#;
        assert_eq!(describe(&dist, [thin].into_iter()).unwrap(), own, "the profile itself wins over what it inherits");
        let off = ("CARGO_PROFILE_DIST_LTO".to_owned(), "off".to_owned());
        assert_eq!(describe(&dist, [off].into_iter()).unwrap(), "dist (lto = off, strip = true)");
    }
}
