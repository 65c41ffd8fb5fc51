//! Redis contains no text of a comment that is not visible, in no key, whether readers would find
//! the key or not: people and programs with access to Redis see what every reader sees.

use std::collections::BTreeMap;

use super::Findings;
use super::tables::StoredRows;
use crate::histcheck::history::{CacheEntry, Call, CommentRow, History, Outcome};

/// A text: the subject that it was written for, and its number.
type Text = (u32, u64);

/// Finds texts in Redis, present and former ones, of comments that are not visible at the end.
pub(super) fn check(history: &History, stored: &StoredRows<'_>, findings: &mut Findings) {
    let written = written(history, stored);
    for entry in &history.cache {
        let CacheEntry::Text { key, text_subject, text } = entry else { continue };
        let row = written.get(&(*text_subject, *text)).and_then(|id| stored.comments.get(id));
        if let Some(row) = row.filter(|row| row.state != CommentRow::VISIBLE) {
            findings.add(
                || format!("Redis has a text of {}, which is not visible, in the key {key:?}: {text}", row.id),
                &[],
            );
        }
    }
}

/// Returns the comments to which the texts of the run were written.
fn written(history: &History, stored: &StoredRows<'_>) -> BTreeMap<Text, i64> {
    let present = stored.contents.values().map(|row| ((row.text_subject, row.text), row.comment));
    let former = history.ops.iter().filter_map(|op| match (&op.call, &op.outcome) {
        (Call::Edit { subject, comment, text, .. }, _) => Some(((*subject, *text), *comment)),
        (call, Outcome::Written(response)) => call.makes().map(|(.., text)| ((call.subject(), text), response.id)),
        _other => None,
    });
    former.chain(present).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample_data::SampleData;
    use crate::histcheck::history::{CacheEntry, Call, CommentRow, Op, Outcome};

    /// Returns a valid database and Redis with one more text.
    fn with_text(text: u64) -> SampleData {
        let mut data = SampleData::default();
        data.history.cache.push(CacheEntry::Text { key: "w:1".to_owned(), text_subject: 0, text });
        data
    }

    #[test]
    fn only_texts_of_visible_comments_are_allowed() {
        with_text(11).finds_nothing();
        with_text(13).finds("which is not visible, in the key \"w:1\": 13");
        for state in 2..=CommentRow::DELETED {
            with_text(12).comment(12, |row| row.state = state).finds("which is not visible");
        }
        with_text(99).finds_nothing();
    }

    #[test]
    fn a_former_text_of_a_comment_is_one_of_its_texts() {
        let edited = |id| {
            let mut data = with_text(7);
            let call = Call::Edit { subject: 0, comment: SampleData::id(id), member: 1, text: 7 };
            let outcome = Outcome::Unknown("Cancelled".into());
            data.history.ops.push(Op { client: 0, server: 0, begun: 1, ended: 2, request: (1, 1), call, outcome });
            data
        };
        edited(11).finds_nothing();
        edited(13).finds("which is not visible");
    }
}
