//! The rows of the oracle.

use std::collections::BTreeMap;

use riposte_core::comment::Comment;
use riposte_core::decision::Decision;
use riposte_core::like::Like;
use riposte_core::origin::ImportOrigin;
use riposte_core::page::ContentRevision;
use riposte_core::path::Path;
use riposte_core::proposal::Proposal;
use riposte_core::report::Report;
use riposte_core::request::{IdempotencyKey, IdempotencyRecord, RequestIdentity};
use riposte_core::review::Review;
use riposte_core::standing::{MemberStanding, StandingRecord};
use riposte_core::write_set::{OriginalContent, WithheldContent};
use riposte_core::{ClientInfo, CommentId, Content, MemberId, ObjectType, Subject, SubjectKey};

use super::outbox::ModelOutbox;
use super::ranks::Ranks;

/// All rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    pub(super) subject_tables: BTreeMap<SubjectKey, SubjectTable>,
    /// The subject of each comment.
    pub(super) comment_subjects: BTreeMap<CommentId, SubjectKey>,
    /// The events of the commits.
    pub(super) outbox: ModelOutbox,
    /// The reviews of the comments that have one.
    pub(super) reviews: BTreeMap<CommentId, Review>,
    /// The reports by comment and member.
    pub(super) reports: BTreeMap<(CommentId, MemberId), Report>,
    /// The standings by object type and member.
    pub(super) standings: BTreeMap<(ObjectType, MemberId), MemberStanding>,
    /// The idempotency records of their requests.
    pub(super) standing_records: BTreeMap<IdempotencyKey, StandingRecord>,
    /// The decisions by comment and number.
    pub(super) decisions: BTreeMap<(CommentId, i32), Decision>,
    /// The proposed edits by comment and number.
    pub(super) proposals: BTreeMap<(CommentId, i32), Proposal>,
    /// The former contents that were not in sight, by comment and version.
    pub(super) withheld: BTreeMap<(CommentId, i64), WithheldContent>,
    /// By version, or by -n for proposal n.
    pub(super) originals: BTreeMap<(CommentId, i64), OriginalContent>,
    /// The version of each comment at the last update of its history row.
    pub(super) histories: BTreeMap<CommentId, i64>,
    /// The rank indexes and the ranking snapshots.
    pub(super) ranks: Ranks,
}

/// A subject and all rows below it.
#[derive(Debug, Clone)]
pub(super) struct SubjectTable {
    pub(super) subject: Subject,
    pub(super) rows: BTreeMap<CommentId, Row>,
    pub(super) likes: BTreeMap<(CommentId, MemberId), Like>,
    /// The idempotency records of requests that created no comment.
    pub(super) requests: BTreeMap<IdempotencyKey, IdempotencyRecord>,
}

/// A comment with all data that was written with it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) comment: Comment,
    pub(super) content: Content,
    /// The earlier contents.
    pub(super) revisions: Vec<ContentRevision>,
    pub(super) client: ClientInfo,
    pub(super) origin: Option<ImportOrigin>,
    pub(super) request: RequestIdentity,
}

impl Tables {
    pub(super) fn subject_table(&self, key: &SubjectKey) -> Option<&SubjectTable> {
        self.subject_tables.get(key)
    }

    /// Returns the rows of a subject that is not deleted.
    pub(super) fn open_subject_table(&self, key: &SubjectKey) -> Option<&SubjectTable> {
        self.subject_table(key).filter(|subject_table| subject_table.subject.delete_time.is_none())
    }

    /// Returns a comment and its subject.
    pub(super) fn comment(&self, id: CommentId) -> Option<(&SubjectTable, &Row)> {
        let subject_table = self.subject_tables.get(self.comment_subjects.get(&id)?)?;
        Some((subject_table, subject_table.rows.get(&id)?))
    }
}

impl SubjectTable {
    pub(super) fn new(subject: Subject) -> Self {
        Self { subject, rows: BTreeMap::new(), likes: BTreeMap::new(), requests: BTreeMap::new() }
    }

    /// Returns the comment with this path.
    pub(super) fn at(&self, path: &Path) -> Option<&Row> {
        self.rows.values().find(|row| row.comment.reference.path == *path)
    }

    /// Returns the idempotency record of an earlier request with this key.
    pub(super) fn record(&self, key: &IdempotencyKey) -> Option<IdempotencyRecord> {
        let of_created = self.rows.values().find(|row| row.request.key == *key).map(|row| IdempotencyRecord {
            verb: 0,
            fingerprint: row.request.fingerprint,
            comment: Some(row.comment.reference.id),
            revision: row.comment.reference.born_revision,
        });
        of_created.or_else(|| self.requests.get(key).copied())
    }
}
