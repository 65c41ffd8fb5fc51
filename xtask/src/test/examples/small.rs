//! The examples without a page: JSON alone, each with tests of its own on a real server.

use crate::maven;
use crate::run::{output_of, run};
use crate::test::Run;
use crate::tools;
use anyhow::Result;
use std::fs;
use std::path::PathBuf;

/// Tests an example. Returns the reason of a skip.
type Test = fn(&Run<'_>) -> Result<Option<String>>;

/// The examples by their folders.
pub(super) const ALL: [(&str, Test); 3] = [("fastify", fastify), ("spring-boot", spring_boot), ("axum", axum)];

/// Tests the TypeScript back end with the package of the SDK that the step `sdk` has built.
fn fastify(at: &Run<'_>) -> Result<Option<String>> {
    let package = at.repo.target().join(concat!("sdk/typescript/riposte-sdk-", env!("CARGO_PKG_VERSION"), ".tgz"));
    if tools::on_path("npm").is_none() {
        return Ok(Some("npm is missing".into()));
    }
    if !package.is_file() {
        return Ok(Some("the step sdk has not built its package".into()));
    }
    let folder = copied(at, "fastify", ("../../sdk/typescript", &package.display().to_string()))?;
    for arguments in [&["install", "--silent", "--no-audit", "--no-fund"][..], &["run", "build"], &["test"]] {
        let mut npm = at.repo.clean("npm");
        npm.args(arguments).current_dir(&folder).env("RIPOSTE_DEV_BINARY", at.repo.server_binary());
        run(at.live, &mut npm)?;
    }
    Ok(None)
}

/// Tests the Java back end with the artefacts that the step `sdk` has built, in the local
/// repository of that step's tests.
fn spring_boot(at: &Run<'_>) -> Result<Option<String>> {
    let artefacts = at.repo.target().join("sdk/java/dev");
    if let Some(missing) = ["java", "mvn"].into_iter().find(|program| tools::on_path(program).is_none()) {
        return Ok(Some(format!("{missing} is missing")));
    }
    if !artefacts.is_dir() {
        return Ok(Some("the step sdk has not built its artefacts".into()));
    }
    let repository = at.repo.tools("sdk/java/repository");
    drop(fs::remove_dir_all(repository.join("dev/riposte")));
    fs::create_dir_all(&repository)?;
    output_of(at.repo.command("cp").arg("-r").arg(&artefacts).arg(&repository))?;
    let mut mvn = at.repo.clean("mvn");
    mvn.args(["--batch-mode", "--no-transfer-progress", "test"]);
    mvn.arg(format!("-Dmaven.repo.local={}", repository.display()));
    mvn.arg(format!("-Dinto={}", at.repo.target().join("examples/spring-boot").display()));
    mvn.arg(concat!("-Driposte.version=", env!("CARGO_PKG_VERSION")));
    mvn.current_dir(at.repo.at("examples/spring-boot")).env("RIPOSTE_DEV_BINARY", at.repo.server_binary());
    maven::run_or_offline(at.live, &mut mvn)
}

/// Tests the Rust back end with the SDK of this working tree. It begins with the versions of the
/// workspace and shares the build directory of the SDK's tests, which saves most of the compiling.
fn axum(at: &Run<'_>) -> Result<Option<String>> {
    let folder = copied(at, "axum", ("../../sdk/rust", &at.repo.at("sdk/rust").display().to_string()))?;
    if !folder.join("Cargo.lock").is_file() {
        fs::copy(at.repo.at("Cargo.lock"), folder.join("Cargo.lock"))?;
    }
    let cargo = |arguments: &[&str]| {
        let mut cargo = at.repo.cargo(arguments);
        cargo.current_dir(&folder).env("CARGO_TARGET_DIR", at.repo.tools("sdk/rust/target"));
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("RIPOSTE_DEV_BINARY", at.repo.server_binary());
        cargo
    };
    if let Err(error) = output_of(&mut cargo(&["fetch"])) {
        return Ok(Some(format!("its crates cannot be fetched: {error:#}")));
    }
    run(at.live, &mut cargo(&["test", "--offline"])).map(|()| None)
}

/// Writes the files of an example to a folder below the build directory, with one path replaced.
fn copied(at: &Run<'_>, name: &str, (path, by): (&str, &str)) -> Result<PathBuf> {
    let (from, to) = (format!("examples/{name}/"), at.repo.target().join("examples").join(name));
    for file in at.repo.files()?.iter().filter_map(|file| file.strip_prefix(&from)) {
        let text = fs::read_to_string(at.repo.at(&format!("{from}{file}")))?;
        let copy = to.join(file);
        copy.parent().map(fs::create_dir_all).transpose()?;
        fs::write(copy, text.replace(path, by))?;
    }
    Ok(to)
}
