//! Comments of the contract as Markdown.

use std::collections::BTreeSet;

/// Turns the reasons in a text into links.
#[derive(Debug)]
pub(super) struct Linker {
    reasons: BTreeSet<String>,
}

impl Linker {
    /// Creates a linker for these reasons, by their names without prefix.
    pub(super) fn new(reasons: impl IntoIterator<Item = String>) -> Self {
        Self { reasons: reasons.into_iter().collect() }
    }

    /// Returns `true` if the name is a reason.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.reasons.contains(name)
    }

    /// Returns the text with a link for each reason outside of code.
    pub(super) fn linked(&self, text: &str) -> String {
        let parts = text.split('`').enumerate();
        let parts = parts.map(|(number, part)| if number % 2 == 0 { self.plain(part) } else { part.to_owned() });
        parts.collect::<Vec<_>>().join("`")
    }

    fn plain(&self, text: &str) -> String {
        let mut linked = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(in_name) {
            let (before, name) = rest.split_at(at);
            let (name, after) = name.split_at(name.find(|c| !in_name(c)).unwrap_or(name.len()));
            linked += before;
            linked += &if self.knows(name) { link(name) } else { name.to_owned() };
            rest = after;
        }
        linked + rest
    }
}

/// Returns the link to a reason.
pub(super) fn link(reason: &str) -> String {
    format!("[{reason}](errors.md#{})", reason.to_lowercase())
}

/// Returns a text for a table cell, with paragraphs separated by a line break.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace("\n\n", "<br>")
}

/// Returns the parts of a comment: the first paragraph, the following ones, and the example.
pub(super) fn parts(about: &str) -> (String, String, Option<String>) {
    let (mut rest, mut example) = (Vec::new(), None);
    let mut paragraphs = about.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().to_owned();
    for paragraph in paragraphs {
        match paragraph.strip_prefix("Example: ") {
            Some(found) => example = Some(found.to_owned()),
            None => rest.push(paragraph),
        }
    }
    (first, rest.join("\n\n"), example)
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_become_links_outside_of_code() {
        let linker = Linker::new(["INTERNAL".to_owned()]);
        let text = "INTERNAL, NOT_INTERNAL (INTERNAL) and `INTERNAL`.";
        let link = "[INTERNAL](errors.md#internal)";
        assert_eq!(linker.linked(text), format!("{link}, NOT_INTERNAL ({link}) and `INTERNAL`."));
    }

    #[test]
    fn a_comment_falls_into_its_parts() {
        let (first, rest, example) = parts("Does it.\n\nMore.\n\nErrors: A.\n\nExample: `{}`.");
        assert_eq!((first.as_str(), rest.as_str()), ("Does it.", "More.\n\nErrors: A."));
        assert_eq!(example.as_deref(), Some("`{}`."));
        assert_eq!(cell("a|b\n\nc"), "a\\|b<br>c");
    }
}
