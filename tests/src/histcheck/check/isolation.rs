//! No data crosses from one subject, or one object type, into another.
//!
//! Subjects of several types share their object ids, and members share their ids. Every text names
//! the subject it was written for, so a row, a content or a like stored under a key without its
//! type is found in the first response that shows it.

use super::Found;
use super::fixture::Fixture;

/// Finds comments of another subject.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        let op = fixture.op(*number);
        let asked = op.call.subject();
        for item in op.items() {
            if item.subject != asked {
                found.add(
                    || format!("a comment of subject {} in an answer about {asked}: {item}", item.subject),
                    &[*number],
                );
            }
            if item.text != 0 && item.marked != asked {
                found.add(
                    || format!("a text of subject {} in an answer about {asked}: {item}", item.marked),
                    &[*number],
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item};
    use crate::histcheck::history::{Item, Sort};

    #[test]
    fn a_row_and_a_text_of_another_subject_are_found() {
        let page = |item: Item| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1).page(2, Sort::Oldest, 1, &[item]);
            sample_history
        };
        page(item(11, 1)).has_none();
        page(Item { subject: 1, ..item(11, 1) }).has("isolation", "a comment of subject 1");
        page(Item { marked: 1, ..item(11, 1) }).has("isolation", "a text of subject 1");
    }
}
