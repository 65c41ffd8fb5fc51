//! The reference of the contract: a page for each service, one of the shared messages, one of the
//! error reasons, and an index. The sources are the comments of the protos, the service
//! configurations and sdk/handles.yaml.

mod error_list;
mod page;
mod text;

use super::handles::Listed;
use super::templates;
use crate::generate::contract::Contract;
use crate::generate::files::Files;
use crate::generate::rules::Configured;
use crate::repo::Repo;
use anyhow::{Context, Result};
use minijinja::context;
use page::Pages;
use prost_types::FileDescriptorSet;
use std::fs;

/// The folder of the pages; everything in it is generated.
const FOLDER: &str = "docs/reference/api";
const TEMPLATES: &str = "docs/reference/templates";

/// Adds all pages. Fails if a comment of the contract breaks a convention: every method has an
/// example, and every error that it names is a reason.
pub(super) fn add(repo: &Repo, public: &FileDescriptorSet, files: &mut Files) -> Result<()> {
    let contract = Contract::of(public);
    let (configured, listed) = (Configured::read(repo, &contract)?, Listed::read(repo)?);
    let pages = Pages::of(&contract, &configured, &listed)?;
    for service in &pages.services {
        let page = render(repo, "service.md.j2", context! { service, pages })?;
        files.add(format!("{FOLDER}/{}.md", service.short), page)?;
    }
    for (template, name) in [("index.md.j2", "README"), ("messages.md.j2", "messages"), ("errors.md.j2", "errors")] {
        files.add(format!("{FOLDER}/{name}.md"), render(repo, template, context! { pages })?)?;
    }
    files.only_in(repo, FOLDER);
    Ok(())
}

fn render(repo: &Repo, template: &str, context: minijinja::Value) -> Result<String> {
    let path = format!("{TEMPLATES}/{template}");
    let text = fs::read_to_string(repo.at(&path)).with_context(|| format!("cannot read {path}"))?;
    let rendered = templates::environment().render_named_str(&path, &text, context);
    // The error has the whole chain of causes, which names the line.
    rendered.map_err(|error| anyhow::anyhow!("{error:#}"))
}
