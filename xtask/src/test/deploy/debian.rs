//! The Debian package: by cargo-deb where it exists, else assembled of the same metadata by
//! dpkg-deb.

use super::Outcome;
use crate::repo::Repo;
use crate::run::output_of;
use crate::test::Run;
use crate::tools;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "server/Cargo.toml";
/// The program as the metadata name it.
const PROGRAM: &str = "target/release/riposte";
/// Files of the package: the program, the service, and its account.
const PACKAGED: [&str; 3] =
    ["/usr/bin/riposte", "/usr/lib/systemd/system/riposte.service", "/usr/lib/sysusers.d/riposte.conf"];

#[derive(Debug, Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    description: String,
    metadata: Metadata,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    deb: DebMetadata,
}

/// The metadata of cargo-deb that this package uses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DebMetadata {
    maintainer: String,
    copyright: String,
    license_file: [String; 2],
    section: String,
    priority: String,
    depends: String,
    extended_description: String,
    maintainer_scripts: String,
    /// The file, its place in the package, and its mode.
    assets: Vec<[String; 3]>,
}

/// Builds the package of the program that was built and checks its files.
pub(super) fn check(at: &Run<'_>) -> Result<Outcome> {
    if tools::on_path("dpkg-deb").is_none() {
        return Ok(Outcome::Skipped("dpkg-deb is missing"));
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("riposte.deb");
    match tools::on_path("cargo-deb") {
        Some(cargo_deb) => {
            let mut build = at.repo.command(cargo_deb);
            build.args(["--package", "riposte", "--no-build", "--no-strip", "--output"]).arg(&path);
            output_of(&mut build)?;
        }
        None => assemble(at.repo, &folder.path().join("tree"), &path)?,
    }
    let contents = output_of(at.repo.command("dpkg-deb").arg("--contents").arg(&path))?;
    for file in PACKAGED {
        ensure!(contents.lines().any(|line| line.ends_with(file)), "{file} is not in the package:\n{contents}");
    }
    let control = output_of(at.repo.command("dpkg-deb").arg("--info").arg(&path))?;
    control.lines().find(|line| line.contains("postinst")).context("the package makes no account of its service")?;
    Ok(Outcome::Passed)
}

/// Makes the package of its metadata.
fn assemble(repo: &Repo, tree: &Path, package: &Path) -> Result<()> {
    let Manifest { package: Package { name, description, metadata: Metadata { deb } } } =
        toml::from_str(&fs::read_to_string(repo.at(MANIFEST))?).context(MANIFEST)?;
    let from = |path: &str| match path {
        PROGRAM => repo.server_binary(),
        path => repo.at("server").join(path),
    };
    for [file, to, mode] in &deb.assets {
        let inside = if to.ends_with('/') {
            Path::new(to).join(Path::new(file).file_name().with_context(|| format!("{file} is no file"))?)
        } else {
            PathBuf::from(to)
        };
        copy(&from(file), &tree.join(inside), mode)?;
    }
    let [license, _lines_left_out] = &deb.license_file;
    let license = fs::read_to_string(from(license))?;
    let document = tree.join(format!("usr/share/doc/{name}/copyright"));
    fs::write(document, format!("Copyright: {}\n\n{license}", deb.copyright))?;
    for script in fs::read_dir(from(&deb.maintainer_scripts))? {
        let script = script?.path();
        let name = script.file_name().context("a script without a name")?;
        copy(&script, &tree.join("DEBIAN").join(name), "755")?;
    }
    let architecture = output_of(repo.command("dpkg").arg("--print-architecture"))?;
    // cargo-deb reads these from the program itself.
    let depends: Vec<&str> = deb.depends.split(", ").filter(|package| *package != "$auto").collect();
    let long: String = deb.extended_description.lines().map(|line| format!(" {}\n", line.trim())).collect();
    let control = format!(
        "Package: {name}\nVersion: 0\nArchitecture: {}\nMaintainer: {}\nSection: {}\nPriority: {}\nDepends: {}\n\
         Description: {description}\n{long}",
        architecture.trim(),
        deb.maintainer,
        deb.section,
        deb.priority,
        depends.join(", "),
    );
    fs::write(tree.join("DEBIAN/control"), control)?;
    output_of(repo.command("dpkg-deb").args(["--root-owner-group", "-Znone", "--build"]).arg(tree).arg(package))?;
    Ok(())
}

/// Puts a file into the tree, with its mode in octal digits.
fn copy(from: &Path, to: &Path, mode: &str) -> Result<()> {
    let folder = to.parent().context("no folder")?;
    fs::create_dir_all(folder)?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    let mode = u32::from_str_radix(mode, 8).with_context(|| format!("the mode {mode}"))?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(mode))?)
}
