//! The count audit: it compares the rows of a backend, as its export returns them, with the counts.

use std::collections::BTreeMap;

use riposte_core::like::Like;
use riposte_core::page::Liker;
use riposte_core::ports::{ExportedComment, ExportedLike, Reader};
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::{CommentId, Content, Result, SubjectKey};

use super::recount::check_invariants;
use super::tables::{Row, SubjectTable};

/// The number of rows per read, so small that the export of a case takes several reads.
const PART: usize = 50;

/// Exports a whole subject and recomputes its counts.
///
/// # Errors
///
/// Returns the errors of the reader.
///
/// # Panics
///
/// Panics when a count, a floor, a path or a state does not match the rows.
pub(crate) async fn audit_counts(reader: &dyn Reader, key: &SubjectKey) -> Result<usize> {
    let Some(subject) = reader.subjects(std::slice::from_ref(key)).await?.remove(0) else { return Ok(0) };
    let mut subject_table = SubjectTable::new(subject);
    let mut last = None;
    loop {
        let part = reader.export_comments(key, last, PART).await?;
        let Some(end) = part.last() else { break };
        last = Some(end.view.comment.reference.id);
        let ids: Vec<CommentId> = part.iter().map(|exported| exported.view.comment.reference.id).collect();
        subject_table.likes.append(&mut likes(reader, &ids).await?);
        for exported in part {
            let id = exported.view.comment.reference.id;
            let duplicate = subject_table.rows.insert(id, row(exported));
            assert!(duplicate.is_none(), "{id:?} is exported twice");
        }
    }
    check_invariants(&subject_table);
    Ok(subject_table.rows.len())
}

/// Exports all likes of some comments.
async fn likes(reader: &dyn Reader, ids: &[CommentId]) -> Result<BTreeMap<(CommentId, riposte_core::MemberId), Like>> {
    let mut likes = BTreeMap::new();
    let mut last = None;
    loop {
        let part = reader.export_likes(ids, last.as_ref(), PART).await?;
        if part.is_empty() {
            return Ok(likes);
        }
        last = part.last().cloned();
        for ExportedLike { comment: id, liker: Liker { member, value, time } } in part {
            let operation = RequestId::from_bytes([0; 16]);
            let like = Like { comment_id: id, member: member.clone(), value, operation, changed: true, time };
            let duplicate = likes.insert((id, member), like);
            assert!(duplicate.is_none(), "a like is exported twice: {duplicate:?}");
        }
    }
}

fn row(exported: ExportedComment) -> Row {
    let ExportedComment { view, client, origin } = exported;
    let content = view.content.unwrap_or_else(|| Content::stored(String::new(), Vec::new(), BTreeMap::new()));
    let request = RequestIdentity { key: IdempotencyKey([0; 16]), fingerprint: Fingerprint(0) };
    Row { comment: view.comment, content, revisions: Vec::new(), client, origin, request }
}
