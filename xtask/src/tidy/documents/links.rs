//! Links between documents: each leads to a file, a folder or a heading that exists, and the table
//! of contents of the site names every page.

use crate::docs::markdown::{PageLink, anchors, links, resolved};
use crate::docs::site::{SUMMARY, is_record, listed, must_be_listed};
use crate::tidy::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the links of all documents; `files` are all files of the repository.
pub(super) fn check(documents: &BTreeMap<&str, String>, files: &[String], faults: &mut Vec<Violation>) {
    let targets = Targets::of(documents, files);
    for (path, text) in documents {
        for link in links(text) {
            if let Some(what) = targets.fault(path, &link) {
                faults.push(Violation::new(path, line(text, link.at), what));
            }
        }
        if path.starts_with("docs/") && text.contains("{{#") {
            faults.push(Violation::new(path, 0, "`{{#` is expanded by mdBook alone; the repository shows it as it is"));
        }
    }
    contents(documents, faults);
}

/// Checks that the table of contents names every page once, and every page to which one of its
/// pages links.
fn contents(documents: &BTreeMap<&str, String>, faults: &mut Vec<Violation>) {
    let Some(summary) = documents.get(SUMMARY) else { return };
    let listed = listed(summary);
    for path in documents.keys().filter(|path| must_be_listed(path)) {
        let count = listed.iter().filter(|page| page == path).count();
        if count != 1 {
            faults.push(Violation::new(SUMMARY, 0, format!("names {path} {count} times")));
        }
    }
    let pages: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    for (path, text) in documents.iter().filter(|(path, _)| pages.contains(*path) || is_record(path)) {
        for link in links(text) {
            let target = resolved(path, link.parts().0).filter(|_| !link.parts().0.is_empty());
            let is_missing = |target: &String| documents.contains_key(target.as_str()) && !is_record(target);
            if let Some(target) = target.filter(|target| is_missing(target) && !pages.contains(target.as_str())) {
                let what = format!("{target} is no page of the site: {SUMMARY} does not name it");
                faults.push(Violation::new(path, line(text, link.at), what));
            }
        }
    }
}

/// The places to which a link may lead.
#[derive(Debug)]
struct Targets<'a> {
    files: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
    anchors: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Targets<'a> {
    fn of(documents: &'a BTreeMap<&str, String>, files: &'a [String]) -> Self {
        let folders = files.iter().flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at]));
        Self {
            files: files.iter().map(String::as_str).collect(),
            folders: folders.chain([""]).collect(),
            anchors: documents.iter().map(|(path, text)| (*path, anchors(text).into_iter().collect())).collect(),
        }
    }

    /// Returns the fault of a link.
    fn fault(&self, page: &str, link: &PageLink) -> Option<String> {
        let (path, anchor) = link.parts();
        let target = if path.is_empty() { Some(page.to_owned()) } else { resolved(page, path) };
        let Some(target) = target else { return Some(format!("{} is outside the repository", link.target)) };
        let (is_file, is_folder) = (self.files.contains(target.as_str()), self.folders.contains(target.as_str()));
        if !is_file && !is_folder {
            return Some(format!("{} does not exist", link.target));
        }
        let anchor = anchor?;
        let found = self.anchors.get(target.as_str()).is_some_and(|anchors| anchors.contains(anchor));
        (!found).then(|| format!("{target} has no heading `#{anchor}`"))
    }
}

/// Returns the line of a position.
fn line(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(documents: &[(&str, &str)], others: &[&str]) -> Vec<String> {
        let files: Vec<String> =
            documents.iter().map(|(path, _)| path).chain(others).map(|path| (*path).to_owned()).collect();
        let documents = documents.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
        let mut faults = Vec::new();
        check(&documents, &files, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_a_missing_file_and_to_a_missing_heading_is_found() {
        let a = ("a.md", "# A\n[b](docs/b.md#title) [c](docs/c.md)\n[d](docs/b.md#none) [e](#a) [f](../g)\n");
        let faults = found(&[a, ("docs/b.md", "## Title\n")], &[]);
        let wanted = [
            "a.md:2: docs/c.md does not exist",
            "a.md:3: docs/b.md has no heading `#none`",
            "a.md:3: ../g is outside the repository",
        ];
        assert_eq!(faults, wanted);
    }

    #[test]
    fn files_and_folders_are_places_and_files_have_no_headings() {
        let a = ("docs/a.md", "[x](../proto/v1) [y](../proto/v1/x.proto) [z](..) [w](../proto/v1/x.proto#L1)\n");
        assert_eq!(found(&[a], &["proto/v1/x.proto"]), ["docs/a.md:1: proto/v1/x.proto has no heading `#L1`"]);
    }

    #[test]
    fn a_page_without_a_place_in_the_contents_is_found() {
        let summary = (SUMMARY, "* [A](a.md)\n* [A](a.md)\n");
        let a = ("docs/a.md", "# A\n[r](../README.md) [d](decisions/0001-d.md)\n");
        let others = [("docs/b.md", "# B\n"), ("README.md", "# R\n"), ("docs/decisions/0001-d.md", "# D\n")];
        let faults = found(&[&[summary, a], &others[..]].concat(), &[]);
        let wanted = [
            "docs/SUMMARY.md: names docs/a.md 2 times".to_owned(),
            "docs/SUMMARY.md: names docs/b.md 0 times".to_owned(),
            format!("docs/a.md:2: README.md is no page of the site: {SUMMARY} does not name it"),
        ];
        assert_eq!(faults, wanted);
    }

    #[test]
    fn an_include_of_mdbook_is_found() {
        assert_eq!(found(&[("docs/a.md", "{{#include b.md}}\n")], &[]).len(), 1);
        assert_eq!(found(&[("docs/a.md", "a brace is `{{`\n")], &[]).len(), 0);
    }
}
