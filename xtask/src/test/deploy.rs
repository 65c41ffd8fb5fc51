//! The ways to deploy besides the Helm chart: compose.yaml, the systemd unit and the Debian
//! package, each as far as its tools are available.

mod debian;

use super::Run;
use super::summary::Report;
use crate::run::output_of;
use crate::tools;
use anyhow::{Result, ensure};
use std::fs;

const UNIT: &str = "deploy/systemd/riposte.service";
/// The program where the Debian package installs it.
const INSTALLED: &str = "/usr/bin/riposte";

/// The outcome of a check: passed, or skipped for a reason.
enum Outcome {
    Passed,
    Skipped(&'static str),
}

pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let outcomes = [
        ("compose.yaml by the Compose Specification", compose_by_specification(at)),
        ("docker compose config", compose_by_docker(at)),
        ("systemd-analyze verify", unit(at)),
        ("the Debian package", debian::check(at)),
    ];
    let mut report = Report::default();
    for (name, outcome) in outcomes {
        match outcome {
            Ok(Outcome::Passed) => report.passed += 1,
            Ok(Outcome::Skipped(reason)) => report.skipped.push(format!("{name}: {reason}")),
            Err(error) => {
                eprintln!("{name}: {error:#}");
                report.failed += 1;
                report.note = format!("{name}: {error:#}");
            }
        }
    }
    Ok(report)
}

/// Reads the file by the reference implementation, which needs no container engine, and tests that
/// each fault that it checks for is found.
fn compose_by_specification(at: &Run<'_>) -> Result<Outcome> {
    if tools::on_path("go").is_none() {
        return Ok(Outcome::Skipped("Go is missing"));
    }
    let go = |arguments: &[&str]| {
        let mut go = at.repo.command("go");
        go.args(arguments).current_dir(at.repo.at("deploy/check"));
        go
    };
    if output_of(&mut go(&["mod", "download"])).is_err() {
        return Ok(Outcome::Skipped("its Go modules are missing and cannot be fetched"));
    }
    output_of(go(&["run", "."]).arg(at.repo.at("")))?;
    output_of(&mut go(&["test", "-count=1", "."]))?;
    Ok(Outcome::Passed)
}

fn compose_by_docker(at: &Run<'_>) -> Result<Outcome> {
    if output_of(at.repo.command("docker").args(["compose", "version"])).is_err() {
        return Ok(Outcome::Skipped("docker compose is missing"));
    }
    let file = at.repo.at("compose.yaml");
    output_of(at.repo.command("docker").args(["compose", "--file"]).arg(file).args(["config", "--quiet"]))?;
    Ok(Outcome::Passed)
}

/// Verifies the unit with the program that was built, because the installed one need not exist.
fn unit(at: &Run<'_>) -> Result<Outcome> {
    if tools::on_path("systemd-analyze").is_none() {
        return Ok(Outcome::Skipped("systemd-analyze is missing"));
    }
    let text = fs::read_to_string(at.repo.at(UNIT))?;
    let built = at.repo.server_binary().display().to_string();
    let verified = text.replace(&format!("ExecStart={INSTALLED} "), &format!("ExecStart={built} "));
    ensure!(verified != text, "{UNIT} does not start {INSTALLED}");
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("riposte.service");
    fs::write(&path, verified)?;
    output_of(at.repo.command("systemd-analyze").arg("verify").arg(path))?;
    Ok(Outcome::Passed)
}
