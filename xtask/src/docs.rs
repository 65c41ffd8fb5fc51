//! `cargo xtask docs`: the documentation as a site with search, made by mdBook from the pages that
//! the repository shows.
//!
//! docs/SUMMARY.md is the table of contents. The pages are copied into a folder of their own, with
//! their links rewritten for the site, since pages of the repository also link to files that no
//! page has.

pub(crate) mod markdown;
pub(crate) mod site;

use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use crate::tools::on_path;
use anyhow::{Context, Result};
use site::{SUMMARY, Site};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SETTINGS: &str = "docs/book.toml";

/// The parts of the build that need tools which are not installed with the others.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Check the links of the built site too, with lychee and without a network
    #[arg(long)]
    links: bool,
}

/// Writes the pages of the site, and builds it where mdBook is installed. Returns `true`; a broken
/// page is an error.
pub(crate) fn run_args(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let folder = repo.target().join("docs");
    write_pages(repo, &folder)?;
    let pages = folder.join("src");
    let Some(mdbook) = on_path("mdbook") else {
        println!(
            "SKIPPED the site: mdbook is not installed (cargo install mdbook). Its pages are in {}",
            pages.display()
        );
        return Ok(true);
    };
    run(live, repo.command(mdbook).arg("build").arg(&folder))?;
    let site = folder.join("site");
    println!("the site is in {}: open index.html", site.display());
    if args.links {
        check_links(repo, live, &site)?;
    }
    Ok(true)
}

fn check_links(repo: &Repo, live: &Arc<Live>, site: &Path) -> Result<()> {
    let Some(lychee) = on_path("lychee") else {
        println!("SKIPPED the links of the site: lychee is not installed");
        return Ok(());
    };
    let mut lychee = repo.command(lychee);
    lychee.args(["--offline", "--no-progress", "--include-fragments", "--extensions", "html"]);
    // The page of errors links to the root of the site.
    lychee.arg("--root-dir").arg(site).arg(site);
    run(live, &mut lychee)
}

/// Writes the pages with their attachments, the table of contents and the settings of mdBook. What
/// an earlier build left is removed.
fn write_pages(repo: &Repo, folder: &Path) -> Result<()> {
    let files = repo.files()?;
    let summary = read(repo, SUMMARY)?;
    let site = Site::new(&summary, &files);
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).context("an earlier build is in the way");
        }
        Ok(()) | Err(_) => {}
    }
    for page in site.pages() {
        let (text, attachments) = site.page(page, &read(repo, page)?);
        write(&destination(folder, page), text.as_bytes())?;
        for attachment in attachments {
            let bytes = std::fs::read(repo.at(&attachment)).with_context(|| format!("cannot read {attachment}"))?;
            write(&destination(folder, &attachment), &bytes)?;
        }
    }
    let title = |page: &str| {
        let text = read(repo, page).unwrap_or_default();
        text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned()
    };
    write(&folder.join("src/SUMMARY.md"), site.summary(&summary, title).as_bytes())?;
    write(&folder.join("book.toml"), read(repo, SETTINGS)?.as_bytes())
}

fn destination(folder: &Path, path: &str) -> PathBuf {
    folder.join("src").join(site::place(path))
}

fn read(repo: &Repo, path: &str) -> Result<String> {
    std::fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file without a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
