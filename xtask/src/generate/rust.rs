//! The Rust SDK's types, clients and servers, also those of the services that the platform calls,
//! the descriptor set for reflection, and the rule of every method.

use super::contract::Contract;
use super::files::Files;
use super::{PUBLIC, rules};
use crate::repo::Repo;
use anyhow::Result;
use prost::Message;
use std::fs;
use tonic_prost_build::FileDescriptorSet;

const FOLDER: &str = "sdk/rust/src/gen";

/// Adds the files that the Rust SDK generates from the public contract without a template.
pub(crate) fn add(
    repo: &Repo,
    public: &FileDescriptorSet,
    outside: &[(&str, FileDescriptorSet)],
    files: &mut Files,
) -> Result<()> {
    for (package, set) in outside.iter().map(|(package, set)| (*package, set)).chain([(PUBLIC, public)]) {
        files.add(format!("{FOLDER}/{package}.rs"), types(package, set)?)?;
    }
    files.add(format!("{FOLDER}/{PUBLIC}.descriptors.bin"), reflected(public).encode_to_vec())?;
    let contract = Contract::of(public);
    let rules = rules::generate(&rules::Configured::read(repo, &contract)?, &contract)?;
    files.add(format!("{FOLDER}/rules.rs"), rules)
}

/// Returns the types, clients and servers of one package.
fn types(package: &str, set: &FileDescriptorSet) -> Result<Vec<u8>> {
    let scratch = tempfile::tempdir()?;
    let mut config = tonic_prost_build::Config::new();
    // `to_json` finds a message's descriptor by its name.
    config.enable_type_names();
    tonic_prost_build::configure()
        .out_dir(scratch.path())
        .emit_rerun_if_changed(false)
        // The maps of a message have one order, so that equal messages are equal bytes.
        .btree_map(".")
        .build_transport(false)
        .client_mod_attribute(".", "#[cfg(feature = \"client\")]")
        .server_mod_attribute(".", "#[cfg(feature = \"server\")]")
        .compile_fds_with_config(set.clone(), config)?;
    Ok(fs::read(scratch.path().join(format!("{package}.rs")))?)
}

/// Returns the descriptors for reflection: without comments, which are two thirds of the bytes.
fn reflected(public: &FileDescriptorSet) -> FileDescriptorSet {
    let mut set = public.clone();
    set.file.iter_mut().for_each(|file| file.source_code_info = None);
    set
}
