//! The SDKs of all languages: one model made from the contract, and the output of each language's
//! generators and templates.

mod batches;
mod by_hand;
mod checks;
mod handles;
mod language;
mod measured;
mod model;
mod options;
mod parts;
mod plugins;
mod readme;
mod reference;
mod steps;
mod templates;
mod toolchain;

use crate::generate;
use crate::generate::files::Files;
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Result, ensure};
use model::Model;
use std::path::PathBuf;
use std::sync::Arc;
use tonic_prost_build::FileDescriptorSet;
use toolchain::Toolchain;

#[cfg(test)]
pub(crate) use by_hand::lines_of;
pub(crate) use by_hand::{ByHand, count as by_hand};
pub(crate) use language::Language;
pub(crate) use measured::Installed;
pub(crate) use steps::{End, Outcome};
pub(crate) use toolchain::is_marked;

/// The tasks of the SDKs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Sdk {
    /// Print what the templates are rendered with, as JSON: services, reasons, service config,
    /// enums, handles
    Model,
    /// Generate the checked-in code of the SDKs: by buf with local plugins, and by templates over
    /// the model
    Generate {
        /// Change nothing; fail when a generated file differs from what would be written
        #[arg(long)]
        check: bool,
        /// Default: all
        #[arg(value_enum)]
        languages: Vec<Language>,
    },
    /// Build the packages of the SDKs, into target/sdk/LANGUAGE/, and check each as its registry
    /// would
    ///
    /// Nothing is published. Where the tools of a check cannot be fetched, it is SKIPPED.
    Build {
        /// Default: all
        #[arg(value_enum)]
        languages: Vec<Language>,
    },
    /// Build the packages, install them, and run the tests and the list of scenarios with what was
    /// installed
    ///
    /// Needs the built server, or one that RIPOSTE_DEV_BINARY names. The output of each language is
    /// stored in a log next to its packages.
    Test {
        /// Default: all
        #[arg(value_enum)]
        languages: Vec<Language>,
    },
}

/// Runs one task. Returns `false` when the task completed and reported faults.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, what: &Sdk) -> Result<bool> {
    match what {
        Sdk::Model => {
            let public = generate::public(&generate::descriptors(repo, live)?)?;
            println!("{}", serde_json::to_string_pretty(&Model::read(repo, &public)?)?);
        }
        Sdk::Generate { check, languages } => {
            let mut files = Files::default();
            let all = generate::descriptors(repo, live)?;
            let skipped = generate(repo, live, &chosen(languages), &all, &mut files)?;
            files.write_or_check(repo, *check)?;
            skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
        }
        Sdk::Build { languages } => return Ok(report(&steps::build(repo, live, &chosen(languages))?)),
        Sdk::Test { languages } => return Ok(report(&test(repo, live, &chosen(languages))?)),
    }
    Ok(true)
}

/// Writes the software bills of materials of all packages whose SDK has a tool for it.
pub(crate) fn sbom(repo: &Repo, live: &Arc<Live>) -> Result<Vec<Outcome>> {
    steps::sbom(repo, live, &Language::all())
}

/// Builds the SDKs and tests them with the built server.
pub(crate) fn test(repo: &Repo, live: &Arc<Live>, languages: &[Language]) -> Result<Vec<Outcome>> {
    let named = std::env::var_os("RIPOSTE_DEV_BINARY").map(PathBuf::from);
    let server = std::path::absolute(named.unwrap_or_else(|| repo.server_binary()))?;
    ensure!(server.is_file(), "{} is not there: run `cargo build --release`", server.display());
    steps::test(repo, live, languages, &server)
}

/// Writes the outcomes to standard output. Returns `true` if none failed.
fn report(outcomes: &[Outcome]) -> bool {
    outcomes.iter().for_each(|outcome| println!("{outcome}"));
    outcomes.iter().all(|outcome| !outcome.failed())
}

fn chosen(languages: &[Language]) -> Vec<Language> {
    if languages.is_empty() { Language::all() } else { languages.to_vec() }
}

/// Adds the generated files of these languages. Returns the languages left out because this machine
/// cannot run their generators, each with its reason.
pub(crate) fn generate(
    repo: &Repo,
    live: &Arc<Live>,
    languages: &[Language],
    all: &FileDescriptorSet,
    files: &mut Files,
) -> Result<Vec<String>> {
    let public = generate::public(all)?;
    let model = Model::read(repo, &public)?;
    readme::add(repo, files)?;
    reference::add(repo, &public, files)?;
    let mut skipped = Vec::new();
    for language in languages {
        let Some(toolchain) = Toolchain::read(repo, *language)? else { continue };
        if let Some(program) = toolchain.missing() {
            skipped.push(format!("SDK for {}: this machine has no {program}", language.name()));
            continue;
        }
        if *language == Language::Rust {
            generate::add_rust(repo, &public, &generate::outside(all)?, files)?;
        }
        plugins::add(repo, live, &toolchain, files)?;
        templates::add(repo, &toolchain, &model, files)?;
        files.only(toolchain.generated(repo)?);
    }
    Ok(skipped)
}
