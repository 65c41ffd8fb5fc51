//! No data crosses from one subject, or one object type, into another.
//!
//! Subjects of several types share their object ids, and members share their ids. Every text names
//! the subject that it was written for, so a row, a content or a like that is stored under a key
//! without the type is found in the first response that shows it.

use super::Findings;
use super::subject_history::SubjectHistory;

/// Finds comments of another subject.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        let subject = op.call.subject();
        for item in op.items() {
            if item.subject != subject {
                findings.add(
                    || format!("a comment of subject {} in a response about {subject}: {item}", item.subject),
                    &[*number],
                );
            }
            if item.text != 0 && item.text_subject != subject {
                findings.add(
                    || format!("a text of subject {} in a response about {subject}: {item}", item.text_subject),
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
        page(item(11, 1)).finds_nothing();
        page(Item { subject: 1, ..item(11, 1) }).finds("isolation", "a comment of subject 1");
        page(Item { text_subject: 1, ..item(11, 1) }).finds("isolation", "a text of subject 1");
    }
}
