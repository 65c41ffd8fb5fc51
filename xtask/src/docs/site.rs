//! The pages of the site, and the links between them.

use super::markdown::{links, resolved};
use std::collections::BTreeSet;

/// The table of contents: its links are the pages of the site, in order.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";
/// The folder of the pages.
const DOCS: &str = "docs/";
/// The index of the decision records; the records stand below it without lines of their own.
const DECISIONS: &str = "docs/decisions/README.md";
const RECORDS: &str = "docs/decisions/0";
/// The folder of the site for pages that are not in docs/.
const OUTSIDE: &str = "repository/";

/// Returns the pages that the table of contents names.
pub(crate) fn listed(summary: &str) -> Vec<String> {
    links(summary).iter().filter_map(|link| resolved(SUMMARY, link.parts().0)).collect()
}

/// Returns `true` if a file is a decision record.
pub(crate) fn is_record(path: &str) -> bool {
    path.starts_with(RECORDS)
}

/// Returns `true` if the table of contents has to name a file.
pub(crate) fn must_be_listed(path: &str) -> bool {
    path.starts_with(DOCS) && path.ends_with(".md") && path != SUMMARY && !is_record(path)
}

/// The pages of the site and all files of the repository.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pages: BTreeSet<String>,
    files: BTreeSet<&'a str>,
}

impl<'a> Site<'a> {
    pub(super) fn new(summary: &str, files: &'a [String]) -> Self {
        let records = files.iter().filter(|path| is_record(path)).cloned();
        let pages = listed(summary).into_iter().chain(records).collect();
        Self { pages, files: files.iter().map(String::as_str).collect() }
    }

    /// Returns the pages of the site, by their paths in the repository.
    pub(super) fn pages(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(String::as_str)
    }

    /// Returns a page as the site has it, and the other files to which it links. A link to a place
    /// that the site does not have becomes its text.
    pub(super) fn page(&self, path: &str, text: &str) -> (String, Vec<String>) {
        let mut page = String::with_capacity(text.len());
        let (mut copied, mut attachments) = (0, Vec::new());
        for link in links(text) {
            let (target, anchor) = link.parts();
            let Some(found) = self.destination(path, target) else {
                if let Some((from, to)) = enclosing(text, link.at) {
                    page.push_str(&text[copied..from]);
                    page.push_str(&text[from + 1..link.at - 2]);
                    copied = to;
                }
                continue;
            };
            if !self.pages.contains(&found) {
                attachments.push(found.clone());
            }
            page.push_str(&text[copied..link.at]);
            page.push_str(&if target.is_empty() { String::new() } else { relative(&place(path), &place(&found)) });
            page.extend(anchor.into_iter().flat_map(|anchor| ["#", anchor]));
            copied = link.at + link.target.len();
        }
        page.push_str(&text[copied..]);
        (page, attachments)
    }

    /// Returns the page or file to which a link leads. A folder stands for its README.
    fn destination(&self, page: &str, target: &str) -> Option<String> {
        if target.is_empty() {
            return Some(page.to_owned());
        }
        let found = resolved(page, target)?;
        let readme = if found.is_empty() { "README.md".to_owned() } else { format!("{found}/README.md") };
        if self.pages.contains(&readme) {
            return Some(readme);
        }
        let is_attachment = !found.ends_with(".md") && self.files.contains(found.as_str());
        (is_attachment || self.pages.contains(&found)).then_some(found)
    }

    /// Returns the table of contents of the site, with the decision records below their index.
    pub(super) fn summary(&self, summary: &str, title: impl Fn(&str) -> String) -> String {
        let (rewritten, _) = self.page(SUMMARY, summary);
        let index = format!("({})", place(DECISIONS));
        let mut lines = String::new();
        for line in rewritten.lines() {
            lines.push_str(line);
            lines.push('\n');
            if line.contains(&index) {
                let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
                for record in self.pages().filter(|page| is_record(page)) {
                    lines.push_str(&format!("{indent}* [{}]({})\n", title(record), place(record)));
                }
            }
        }
        lines
    }
}

/// Returns the place of a file in the site.
pub(super) fn place(path: &str) -> String {
    path.strip_prefix(DOCS).map_or_else(|| format!("{OUTSIDE}{path}"), str::to_owned)
}

/// Returns the path from one place to another.
fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').collect();
    let folder = &folder[..folder.len() - 1];
    let target: Vec<&str> = to.split('/').collect();
    let shared = std::iter::zip(folder, &target).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - shared);
    up.chain(target[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Returns the range of the Markdown link whose target begins at a position, from its bracket to
/// after its parenthesis.
fn enclosing(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text[..at].strip_suffix("](")?;
    let to = at + text[at..].find(')')? + 1;
    let mut depth = 1;
    for (position, c) in before.char_indices().rev() {
        depth += match c {
            ']' => 1,
            '[' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some((position, to));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENTS: &str = "* [Start](README.md)\n* [Go](../sdk/go/README.md)\n  * [Decisions](decisions/README.md)\n";

    fn files() -> Vec<String> {
        let files = [
            "docs/README.md",
            "docs/decisions/README.md",
            "docs/decisions/0001-a.md",
            "docs/a.svg",
            "sdk/go/README.md",
            "sdk/go/x.go",
            "proto/a.proto",
            "bench/README.md",
        ];
        files.map(str::to_owned).to_vec()
    }

    #[test]
    fn links_between_pages_follow_the_places_of_the_site() {
        let files = files();
        let site = Site::new(CONTENTS, &files);
        let (page, attachments) =
            site.page("docs/README.md", "[a](../sdk/go/#b) ![c](a.svg) [d](#e) [f](decisions/0001-a.md)");
        assert_eq!(page, "[a](repository/sdk/go/README.md#b) ![c](a.svg) [d](#e) [f](decisions/0001-a.md)");
        assert_eq!(attachments, ["docs/a.svg"]);
        let (page, attachments) = site.page("sdk/go/README.md", "[a](x.go) [b](../../docs/README.md)");
        assert_eq!(page, "[a](x.go) [b](../../../README.md)");
        assert_eq!(attachments, ["sdk/go/x.go"]);
    }

    #[test]
    fn a_link_to_a_place_without_a_page_becomes_its_text() {
        let files = files();
        let site = Site::new(CONTENTS, &files);
        let (page, attachments) =
            site.page("docs/README.md", "See [the [`proto`] folder](../proto) and [b](../bench/README.md).");
        assert_eq!(page, "See the [`proto`] folder and b.");
        assert!(attachments.is_empty(), "{attachments:?}");
    }

    #[test]
    fn the_decision_records_stand_below_their_index() {
        let files = files();
        let site = Site::new(CONTENTS, &files);
        let summary = site.summary(CONTENTS, |record| record.to_uppercase());
        let wanted = "* [Start](README.md)\n* [Go](repository/sdk/go/README.md)\n  * [Decisions](decisions/README.md)\n    \
                      * [DOCS/DECISIONS/0001-A.MD](decisions/0001-a.md)\n";
        assert_eq!(summary, wanted);
        assert!(
            must_be_listed("docs/a.md") && !must_be_listed("docs/decisions/0001-a.md") && !must_be_listed("README.md")
        );
    }
}
