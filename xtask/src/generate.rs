//! Generates what is checked in from proto/: the SDK's types, clients and servers, the descriptor set for reflection,
//! the deadline and retries of every method, and the internal messages of the server. The build itself needs neither protoc nor
//! buf; whoever changes a .proto file runs `cargo xtask gen`.

mod rules;

use crate::repo::Repo;
use crate::tools::on_path;
use anyhow::{Context, Result, bail, ensure};
use prost::Message;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tonic_prost_build::FileDescriptorSet;

const PUBLIC: &str = "riposte.v1";
const INTERNAL: &str = "riposte.internal.v1";
const SDK: &str = "sdk/rust/src/gen";
/// Who reads which internal file: each has only its own messages.
const READERS: [(&str, &str); 2] =
    [("page_token.proto", "server/src/rpc/gen"), ("outbox.proto", "server/store/src/sql/row/gen")];

/// Writes the generated files that differ and removes those that nothing generates any more; with `check`, changes
/// nothing and fails with their names.
pub(crate) fn run(check: bool) -> Result<()> {
    let repo = Repo::find()?;
    let files = generated(&repo)?;
    let differs = |path: &str, content: &[u8]| fs::read(repo.at(path)).ok().as_deref() != Some(content);
    let changed: Vec<_> = files.iter().filter(|(path, content)| differs(path, content)).collect();
    let folders = READERS.iter().map(|(_, folder)| *folder).chain([SDK]);
    let stale: Vec<_> = folders.flat_map(|folder| leftovers(&repo, folder, &files)).collect();
    let names: Vec<&str> = changed.iter().map(|(path, _)| *path).chain(&stale).map(String::as_str).collect();
    if check {
        let said = "run `cargo xtask gen`: these files are not what proto/ says";
        ensure!(names.is_empty(), "{said}: {}", names.join(", "));
        return Ok(());
    }
    for (path, content) in &changed {
        let path = repo.at(path);
        fs::create_dir_all(path.parent().context("a generated file has no folder")?)?;
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    for path in &stale {
        fs::remove_file(repo.at(path)).with_context(|| format!("cannot remove {path}"))?;
    }
    names.iter().for_each(|name| println!("changed {name}"));
    Ok(())
}

/// The files of a folder of generated code that nothing generates any more.
fn leftovers(repo: &Repo, folder: &str, files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let entries = fs::read_dir(repo.at(folder)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()));
    paths.filter(|path| !files.contains_key(path)).collect()
}

/// All generated files with their content, by their path in the workspace.
fn generated(repo: &Repo) -> Result<BTreeMap<String, Vec<u8>>> {
    let all = descriptors(repo)?;
    let public = package(&all, PUBLIC)?;
    let scratch = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .out_dir(scratch.path())
        .emit_rerun_if_changed(false)
        // The maps of a message keep one order, so that equal messages are equal bytes.
        .btree_map(".")
        .build_transport(false)
        .client_mod_attribute(".", "#[cfg(feature = \"client\")]")
        .server_mod_attribute(".", "#[cfg(feature = \"server\")]")
        .compile_fds(public.clone())?;
    let code = |package: &str| fs::read(scratch.path().join(format!("{package}.rs")));
    let mut files = BTreeMap::from([
        (format!("{SDK}/{PUBLIC}.rs"), code(PUBLIC)?),
        (format!("{SDK}/{PUBLIC}.descriptors.bin"), reflected(&public).encode_to_vec()),
        (format!("{SDK}/rules.rs"), rules::generate(&repo.at("proto/riposte/v1"), &public)?.into_bytes()),
    ]);
    for (name, folder) in READERS {
        files.insert(format!("{folder}/{INTERNAL}.rs"), messages(&all, name)?);
    }
    Ok(files)
}

/// The messages of one internal file.
fn messages(all: &FileDescriptorSet, name: &str) -> Result<Vec<u8>> {
    let mut set = package(all, INTERNAL)?;
    set.file.retain(|file| file.package() != INTERNAL || file.name().ends_with(name));
    let scratch = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .out_dir(scratch.path())
        .emit_rerun_if_changed(false)
        .build_client(false)
        .build_server(false)
        .compile_fds(set)?;
    Ok(fs::read(scratch.path().join(format!("{INTERNAL}.rs")))?)
}

/// What buf makes of proto/, with comments.
fn descriptors(repo: &Repo) -> Result<FileDescriptorSet> {
    let output = repo.command(buf(repo)?).args(["build", "--output", "-#format=binpb"]).output()?;
    ensure!(output.status.success(), "buf build: {}", String::from_utf8_lossy(&output.stderr).trim());
    FileDescriptorSet::decode(output.stdout.as_slice()).context("buf build wrote no descriptor set")
}

/// The files of one package, and those of google that they import.
fn package(all: &FileDescriptorSet, name: &str) -> Result<FileDescriptorSet> {
    let wanted = |package: &str| package == name || package == "google.protobuf";
    let file = all.file.iter().filter(|file| wanted(file.package())).cloned().collect::<Vec<_>>();
    ensure!(file.iter().any(|file| file.package() == name), "proto/ has no package {name}");
    Ok(FileDescriptorSet { file })
}

/// What reflection needs: no comments, which are two thirds of the bytes.
fn reflected(public: &FileDescriptorSet) -> FileDescriptorSet {
    let mut set = public.clone();
    set.file.iter_mut().for_each(|file| file.source_code_info = None);
    set
}

/// The buf binary: the one named by `BUF`, the one under .tools/, or the one on the path.
fn buf(repo: &Repo) -> Result<PathBuf> {
    let named = std::env::var_os("BUF").map(PathBuf::from);
    let ours = ["buf/bin/buf", "buf-npm/node_modules/.bin/buf"].map(|path| repo.tools(path));
    let mut places = named.into_iter().chain(ours).chain(on_path("buf"));
    match places.find(|path: &PathBuf| Path::is_file(path)) {
        Some(found) => Ok(found),
        None => bail!("no buf found: set BUF, put it on the path, or run `cargo xtask test`, which installs it"),
    }
}
