//! The profile that the measured programs are built with.

use crate::repo::Repo;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use toml::Value;

/// The settings of the release profile, in one line.
pub(super) fn release(repo: &Repo) -> Result<String> {
    let manifest = std::fs::read_to_string(repo.at("Cargo.toml")).context("cannot read Cargo.toml")?;
    let text =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    describe(&manifest, text)
}

fn describe(manifest: &str, variables: impl Iterator<Item = (String, String)>) -> Result<String> {
    let manifest: Value = toml::from_str(manifest)?;
    let profile = manifest.get("profile").and_then(|profiles| profiles.get("release")?.as_table());
    let own = profile.into_iter().flatten().filter(|(_, value)| !value.is_table());
    // The setting with the largest effect on speed is listed even where cargo's default applies.
    let mut settings = BTreeMap::from([("lto".to_owned(), "false".to_owned())]);
    settings.extend(own.map(|(name, value)| (name.clone(), value.to_string())));
    // Cargo lets the environment override the manifest.
    settings.extend(variables.filter_map(|(name, value)| {
        Some((name.strip_prefix("CARGO_PROFILE_RELEASE_")?.to_lowercase().replace('_', "-"), value))
    }));
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    Ok(format!("release ({})", settings.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[profile.release]\nstrip = true\n[profile.release.package.xtask]\nopt-level = 0\n";

    #[test]
    fn a_profile_has_an_lto_even_if_the_manifest_sets_none() {
        assert_eq!(describe(MANIFEST, std::iter::empty()).unwrap(), "release (lto = false, strip = true)");
    }

    #[test]
    fn the_environment_overrides_the_manifest() {
        let thin = ("CARGO_PROFILE_RELEASE_LTO".to_owned(), "thin".to_owned());
        assert_eq!(describe(MANIFEST, [thin].into_iter()).unwrap(), "release (lto = thin, strip = true)");
    }
}
