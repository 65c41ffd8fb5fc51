//! The history of a comment has every text that an acknowledged edit replaced, the latest first,
//! and no other text: no history shows what was never written to its comment, and that of a comment
//! that is not visible is not served.

use std::collections::BTreeSet;

use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, HISTORY_PAGE_SIZE, Nanos, Op, Outcome, Property};

/// Finds histories with another comment's text, without one of their own, or of a comment that is
/// not visible, and refused ones of visible comments.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        let Call::History { comment: id, .. } = op.call else { continue };
        // Too little is known of a comment whose create has no response.
        let Some(comment) = history.comment(id) else { continue };
        let violation = if let Outcome::Texts(texts) = &op.outcome {
            shown(history, comment, op, texts)
        } else if let Outcome::Refused(reason) = &op.outcome
            && &**reason == "COMMENT_NOT_FOUND"
        {
            let is_wrong = comment.was_visible(history, op.begun.saturating_sub(MAX_AGE), op.ended);
            is_wrong.then(|| format!("the history of {id}, which is visible, is not found"))
        } else {
            None
        };
        if let Some(description) = violation {
            findings.add(|| description, &comment.explaining_ops(history, *number));
        }
    }
}

/// Returns the violation of a history in a response, if there is one. The visibility of the comment
/// may come from the cache, the texts come from the rows.
fn shown(history: &SubjectHistory<'_>, comment: &Comment, op: &Op, texts: &[(u32, u64)]) -> Option<String> {
    let id = comment.id;
    if !comment.may_have_been(history, true, op.begun.saturating_sub(MAX_AGE), op.ended) {
        return Some(format!("the history of {id}, which is deleted"));
    }
    let is_own = |(subject, text): &&(u32, u64)| *subject == op.call.subject() && was_written(history, comment, *text);
    if let Some((subject, text)) = texts.iter().find(|text| !is_own(text)) {
        return Some(format!(
            "the history of {id} has the text {text} of subject {subject}, which was not written to it"
        ));
    }
    let shown: BTreeSet<u64> = texts.iter().map(|(_, text)| *text).collect();
    if shown.len() < texts.len() {
        return Some(format!("the history of {id} has a text twice"));
    }
    let replaced = replaced(history, comment, op.begun);
    let missing = replaced.iter().rev().take(HISTORY_PAGE_SIZE).find(|text| !shown.contains(text))?;
    Some(format!("the history of {id} lacks the text {missing}"))
}

/// Returns true if a request wrote a text to a comment.
pub(super) fn was_written(history: &SubjectHistory<'_>, comment: &Comment, text: u64) -> bool {
    let is_edit = |call: &Call| matches!(call, Call::Edit { comment: edited, .. } if *edited == comment.id);
    text == comment.text || history.text_writer(text).is_some_and(|request| is_edit(history.call(request)))
}

/// Returns the texts that edits had replaced before a time, in the order of their revisions.
pub(super) fn replaced(history: &SubjectHistory<'_>, comment: &Comment, before: Nanos) -> Vec<u64> {
    let is_over = |request: u32| history.request(request).outcome.acknowledged_at().is_some_and(|at| at < before);
    let mut texts = vec![comment.text];
    for change in comment.changes.iter().filter(|change| is_over(change.request)) {
        if let Property::Text(text) = change.property {
            texts.push(text);
        }
    }
    texts.pop();
    texts
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use super::MAX_AGE;
    use crate::histcheck::history::{Call, Outcome};

    /// A second after which no response may be of second 5.
    const LATER: u64 = MAX_AGE / 1_000_000_000 + 10;
    const RULE: &str = "histories";

    /// Returns root 12, and root 11 whose first text and whose text 7 were replaced.
    fn edited() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2);
        sample_history.edit(3, 11, 7, Some(3)).edit(4, 11, 8, Some(4));
        sample_history
    }

    fn read(mut sample_history: SampleHistory, at: u64, outcome: Outcome) -> SampleHistory {
        sample_history.op(at, Call::History { subject: 0, comment: 11 }, outcome);
        sample_history
    }

    fn shown(texts: &[u64]) -> Outcome {
        Outcome::Texts(texts.iter().map(|text| (0, *text)).collect())
    }

    fn not_found() -> Outcome {
        Outcome::Refused("COMMENT_NOT_FOUND".into())
    }

    #[test]
    fn a_history_has_the_replaced_texts_of_its_comment_and_no_other() {
        read(edited(), 5, shown(&[7, 11])).finds_nothing();
        read(edited(), 5, shown(&[7])).finds(RULE, "lacks the text 11");
        read(edited(), 5, shown(&[7, 7, 11])).finds(RULE, "a text twice");
        read(edited(), 5, shown(&[7, 12, 11])).finds(RULE, "has the text 12 of subject 0");
        let foreign = Outcome::Texts(Box::new([(1, 7), (0, 11)]));
        read(edited(), 5, foreign).finds(RULE, "has the text 7 of subject 1");
        // An edit that may have been executed.
        let mut maybe = edited();
        maybe.edit(5, 11, 9, None);
        read(maybe, 6, shown(&[8, 7, 11])).finds_nothing();
    }

    #[test]
    fn the_history_of_a_comment_is_served_while_the_comment_is_visible() {
        let mut deleted = edited();
        deleted.delete(5, 11, 5);
        read(deleted, LATER, not_found()).finds_nothing();
        let mut deleted = edited();
        deleted.delete(5, 11, 5);
        read(deleted, LATER, shown(&[7, 11])).finds(RULE, "the history of 11, which is deleted");
        let mut deleted = edited();
        deleted.delete(5, 11, 5);
        read(deleted, 6, shown(&[7, 11])).finds_nothing_of(RULE);
        read(edited(), LATER, not_found()).finds(RULE, "which is visible, is not found");
    }
}
