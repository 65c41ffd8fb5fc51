//! The links and the anchors of a Markdown page.

use std::collections::BTreeMap;

/// The beginnings of a link in a page; each is followed by the target up to the closing character.
const OPENINGS: [(&str, char); 3] = [("](", ')'), ("<img src=\"", '"'), ("<a href=\"", '"')];

/// One link to a place in the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLink {
    /// The position of the target in the page, in bytes.
    pub(crate) at: usize,
    /// The target as it is written: path, `#` and anchor.
    pub(crate) target: String,
}

impl PageLink {
    /// Returns the path of the target, empty for the page itself, and its anchor.
    pub(crate) fn parts(&self) -> (&str, Option<&str>) {
        match self.target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (&self.target, None),
        }
    }
}

/// Returns the links of a page in their order, without addresses of other places.
pub(crate) fn links(text: &str) -> Vec<PageLink> {
    let prose = without_code(text);
    let mut found = Vec::new();
    for (opening, closing) in OPENINGS {
        for (at, _) in prose.match_indices(opening) {
            let from = at + opening.len();
            let Some(length) = prose[from..].find([closing, '\n']) else { continue };
            let target = prose[from..from + length].split_whitespace().next().unwrap_or_default();
            if !target.is_empty() && !is_address(target) {
                found.push(PageLink { at: from, target: target.to_owned() });
            }
        }
    }
    found.sort_by_key(|link| link.at);
    found
}

/// Returns `true` for a target with a scheme, such as `https:` or `mailto:`.
fn is_address(target: &str) -> bool {
    let scheme = target.split(':').next().filter(|scheme| scheme.len() < target.len());
    scheme.is_some_and(|scheme| !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Returns the anchors of a page: those of its headings, as GitHub and mdBook derive them, and the
/// ids of its tags.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let prose = without_fences(text);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for heading in prose.lines().filter_map(heading) {
        let slug = slug(heading);
        let count = seen.entry(slug.clone()).or_default();
        found.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    let ids = prose.split(" id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    found.extend(ids.map(|(id, _)| id.to_owned()));
    found
}

/// Returns the text of a heading line.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

/// Returns the anchor of a heading. A link counts as its text.
fn slug(heading: &str) -> String {
    let mut text = heading.to_owned();
    while let Some((from, to)) = text.find("](").and_then(|from| Some((from, from + text[from..].find(')')?))) {
        text.replace_range(from..=to, "");
    }
    let letters = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    letters.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the page with blanks in place of its fenced code and its code spans; positions and lines
/// stay.
fn without_code(text: &str) -> String {
    let text = without_fences(text);
    let mut prose = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(from) = rest.find('`') {
        let ticks = rest[from..].bytes().take_while(|byte| *byte == b'`').count();
        let fence = &rest[from..from + ticks];
        let body = &rest[from + ticks..];
        // A code span ends before the paragraph does.
        let limit = body.find("\n\n").unwrap_or(body.len());
        let Some(length) = span_end(&body[..limit], fence) else {
            prose.push_str(&rest[..from + ticks]);
            rest = body;
            continue;
        };
        prose.push_str(&rest[..from]);
        prose.extend(blanks(&rest[from..from + 2 * ticks + length]));
        rest = &body[length + ticks..];
    }
    prose.push_str(rest);
    prose
}

/// Returns the position of a run of exactly as many backticks.
fn span_end(body: &str, fence: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = body[at..].find('`') {
        let from = at + found;
        let ticks = body[from..].bytes().take_while(|byte| *byte == b'`').count();
        if ticks == fence.len() {
            return Some(from);
        }
        at = from + ticks;
    }
    None
}

fn without_fences(text: &str) -> String {
    let mut open: Option<&str> = None;
    let mut prose = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let begin = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| begin.starts_with(fence));
        let is_code = open.is_some() || fence.is_some();
        open = match (open, fence) {
            (Some(begun), Some(fence)) if begun == fence => None,
            (Some(begun), _) => Some(begun),
            (None, fence) => fence,
        };
        if is_code { prose.extend(blanks(line)) } else { prose.push_str(line) }
    }
    prose
}

/// Returns as many bytes of blanks; line ends stay.
fn blanks(text: &str) -> impl Iterator<Item = char> {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })
}

/// Returns the path that a target names, seen from the folder of a page; `None` outside the
/// repository.
pub(crate) fn resolved(page: &str, path: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        links(text).into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_pictures_and_tags_are_found_and_addresses_are_not() {
        let text =
            "[a](b.md#c) and ![d](e.svg \"title\")\n<img src=\"f.svg\"> [g](https://example.org) [h](mailto:x@y)\n";
        assert_eq!(targets(text), ["b.md#c", "e.svg", "f.svg"]);
        let link = &links(text)[0];
        assert_eq!((&text[link.at..][..6], link.parts()), ("b.md#c", ("b.md", Some("c"))));
    }

    #[test]
    fn code_has_no_links_and_moves_no_position() {
        let text = "`[a](b)` ``x ` [c](d)`` é\n```\n[e](f)\n```\n`unclosed [g](h)\n\n[i`j`](k)\n";
        assert_eq!(targets(text), ["h", "k"]);
        assert!(links(text).iter().all(|link| text[link.at..].starts_with(&link.target)));
    }

    #[test]
    fn a_fence_of_the_other_kind_does_not_end_code() {
        assert_eq!(targets("~~~\n```\n[a](b)\n~~~\n[c](d)\n"), ["d"]);
    }

    #[test]
    fn anchors_follow_from_headings_and_ids() {
        let text =
            "# A `code` heading: it's one\n## [Link](x.md) twice\n## Link twice\n```\n# no\n```\n<a id=\"own\">\n";
        assert_eq!(anchors(text), ["a-code-heading-its-one", "link-twice", "link-twice-1", "own"]);
        assert_eq!(anchors("#no heading\n####### seven\n"), [""; 0]);
    }

    #[test]
    fn a_path_is_resolved_from_the_folder_of_its_page() {
        assert_eq!(resolved("docs/a.md", "b/../c.md").as_deref(), Some("docs/c.md"));
        assert_eq!(resolved("docs/a.md", "../README.md").as_deref(), Some("README.md"));
        assert_eq!(resolved("README.md", "docs/").as_deref(), Some("docs"));
        assert_eq!(resolved("README.md", "../x"), None);
    }
}
