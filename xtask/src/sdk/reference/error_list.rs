//! The errors that the comment of a method lists.

use super::text::Linker;
use anyhow::{Result, ensure};

/// The beginning of the list, which ends with its sentence.
const BEGIN: &str = "Errors: ";

/// One error of a list, with its note in the comment: `COMMENT_NOT_FOUND` and `a second delete
/// too`.
pub(super) type ListedError = (String, String);

/// Returns the text without its list of errors, and the list. Fails if the list contains a name
/// that is no reason.
pub(super) fn taken(text: &str, reasons: &Linker) -> Result<(String, Vec<ListedError>)> {
    let Some((before, rest)) = text.split_once(BEGIN) else { return Ok((text.to_owned(), Vec::new())) };
    let (list, after) = rest.split_at(end(rest));
    let mut errors = Vec::new();
    for item in items(list.trim_end_matches('.')) {
        let (name, note) = item.split_once(' ').unwrap_or((item, ""));
        ensure!(reasons.knows(name), "`{name}` is in a list of errors and is not a reason");
        let note = note.strip_prefix('(').and_then(|note| note.strip_suffix(')')).unwrap_or(note);
        errors.push((name.to_owned(), note.to_owned()));
    }
    Ok((format!("{}{after}", before.trim_end()).trim().to_owned(), errors))
}

/// Returns the position after the full stop that ends the sentence.
fn end(text: &str) -> usize {
    let stop = text.find(". ").into_iter().chain(text.find(".\n")).min();
    stop.map_or(text.len(), |stop| stop + 1)
}

/// Returns the parts between commas; commas in brackets do not separate.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(list[start..].trim());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons() -> Linker {
        Linker::new(["A_A".to_owned(), "B".to_owned()])
    }

    #[test]
    fn a_list_is_removed_from_its_text_and_keeps_its_notes() {
        let text = "Pages are alike. Errors: A_A (one, or\ntwo), B with its name. More of it.\n\nExample: `{}`.";
        let (rest, errors) = taken(text, &reasons()).unwrap();
        assert_eq!(rest, "Pages are alike. More of it.\n\nExample: `{}`.");
        let listed = |name: &str, note: &str| (name.to_owned(), note.to_owned());
        assert_eq!(errors, [listed("A_A", "one, or\ntwo"), listed("B", "with its name")]);
        assert_eq!(taken("Errors: B.", &reasons()).unwrap(), (String::new(), vec![listed("B", "")]));
    }

    #[test]
    fn an_unknown_reason_is_an_error_and_a_missing_list_is_not() {
        assert!(taken("Errors: A_A, C.", &reasons()).unwrap_err().to_string().contains("`C`"));
        assert_eq!(taken("Nothing.", &reasons()).unwrap(), ("Nothing.".to_owned(), Vec::new()));
    }
}
