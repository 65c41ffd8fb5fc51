//! vtcombo, which is all servers of Vitess in one process, built from its Go module: no package
//! registry has the program.

use super::on_path;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// The version of the module, and as the program shows it.
const MODULE_VERSION: &str = "0.24.4";
pub(crate) const VITESS: &str = "24.0.4";
const PACKAGE: &str = "vitess.io/vitess/go/cmd/vtcombo";
/// The main module of Vitess leaves this version out, which `go install` refuses; here it is left
/// out by a module of our own.
const LEFT_OUT: &str = "github.com/DataDog/opentelemetry-mapping-go/pkg/otlp/attributes@v0.33.0";

/// Returns vtcombo. Its build takes some minutes of CPU and two gigabytes of Go's caches.
pub(crate) fn vtcombo(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let folder = repo.tools("vitess");
    let program = folder.join("bin/vtcombo");
    let version = output_of(Command::new(&program).arg("--version")).unwrap_or_default();
    if version.contains(VITESS) {
        return Ok(program);
    }
    on_path("go").context("go, 1.26.4 or later, is needed to build Vitess")?;
    std::fs::create_dir_all(&folder)?;
    let go = |arguments: &[&str]| {
        let mut go = repo.command("go");
        go.current_dir(&folder).args(arguments);
        run(live, &mut go)
    };
    if !folder.join("go.mod").is_file() {
        go(&["mod", "init", "tools"])?;
    }
    go(&["mod", "edit", &format!("-exclude={LEFT_OUT}")])?;
    go(&["get", "-tool", &format!("{PACKAGE}@v{MODULE_VERSION}")])?;
    go(&["build", "-o", "bin/", "-ldflags=-s -w", PACKAGE])?;
    Ok(program)
}
