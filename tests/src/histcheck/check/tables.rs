//! The rows of the databases, read directly by SQL. They are in the right tables, refer to each
//! other correctly, have correct counts, and equal the export of the service.
//!
//! The other rules compare the export with the history; so the rows are compared with the history,
//! too. All subjects are checked together here, because a row may belong to none of them.

mod counted;
mod places;
mod told;

use super::Found;
use super::quick::QuickMap;
use crate::histcheck::history::{CommentRow, ContentRow, History, LikeRow, Rows, SubjectRow};

/// All rows, by their kind.
#[derive(Debug, Default)]
pub(super) struct Stand<'h> {
    /// Subjects and comments by their ids.
    pub(super) subjects: QuickMap<i64, &'h SubjectRow>,
    pub(super) comments: QuickMap<i64, &'h CommentRow>,
    /// Contents by the ids of their comments.
    pub(super) contents: QuickMap<i64, &'h ContentRow>,
    pub(super) likes: Vec<&'h LikeRow>,
}

/// Finds rows that no request explains, and those that the service exports differently; returns all
/// rows.
pub(super) fn check<'h>(history: &'h History, found: &mut Found) -> Stand<'h> {
    places::check(&history.tables, found);
    let stand = Stand::of(history, found);
    counted::check(&stand, found);
    told::check(&stand, history, found);
    stand
}

impl<'h> Stand<'h> {
    /// Sorts the rows; records duplicate rows and rows without an owner.
    fn of(history: &'h History, found: &mut Found) -> Self {
        let mut stand = Self::default();
        let mut keys: QuickMap<u32, i64> = QuickMap::default();
        for table in &history.tables {
            match &table.rows {
                Rows::Subjects(rows) => {
                    for row in rows {
                        if row.subject == u32::MAX {
                            found.add(|| format!("nobody named this subject: {row:?}"), &[]);
                        } else if let Some(other) = keys.insert(row.subject, row.id) {
                            found.add(|| format!("subject {} stands as {other} and as {}", row.subject, row.id), &[]);
                        }
                        stand.subjects.insert(row.id, row);
                    }
                }
                Rows::Comments(rows) => {
                    for row in rows {
                        if stand.comments.insert(row.id, row).is_some() {
                            found.add(|| format!("comment {} stands in two rows", row.id), &[]);
                        }
                    }
                }
                Rows::Contents(rows) => {
                    for row in rows {
                        if stand.contents.insert(row.comment, row).is_some() {
                            found.add(|| format!("what comment {} says stands in two rows", row.comment), &[]);
                        }
                    }
                }
                Rows::Likes(rows) => stand.likes.extend(rows),
            }
        }
        stand.belongs(found);
        stand
    }

    fn belongs(&self, found: &mut Found) {
        for row in self.comments.values() {
            if !self.subjects.contains_key(&row.subject_id) {
                found.add(|| format!("a comment of a subject that does not stand: {row:?}"), &[]);
            }
            for above in [row.root, row.parent].into_iter().filter(|above| *above != 0) {
                if self.comments.get(&above).is_none_or(|above| above.subject_id != row.subject_id) {
                    found.add(|| format!("a reply to {above}, which does not stand there: {row:?}"), &[]);
                }
            }
            if !self.contents.contains_key(&row.id) {
                found.add(|| format!("a comment without its content: {row:?}"), &[]);
            }
        }
        for row in self.contents.values().filter(|row| !self.comments.contains_key(&row.comment)) {
            found.add(|| format!("a content of no comment: {row:?}"), &[]);
        }
        for row in &self.likes {
            if self.comments.get(&row.comment).is_none_or(|comment| comment.subject_id != row.subject_id) {
                found.add(|| format!("a like of a comment that does not stand there: {row:?}"), &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plant::Plant;

    #[test]
    fn rows_that_belong_together_are_fine() {
        Plant::default().has_none();
    }

    #[test]
    fn rows_of_what_does_not_stand_are_found() {
        Plant::default().comment(12, |row| row.subject_id += 1).has("a comment of a subject that does not stand");
        Plant::default().comment(12, |row| row.root = 77).has("a reply to 77, which does not stand there");
        Plant::default().like(|row| row.comment = 77).has("a like of a comment that does not stand there");
        Plant::default().content(12, |row| row.comment = 77).has("a content of no comment").has("without its content");
    }

    #[test]
    fn what_stands_twice_is_found() {
        Plant::default().comment(13, |row| row.id = Plant::id(12)).has("stands in two rows");
        Plant::default().subject(1, |row| row.subject = 0).has("subject 0 stands as");
        Plant::default().subject(1, |row| row.subject = u32::MAX).has("nobody named this subject");
    }
}
