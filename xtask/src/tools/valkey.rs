//! Valkey 9: that of the machine, or else from Debian's unstable packages, run by their own loader
//! with their own libraries.

use super::{on_path, packages, redis_version};
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The major version that the tests expect.
const MAJOR: &str = "9.";
/// The packages of the server.
const PACKAGES: [&str; 2] = ["valkey-server", "valkey-tools"];

/// Returns a program that runs the server with the arguments of a redis-server, and its version.
pub(crate) fn valkey(repo: &Repo, live: &Arc<Live>) -> Result<(PathBuf, String)> {
    if let Some(program) = on_path("valkey-server") {
        let version = redis_version(&program)?;
        if version.starts_with(MAJOR) {
            return Ok((program, version));
        }
    }
    let root = repo.tools("valkey");
    let program = root.join("valkey-server");
    if !program.is_file() {
        drop(std::fs::remove_dir_all(&root));
        packages::unpack_unstable(live, &PACKAGES, &root)?;
        let libraries = folder_of(&root, "libc.so.6")?;
        let loader = std::fs::read_dir(&libraries)?.flatten().map(|entry| entry.path());
        let is_loader =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux"));
        let loader = loader.into_iter().find(is_loader).context("the packages have no loader")?;
        let server = root.join("usr/bin/valkey-server");
        let script = format!(
            "#!/bin/sh\nexec {} --library-path {} {} \"$@\"\n",
            loader.display(),
            libraries.display(),
            server.display()
        );
        std::fs::write(&program, script)?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    }
    let version = redis_version(&program)?;
    Ok((program, version))
}

/// Returns the folder of the machine's architecture that has a library.
fn folder_of(root: &Path, library: &str) -> Result<PathBuf> {
    let folders = std::fs::read_dir(root.join("usr/lib")).context("the packages have no libraries")?.flatten();
    let mut folders = folders.map(|folder| folder.path()).filter(|folder| folder.join(library).exists());
    folders.next().with_context(|| format!("the packages have no {library}"))
}
