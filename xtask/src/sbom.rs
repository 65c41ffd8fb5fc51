//! Software bills of materials of what ships, in CycloneDX JSON: the server binary and the package
//! of each SDK.
//!
//! The SDKs' own package managers, or the CycloneDX project's tools for them, write theirs: the
//! steps `sbom` in each plugins.toml. Cargo has none, so those of the server and of the crate are
//! written here, from `cargo tree`, which knows the features and the platform, and Cargo.lock,
//! which has the hashes.

mod bill;
mod tree;

use crate::live::Live;
use crate::repo::Repo;
use crate::run::{output_of, run};
use crate::sdk;
use anyhow::{Context, Result, ensure};
use bill::Bill;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree::Tree;

/// The platform whose dependencies count: that of the Dockerfile and of the Debian package.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// The version of CycloneDX's own library, which has the schemas.
const LIBRARY: &str = "cyclonedx-python-lib[json-validation]==11.12.0";
/// Checks each file with the strict schema of the version that it names.
const VALIDATE: &str = "\
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    text = open(path).read()
    bill = json.loads(text)
    fault = JsonStrictValidator(SchemaVersion.from_version(bill['specVersion'])).validate_str(text)
    if fault is not None:
        sys.exit(f'{path}: {fault}')
";

/// The crates of which this module writes a bill: the crate, the kind of its component, and what
/// its features are.
const CRATES: [(&str, &str, &[&str]); 2] =
    [("riposte", "application", &[]), ("riposte-sdk", "library", &["--all-features"])];

/// Writes all bills to target/sbom/ and checks them. Returns `false` if one is missing or invalid.
pub(crate) fn run_all(repo: &Repo, live: &Arc<Live>) -> Result<bool> {
    let folder = repo.target().join("sbom");
    fs::create_dir_all(&folder)?;
    let lock = fs::read_to_string(repo.at("Cargo.lock"))?;
    for (name, kind, features) in CRATES {
        let mut command = repo.clean("cargo");
        command.current_dir(repo.at("")).args(["tree", "--locked", "--package", name, "--target", PLATFORM]);
        command.args(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", tree::FORMAT]).args(features);
        let tree = Tree::parse(&output_of(&mut command)?)?;
        fs::write(folder.join(format!("{name}-cargo.cdx.json")), Bill::of(&tree, kind, &lock)?.to_json()?)?;
    }
    let outcomes = sdk::sbom(repo, live)?;
    outcomes.iter().for_each(|outcome| println!("{outcome}"));
    let mut bills: Vec<PathBuf> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    bills.sort();
    for bill in &bills {
        println!("{}: {} components", bill.display(), components(bill)?);
    }
    match library(repo, live) {
        Ok(python) => {
            let mut command = repo.clean(python);
            command.args(["-c", VALIDATE]).args(&bills);
            run(live, &mut command).context("a bill is not what its schema says")?;
            println!("{} bills are valid", bills.len());
        }
        Err(error) => println!("SKIPPED: the schemas of CycloneDX cannot be fetched: {error:#}"),
    }
    Ok(outcomes.iter().all(|outcome| !outcome.failed()))
}

fn components(bill: &Path) -> Result<usize> {
    let bill: serde_json::Value = serde_json::from_str(&fs::read_to_string(bill)?)?;
    let listed = bill["components"].as_array().map_or(0, Vec::len);
    ensure!(listed > 0, "a bill without components");
    Ok(listed)
}

/// Returns a Python that has the library, installed below .tools/.
fn library(repo: &Repo, live: &Arc<Live>) -> Result<PathBuf> {
    let folder = repo.tools("sbom");
    let python = folder.join("bin/python");
    if !python.is_file() {
        let mut create = repo.clean("python3");
        run(live, create.args(["-m", "venv"]).arg(&folder))?;
    }
    let mut install = repo.clean(&python);
    run(live, install.args(["-m", "pip", "install", "--quiet", LIBRARY]))?;
    Ok(python)
}
