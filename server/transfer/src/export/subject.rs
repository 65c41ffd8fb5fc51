//! Exports one subject of the server as lines of the format `riposte.export.v1`.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use anyhow::{Context, Result, bail};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::export_subject_response::Item;
use riposte_sdk::v1::{self, ExportSubjectRequest, ExportedComment, ExportedLike};

use crate::jsonl;
use crate::proto;
use crate::record::{
    Client, Comment, CommentState, DeletedBy, Key, Like, LikeValue, Original, Record, Subject, SubjectState,
};

/// The name of the source under which the server's own ids are exported.
const OWN_SOURCE: &str = "riposte";
/// The prefix of the ids of synthetic members. An import creates such members for votes of which it
/// knows only the number.
const SYNTHETIC_PREFIX: &str = "~synthetic:";

/// The result of exporting one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubjectExport {
    /// The whole subject was written.
    Complete { comments: u64, likes: u64 },
    /// The subject is deleted and nothing was written, because an import would restore it.
    Deleted,
}

/// Writes one subject: its own record, its comments with parents first, its likes. If all comments
/// were imported from the same source, they are exported under their external ids of that source,
/// otherwise under the server's own ids. Therefore the comments of a subject are kept in memory
/// until all have arrived.
///
/// # Errors
/// The server fails or breaks the contract; the output cannot be written.
pub(super) async fn write(
    client: &mut AdminServiceClient<Connection>,
    key: &Key,
    out: &mut impl Write,
) -> Result<SubjectExport> {
    let request = ExportSubjectRequest { key: Some(proto::proto_key(key)) };
    let mut responses = client.export_subject(request).await?.into_inner();
    let mut subject = SubjectWriter { key: key.clone(), ..SubjectWriter::default() };
    while let Some(response) = responses.message().await? {
        match response.item.context("the server broke the contract: an empty item")? {
            Item::Subject(exported) => {
                let exported = exported.subject.context("the server broke the contract: no subject")?;
                if exported.delete_time.is_some() {
                    return Ok(SubjectExport::Deleted);
                }
                jsonl::write(out, &Record::Subject(neutral_subject(exported)), None)?;
            }
            Item::Comment(comment) if subject.comments_written => {
                bail!("the server broke the contract: comment {:?} came after a like", comment.external_id)
            }
            Item::Comment(comment) => subject.buffered.push(comment),
            Item::Like(like) => {
                subject.write_comments(out)?;
                subject.write_like(like, out)?;
            }
        }
    }
    subject.write_comments(out)?;
    Ok(SubjectExport::Complete { comments: subject.comments, likes: subject.likes })
}

/// Writes the records of one subject. Its comments stay in `buffered` until all have arrived.
#[derive(Debug, Default)]
struct SubjectWriter {
    key: Key,
    buffered: Vec<ExportedComment>,
    comments_written: bool,
    source: String,
    external_ids: HashMap<i64, String>,
    comments: u64,
    likes: u64,
}

impl SubjectWriter {
    fn write_comments(&mut self, out: &mut impl Write) -> Result<()> {
        if std::mem::replace(&mut self.comments_written, true) {
            return Ok(());
        }
        let buffered = std::mem::take(&mut self.buffered);
        let sources: BTreeSet<&str> = buffered.iter().map(|comment| comment.source.as_str()).collect();
        // A reply names its parent by an id of the same source, so comments of several sources are
        // exported with the ids of one common source, the server.
        let common_source =
            (sources.len() == 1).then(|| sources.first().copied()).flatten().filter(|source| !source.is_empty());
        self.source = common_source.unwrap_or(OWN_SOURCE).to_owned();
        let uses_source_ids = common_source.is_some();
        for exported in buffered {
            let id = exported
                .comment
                .as_ref()
                .map(|comment| comment.id)
                .context("the server broke the contract: no comment")?;
            let external_id = if uses_source_ids { exported.external_id.clone() } else { id.to_string() };
            self.external_ids.insert(id, external_id.clone());
            let comment = self.neutral_comment(external_id, exported);
            jsonl::write(out, &Record::Comment(comment), None)?;
            self.comments += 1;
        }
        Ok(())
    }

    fn neutral_comment(&self, external_id: String, exported: ExportedComment) -> Comment {
        let ExportedComment { comment, client, .. } = exported;
        let comment = comment.unwrap_or_default();
        let (state, deleted_by) = (state(comment.state()), deleted_by(comment.deleted_by()));
        let v1::ClientInfo { ip, platform, device } = client.unwrap_or_default();
        Comment {
            key: self.key.clone(),
            source: Some(self.source.clone()),
            external_id,
            parent_external_id: (comment.parent_id != 0).then(|| self.external_id(comment.parent_id)),
            member_id: comment.member_id,
            client: Client { ip, platform, device },
            state,
            deleted_by,
            create_time: proto::time(comment.create_time),
            edit_time: proto::time(comment.edit_time),
            delete_time: proto::time(comment.delete_time),
            ..Comment::with_content(comment.content)
        }
    }

    fn write_like(&mut self, exported: ExportedLike, out: &mut impl Write) -> Result<()> {
        let value = match exported.value() {
            v1::LikeValue::Like => LikeValue::Like,
            v1::LikeValue::Dislike => LikeValue::Dislike,
            v1::LikeValue::None | v1::LikeValue::Unspecified => return Ok(()),
        };
        let ExportedLike { comment_id, member_id, time, .. } = exported;
        let like = Like {
            key: self.key.clone(),
            source: Some(self.source.clone()),
            comment_external_id: self.external_id(comment_id),
            synthetic: member_id.starts_with(SYNTHETIC_PREFIX),
            member_id,
            value,
            time: proto::time(time),
            event: None,
            original: Original::new(),
        };
        self.likes += 1;
        jsonl::write(out, &Record::Like(like), None)
    }

    fn external_id(&self, id: i64) -> String {
        self.external_ids.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }
}

/// Converts a subject. A state that this version does not know arrives as unspecified. It is
/// exported as hidden, so that a later import publishes nothing.
fn neutral_subject(subject: v1::Subject) -> Subject {
    let state = match subject.state() {
        v1::SubjectState::ReadOnly => SubjectState::ReadOnly,
        v1::SubjectState::Hidden | v1::SubjectState::Unspecified => SubjectState::Hidden,
        v1::SubjectState::Active => SubjectState::Active,
    };
    Subject {
        key: proto::key(subject.key),
        source: None,
        owner_id: subject.owner_id,
        state,
        metadata: subject.metadata,
        create_time: proto::time(subject.create_time),
        ..Subject::default()
    }
}

/// Converts a state. One that this version does not know arrives as unspecified and is exported as
/// hidden.
fn state(state: v1::CommentState) -> CommentState {
    match state {
        v1::CommentState::Active => CommentState::Active,
        v1::CommentState::Pending => CommentState::Pending,
        v1::CommentState::Rejected => CommentState::Rejected,
        v1::CommentState::Unspecified | v1::CommentState::Hidden => CommentState::Hidden,
        v1::CommentState::Deleted => CommentState::Deleted,
    }
}

fn deleted_by(by: v1::DeletedBy) -> Option<DeletedBy> {
    match by {
        v1::DeletedBy::Unspecified => None,
        v1::DeletedBy::Author => Some(DeletedBy::Author),
        v1::DeletedBy::SubjectOwner => Some(DeletedBy::SubjectOwner),
        v1::DeletedBy::Moderator => Some(DeletedBy::Moderator),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_this_version_does_not_know_is_exported_as_hidden() {
        const UNKNOWN: i32 = 99;
        let comment = v1::Comment { state: UNKNOWN, ..v1::Comment::default() };
        assert_eq!(state(comment.state()), CommentState::Hidden);
        let subject = v1::Subject { state: UNKNOWN, ..v1::Subject::default() };
        assert_eq!(neutral_subject(subject).state, SubjectState::Hidden);
    }
}
