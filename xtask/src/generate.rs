//! Generation of the server's checked-in files: its internal messages from proto/, its instruments
//! from server/telemetry, the tables and the dispatch of its methods from
//! proto/riposte/v1/methods.yaml, and the schema from migrations/steps.

mod configure;
pub(crate) mod contract;
pub(crate) mod files;
pub(crate) mod methods;
mod migrations;
mod name_words;
pub(crate) mod rules;
mod rust;
mod telemetry;

use crate::live::Live;
use crate::repo::Repo;
use crate::tools;
use anyhow::{Context, Result, ensure};
use files::Files;
use prost::Message;
use prost_types::FileDescriptorProto;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use tonic_prost_build::FileDescriptorSet;

pub(crate) use name_words::words;
pub(crate) use rust::add as add_rust;

const PUBLIC: &str = "riposte.v1";
/// The contracts of the services that the platform calls and other teams implement.
const OUTSIDE: [&str; 2] = ["riposte.filter.v1", "riposte.account.v1"];
const INTERNAL: &str = "riposte.internal.v1";
/// The reader of each internal file, as a folder and a module: each has only its own messages.
const READERS: [(&str, &str, &str); 5] = [
    ("page_token.proto", "server/grpc/src/generated", INTERNAL),
    ("outbox.proto", "server/store/src/sql/row/generated", INTERNAL),
    ("content_extra.proto", "server/store/src/sql/row/generated", "content_extra"),
    ("subject_policy.proto", "server/store/src/sql/row/generated", "subject_policy"),
    ("rule_hits.proto", "server/store/src/sql/row/generated", "rule_hits"),
];

/// Adds the files of the server, and the pages about it.
pub(crate) fn add_server(repo: &Repo, all: &FileDescriptorSet, files: &mut Files) -> Result<()> {
    for (name, folder, module) in READERS {
        files.add(format!("{folder}/{module}.rs"), messages(all, name)?)?;
    }
    telemetry::add(repo, files)?;
    migrations::add(repo, files)?;
    files.add(configure::PAGE.to_owned(), configure::page(&fs::read_to_string(repo.at(configure::DEFAULTS))?)?)?;
    methods::add(repo, &public(all)?, files)?;
    // A folder may have files of the methods too.
    READERS.iter().for_each(|(_, folder, _)| files.only_in(repo, folder));
    Ok(())
}

/// Returns the files of internal messages that are generated.
pub(crate) fn internal_files() -> impl Iterator<Item = String> {
    READERS.into_iter().map(|(_, folder, module)| format!("{folder}/{module}.rs"))
}

/// Returns the descriptors of proto/ that buf makes, with comments.
pub(crate) fn descriptors(repo: &Repo, live: &Arc<Live>) -> Result<FileDescriptorSet> {
    let buf = tools::buf(repo, live)?;
    let output = repo.command(buf).args(["build", "--output", "-#format=binpb"]).output()?;
    ensure!(output.status.success(), "buf build: {}", String::from_utf8_lossy(&output.stderr).trim());
    FileDescriptorSet::decode(output.stdout.as_slice()).context("buf build wrote no descriptor set")
}

/// Returns the files of the public contract, and the Google files that they import.
pub(crate) fn public(all: &FileDescriptorSet) -> Result<FileDescriptorSet> {
    package(all, PUBLIC)
}

/// Returns the files of the contract of a service that the platform calls.
pub(crate) fn outside(all: &FileDescriptorSet) -> Result<Vec<(&'static str, FileDescriptorSet)>> {
    OUTSIDE.into_iter().map(|name| Ok((name, package(all, name)?))).collect()
}

/// Returns the messages of one internal file.
fn messages(all: &FileDescriptorSet, name: &str) -> Result<Vec<u8>> {
    let mut set = package(all, INTERNAL)?;
    set.file.retain(|file| file.package() != INTERNAL || file.name().ends_with(name));
    let scratch = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .out_dir(scratch.path())
        .emit_rerun_if_changed(false)
        // The maps of a message have one order, so that equal messages are equal bytes.
        .btree_map(".")
        .build_client(false)
        .build_server(false)
        .compile_fds(set)?;
    Ok(fs::read(scratch.path().join(format!("{INTERNAL}.rs")))?)
}

/// Returns the files of one package, and the Google files that they import.
fn package(all: &FileDescriptorSet, name: &str) -> Result<FileDescriptorSet> {
    let own = all.file.iter().filter(|file| file.package() == name);
    let imported: BTreeSet<&String> = own.flat_map(|file| &file.dependency).collect();
    let is_google = |file: &FileDescriptorProto| file.package() == "google.protobuf";
    let wanted = |file: &&FileDescriptorProto| {
        file.package() == name || is_google(file) && imported.iter().any(|path| *path == file.name())
    };
    let file = all.file.iter().filter(wanted).cloned().collect::<Vec<_>>();
    ensure!(file.iter().any(|file| file.package() == name), "proto/ has no package {name}");
    Ok(FileDescriptorSet { file })
}
