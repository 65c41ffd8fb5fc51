//! The rows of the databases, read directly by SQL. They are in the right tables, refer to each
//! other correctly, have correct counts, and equal the export of the service.
//!
//! The other rules compare the export with the history. Because the export equals the rows, the
//! rows match the history, too. All subjects are checked together, because a row may belong to none
//! of them.

mod counts;
mod export;
mod routing;

use super::Findings;
use super::int_map::IntMap;
use crate::histcheck::history::{CommentRow, ContentRow, History, LikeRow, Rows, SubjectRow};

/// All rows, by their kind.
#[derive(Debug, Default)]
pub(super) struct StoredRows<'h> {
    /// Subjects and comments by their ids.
    pub(super) subjects: IntMap<i64, &'h SubjectRow>,
    pub(super) comments: IntMap<i64, &'h CommentRow>,
    /// Contents by the ids of their comments.
    pub(super) contents: IntMap<i64, &'h ContentRow>,
    pub(super) likes: Vec<&'h LikeRow>,
}

/// Finds rows that no request explains, and rows that the service exports differently. Returns all
/// rows.
pub(super) fn check<'h>(history: &'h History, findings: &mut Findings) -> StoredRows<'h> {
    routing::check(&history.tables, findings);
    let stored = StoredRows::of(history, findings);
    counts::check(&stored, findings);
    export::check(&stored, history, findings);
    stored
}

impl<'h> StoredRows<'h> {
    /// Sorts the rows; records duplicate rows and rows without an owner.
    pub(super) fn of(history: &'h History, findings: &mut Findings) -> Self {
        let mut stored = Self::default();
        let mut keys: IntMap<u32, i64> = IntMap::default();
        for table in &history.tables {
            match &table.rows {
                Rows::Subjects(rows) => {
                    for row in rows {
                        if row.subject == u32::MAX {
                            findings.add(|| format!("no run uses the key of this subject: {row:?}"), &[]);
                        } else if let Some(other) = keys.insert(row.subject, row.id) {
                            findings
                                .add(|| format!("subject {} has the rows {other} and {}", row.subject, row.id), &[]);
                        }
                        stored.subjects.insert(row.id, row);
                    }
                }
                Rows::Comments(rows) => {
                    for row in rows {
                        if stored.comments.insert(row.id, row).is_some() {
                            findings.add(|| format!("comment {} has two rows", row.id), &[]);
                        }
                    }
                }
                Rows::Contents(rows) => {
                    for row in rows {
                        if stored.contents.insert(row.comment, row).is_some() {
                            findings.add(|| format!("the content of comment {} has two rows", row.comment), &[]);
                        }
                    }
                }
                Rows::Likes(rows) => stored.likes.extend(rows),
                // Another rule has them.
                Rows::Reviews(_) | Rows::Decisions(_) | Rows::Proposals(_) | Rows::Reports(_) => {}
            }
        }
        stored.check_references(findings);
        stored
    }

    /// Records rows that refer to missing rows.
    fn check_references(&self, findings: &mut Findings) {
        for row in self.comments.values() {
            if !self.subjects.contains_key(&row.subject_id) {
                findings.add(|| format!("a comment of a missing subject: {row:?}"), &[]);
            }
            for id in [row.root, row.parent].into_iter().filter(|id| *id != 0) {
                if self.comments.get(&id).is_none_or(|ancestor| ancestor.subject_id != row.subject_id) {
                    findings.add(|| format!("a reply to {id}, which its subject lacks: {row:?}"), &[]);
                }
            }
            if !self.contents.contains_key(&row.id) {
                findings.add(|| format!("a comment without its content: {row:?}"), &[]);
            }
        }
        for row in self.contents.values().filter(|row| !self.comments.contains_key(&row.comment)) {
            findings.add(|| format!("a content without its comment: {row:?}"), &[]);
        }
        for row in &self.likes {
            if self.comments.get(&row.comment).is_none_or(|comment| comment.subject_id != row.subject_id) {
                findings.add(|| format!("a like of a comment that its subject lacks: {row:?}"), &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_data::SampleData;

    #[test]
    fn rows_that_refer_to_each_other_are_valid() {
        SampleData::default().finds_nothing();
    }

    #[test]
    fn rows_that_refer_to_missing_rows_are_found() {
        SampleData::default().comment(12, |row| row.subject_id += 1).finds("a comment of a missing subject");
        SampleData::default().comment(12, |row| row.root = 77).finds("a reply to 77, which its subject lacks");
        SampleData::default().like(|row| row.comment = 77).finds("a like of a comment that its subject lacks");
        SampleData::default()
            .content(12, |row| row.comment = 77)
            .finds("a content without its comment")
            .finds("without its content");
    }

    #[test]
    fn duplicate_rows_are_found() {
        SampleData::default().comment(13, |row| row.id = SampleData::id(12)).finds("has two rows");
        SampleData::default().subject(1, |row| row.subject = 0).finds("subject 0 has the rows");
        SampleData::default().subject(1, |row| row.subject = u32::MAX).finds("no run uses the key of this subject");
    }
}
