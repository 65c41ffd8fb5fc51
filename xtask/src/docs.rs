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
use crate::run::{Last, run, run_observed};
use crate::tools::mdbook_and_lychee;
use anyhow::{Context, Result};
use site::{SUMMARY, Site};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const SETTINGS: &str = "docs/book.toml";

/// Writes the pages of the site, builds it, and checks its links, if the tools can be fetched.
/// Returns `true`; a broken page or link is an error.
pub(crate) fn build(repo: &Repo, live: &Arc<Live>) -> Result<bool> {
    let folder = repo.target().join("docs");
    let pages = write_pages(repo, &folder)?;
    let (mdbook, lychee) = match mdbook_and_lychee(repo, live) {
        Ok(found) => found,
        Err(error) => {
            println!("SKIPPED the site of {pages} pages: {error:#}. They are in {}", folder.join("src").display());
            return Ok(true);
        }
    };
    run(live, repo.command(mdbook).arg("build").arg(&folder))?;
    let site = folder.join("site");
    println!("the site has {pages} pages and is in {}: open index.html", site.display());
    check_links(live, &mut repo.command(lychee), &site)?;
    Ok(true)
}

/// Checks the links of the built site with their anchors, without a network, and shows their
/// number.
fn check_links(live: &Arc<Live>, lychee: &mut Command, site: &Path) -> Result<()> {
    lychee.args(["--offline", "--no-progress", "--include-fragments", "--extensions", "html"]);
    // The page of errors links to the root of the site.
    lychee.arg("--root-dir").arg(site).arg(site);
    let mut last = Last::default();
    let outcome = run_observed(live, lychee, &mut |line| last.keep(line));
    if outcome.is_err() {
        last.show();
    }
    let total = last.take().into_iter().rev().find(|line| line.contains("Total"));
    println!("its links: {}", total.as_deref().unwrap_or("none were counted"));
    outcome
}

/// Writes the pages with their attachments, the table of contents and the settings of mdBook, and
/// returns the number of pages. What an earlier build left is removed.
fn write_pages(repo: &Repo, folder: &Path) -> Result<usize> {
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
    write(&folder.join("book.toml"), read(repo, SETTINGS)?.as_bytes())?;
    Ok(site.pages().count())
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
