//! The language of the toys: a change of one file, whose position is given by a text of the file
//! and never by the number of a line.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// A change as a toy writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, try_from = "ChangeKeys")]
pub(super) struct Change {
    /// The path of the file. `{next_step}` stands for the number of the next migration step.
    pub(super) file: String,
    pub(super) edit: Edit,
}

/// The effect of a change. An anchor is a text, perhaps of several lines, that the file contains
/// exactly once; its lines are complete, even if the text begins or ends within one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Creates the file.
    Create(String),
    /// Inserts text after the lines of the anchor.
    After { anchor: String, insert: String },
    /// Inserts text before the lines of the anchor.
    Before { anchor: String, insert: String },
    /// Replaces the lines of the anchor.
    Replace { anchor: String, insert: String },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeKeys {
    file: String,
    create: Option<String>,
    after: Option<String>,
    before: Option<String>,
    replace: Option<String>,
    insert: Option<String>,
}

impl TryFrom<ChangeKeys> for Change {
    type Error = String;

    fn try_from(keys: ChangeKeys) -> Result<Self, String> {
        let ChangeKeys { file, create, after, before, replace, insert } = keys;
        let edit = match (create, after, before, replace, insert) {
            (Some(text), None, None, None, None) => Edit::Create(text),
            (None, Some(anchor), None, None, Some(insert)) => Edit::After { anchor, insert },
            (None, None, Some(anchor), None, Some(insert)) => Edit::Before { anchor, insert },
            (None, None, None, Some(anchor), Some(insert)) => Edit::Replace { anchor, insert },
            (Some(_), ..) | (None, ..) => {
                return Err(format!(
                    "{file}: a change has `create`, or one of `after`, `before`, `replace` with `insert`"
                ));
            }
        };
        Ok(Self { file, edit })
    }
}

impl Edit {
    /// Returns the file after the edit; `before` is `None` if it does not exist.
    pub(super) fn apply(&self, before: Option<&str>) -> Result<String> {
        let (anchor, insert) = match self {
            Self::Create(text) => {
                ensure!(before.is_none(), "the file exists already");
                return Ok(text.clone());
            }
            Self::After { anchor, insert } | Self::Before { anchor, insert } | Self::Replace { anchor, insert } => {
                (anchor.trim_matches('\n'), insert.as_str())
            }
        };
        let text = before.context("the file does not exist")?;
        let (from, to) = lines_of(text, anchor)?;
        let end = if insert.is_empty() || insert.ends_with('\n') { "" } else { "\n" };
        let (head, rest) = match self {
            Self::After { .. } => (to, to),
            Self::Before { .. } | Self::Create(_) => (from, from),
            Self::Replace { .. } => (from, to),
        };
        Ok([&text[..head], insert, end, &text[rest..]].concat())
    }
}

/// Returns the range of the complete lines that contain `anchor`.
fn lines_of(text: &str, anchor: &str) -> Result<(usize, usize)> {
    ensure!(!anchor.trim().is_empty(), "the anchor is empty");
    let mut found = text.match_indices(anchor).map(|(at, _)| at);
    let at = match (found.next(), found.count()) {
        (Some(at), 0) => at,
        (None, _) => bail!("the anchor is not in the file: {anchor}"),
        (Some(_), more) => bail!("the anchor is in the file {} times: {anchor}", more + 1),
    };
    let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let last = at + anchor.len();
    let to = text[last..].find('\n').map_or(text.len(), |end| last + end + 1);
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "use a;\n\nfn one() {\n    call();\n}\n\nfn two() {\n    call();\n}\n";

    fn change(keys: &str) -> Result<Change> {
        Ok(toml::from_str(&format!("file = 'a.rs'\n{keys}"))?)
    }

    fn applied(keys: &str) -> Result<String> {
        change(keys)?.edit.apply(Some(TEXT))
    }

    #[test]
    fn text_is_inserted_next_to_the_line_of_its_anchor_or_replaces_it() {
        assert_eq!(
            applied("after = 'use a'\ninsert = 'use b;'").unwrap(),
            TEXT.replace("use a;\n", "use a;\nuse b;\n")
        );
        assert_eq!(applied("before = 'two'\ninsert = 'x'").unwrap(), TEXT.replace("fn two", "x\nfn two"));
        assert_eq!(applied("replace = 'one'\ninsert = 'x'").unwrap(), TEXT.replace("fn one() {\n", "x\n"));
        assert_eq!(applied("replace = 'use a;'\ninsert = ''").unwrap(), TEXT.replace("use a;\n", ""));
    }

    #[test]
    fn an_anchor_of_several_lines_finds_one_of_two_equal_lines() {
        let second = "after = '''\nfn two() {\n    call();\n'''\ninsert = '    more();'";
        assert_eq!(
            applied(second).unwrap(),
            TEXT.replace("call();\n}\n\nfn two() {\n    call();", "call();\n}\n\nfn two() {\n    call();\n    more();")
        );
    }

    #[test]
    fn an_anchor_that_is_not_there_exactly_once_is_an_error_that_shows_it() {
        let error = |keys: &str| applied(keys).unwrap_err().to_string();
        assert_eq!(error("after = 'call()'\ninsert = 'x'"), "the anchor is in the file 2 times: call()");
        assert_eq!(error("before = 'three'\ninsert = 'x'"), "the anchor is not in the file: three");
        assert_eq!(error("before = ''\ninsert = 'x'"), "the anchor is empty");
    }

    #[test]
    fn a_file_is_created_only_where_none_is_and_changed_only_where_one_is() {
        let create = change("create = 'x'").unwrap().edit;
        assert_eq!(create.apply(None).unwrap(), "x");
        assert_eq!(create.apply(Some("")).unwrap_err().to_string(), "the file exists already");
        let change = change("after = 'x'\ninsert = 'y'").unwrap().edit;
        assert_eq!(change.apply(None).unwrap_err().to_string(), "the file does not exist");
    }

    #[test]
    fn a_change_has_one_effect() {
        for keys in
            ["after = 'a'", "create = 'a'\ninsert = 'b'", "insert = 'b'", "after = 'a'\nbefore = 'b'\ninsert = 'c'"]
        {
            assert!(change(keys).unwrap_err().to_string().contains("a.rs: a change has"), "{keys}");
        }
        assert!(change("lines = 3\ncreate = 'a'").unwrap_err().to_string().contains("unknown field"));
    }
}
