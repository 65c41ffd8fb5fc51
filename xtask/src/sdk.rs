//! The SDKs of all languages: one model made from the contract, and what each language's generators and templates make
//! of it.

mod handles;
mod language;
mod model;
mod plugins;
mod templates;
mod toolchain;

use crate::generate;
use crate::generate::files::Files;
use crate::live::Live;
use crate::repo::Repo;
use anyhow::Result;
use model::Model;
use std::sync::Arc;
use tonic_prost_build::FileDescriptorSet;
use toolchain::Toolchain;

pub(crate) use language::Language;

/// What to do with the SDKs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Sdk {
    /// Print what the templates are rendered with, as JSON: services, reasons, service config, enums, handles
    Model,
    /// Generate the checked-in code of the SDKs: by buf with local plugins, and by templates over the model
    Generate {
        /// Change nothing; fail when a generated file differs from what would be written
        #[arg(long)]
        check: bool,
        /// Default: all
        #[arg(value_enum)]
        languages: Vec<Language>,
    },
}

/// Runs one task; `false` when it ran to its end and found faults, which it has then told.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, what: &Sdk) -> Result<bool> {
    let all = generate::descriptors(repo, live)?;
    match what {
        Sdk::Model => {
            let model = Model::read(repo, &generate::public(&all)?)?;
            println!("{}", serde_json::to_string_pretty(&model)?);
        }
        Sdk::Generate { check, languages } => {
            let mut files = Files::default();
            let chosen = if languages.is_empty() { &Language::all() } else { languages.as_slice() };
            let skipped = generate(repo, live, chosen, &all, &mut files)?;
            files.settle(repo, *check)?;
            skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
        }
    }
    Ok(true)
}

/// Adds the generated files of these languages. Returns those left out because this machine cannot run their
/// generators, each with its reason.
pub(crate) fn generate(
    repo: &Repo,
    live: &Arc<Live>,
    languages: &[Language],
    all: &FileDescriptorSet,
    files: &mut Files,
) -> Result<Vec<String>> {
    let public = generate::public(all)?;
    let model = Model::read(repo, &public)?;
    let mut skipped = Vec::new();
    for language in languages {
        let Some(toolchain) = Toolchain::read(repo, *language)? else { continue };
        if let Some(program) = toolchain.missing() {
            skipped.push(format!("{}: this machine has no {program}", language.name()));
            continue;
        }
        if *language == Language::Rust {
            generate::add_rust(repo, &public, files)?;
        }
        plugins::add(repo, live, &toolchain, files)?;
        templates::add(repo, &toolchain, &model, files)?;
        files.only(toolchain.generated(repo)?);
    }
    Ok(skipped)
}
