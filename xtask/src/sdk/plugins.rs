//! Code generation by buf with the local plugins of a language.

use super::toolchain::{Plugin, Toolchain};
use crate::generate::files::Files;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use crate::tools;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The public parts of proto/: the contract of the platform, and those of the services that it
/// calls.
const PUBLIC: [&str; 3] = ["proto/riposte/v1", "proto/riposte/filter/v1", "proto/riposte/account/v1"];

/// Adds buf's output for the SDK's buf.gen.yaml. An SDK without plugins has none.
pub(super) fn add(repo: &Repo, live: &Arc<Live>, toolchain: &Toolchain, files: &mut Files) -> Result<()> {
    if toolchain.plugins().is_empty() {
        return Ok(());
    }
    for (number, plugin) in toolchain.plugins().iter().enumerate() {
        let before = &toolchain.plugins()[..number];
        install(repo, live, toolchain, plugin, before).with_context(|| plugin.name.clone())?;
    }
    let template = format!("{}/buf.gen.yaml", toolchain.folder());
    let scratch = tempfile::tempdir()?;
    let mut buf = repo.command(tools::buf(repo, live)?);
    buf.args(["generate", "--template", &template]);
    buf.args(PUBLIC.iter().flat_map(|path| ["--path", path]));
    buf.arg("--output").arg(scratch.path());
    buf.env("PATH", toolchain.path()?);
    run(live, &mut buf)?;
    collect(scratch.path(), &toolchain.folder(), files)
}

/// Adds every file below a folder under the name of another folder.
fn collect(folder: &Path, name: &str, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.add(name, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// Installs a program unless the same command has installed it in an earlier run or for an earlier
/// plugin.
fn install(repo: &Repo, live: &Arc<Live>, toolchain: &Toolchain, plugin: &Plugin, before: &[Plugin]) -> Result<()> {
    fs::create_dir_all(&toolchain.dir)?;
    let installed_by = toolchain.dir.join(format!("{}.installed-by", plugin.name));
    let wanted = plugin.install.join(" ");
    if fs::read_to_string(&installed_by).is_ok_and(|found| found == wanted) && toolchain.has(&plugin.name) {
        return Ok(());
    }
    if !before.iter().any(|other| other.install == plugin.install) {
        let mut command = toolchain.command(repo, &plugin.install)?;
        run(live, command.env("GOBIN", toolchain.dir.join("bin")))?;
    }
    ensure!(toolchain.has(&plugin.name), "it is not in {} after its installation", toolchain.dir.display());
    Ok(fs::write(installed_by, wanted)?)
}
