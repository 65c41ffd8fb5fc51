//! The messages that the cache stores. Field numbers never change, unless the schema in the head of
//! a stored comment changes.

use prost::Message;
use riposte_core::object_type::ModerationMode;
use riposte_core::subject::Metadata;
use riposte_core::{
    Comment, CommentCounts, CommentId, CommentRef, CommentState, Content, DeletedBy, ExtraFields, Lifecycle, MemberId,
    Millis, Path, Subject, SubjectCounts, SubjectId, SubjectKey, SubjectState,
};

/// A subject's row.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StoredSubject {
    #[prost(int64, tag = "1")]
    id: i64,
    #[prost(string, tag = "2")]
    object_type: String,
    #[prost(string, tag = "3")]
    object_id: String,
    #[prost(string, optional, tag = "4")]
    owner: Option<String>,
    #[prost(int32, tag = "5")]
    state: i32,
    #[prost(int32, tag = "6")]
    next_floor: i32,
    #[prost(int32, tag = "7")]
    root_count: i32,
    #[prost(int32, tag = "8")]
    comment_count: i32,
    #[prost(int64, tag = "9")]
    revision: i64,
    #[prost(int64, tag = "10")]
    version: i64,
    #[prost(int64, repeated, tag = "11")]
    pins: Vec<i64>,
    #[prost(btree_map = "string, string", tag = "12")]
    metadata: Metadata,
    #[prost(int64, tag = "13")]
    create_time: i64,
    #[prost(int64, tag = "14")]
    update_time: i64,
    #[prost(int64, optional, tag = "15")]
    delete_time: Option<i64>,
    #[prost(int32, tag = "16")]
    moderation: i32,
    #[prost(bool, tag = "17")]
    unlisted: bool,
    #[prost(bool, tag = "18")]
    mode_by_moderator: bool,
}

/// A comment's row without its likes, which are in the head.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StoredComment {
    #[prost(int64, tag = "1")]
    id: i64,
    #[prost(int64, tag = "2")]
    subject_id: i64,
    #[prost(int64, tag = "3")]
    root_id: i64,
    #[prost(int64, tag = "4")]
    parent_id: i64,
    #[prost(bytes = "vec", tag = "5")]
    path: Vec<u8>,
    #[prost(int32, tag = "6")]
    floor: i32,
    #[prost(int32, tag = "7")]
    next_floor: i32,
    #[prost(string, tag = "8")]
    member: String,
    #[prost(int32, tag = "9")]
    state: i32,
    #[prost(int32, tag = "10")]
    prior_state: i32,
    #[prost(int32, tag = "11")]
    deleted_by: i32,
    #[prost(int32, tag = "12")]
    reply_count: i32,
    #[prost(int32, tag = "13")]
    live_below: i32,
    #[prost(bool, tag = "14")]
    listed: bool,
    #[prost(int64, tag = "15")]
    version: i64,
    #[prost(int64, tag = "16")]
    born_revision: i64,
    #[prost(int64, tag = "17")]
    create_time: i64,
    #[prost(int64, tag = "18")]
    update_time: i64,
    #[prost(int64, optional, tag = "19")]
    edit_time: Option<i64>,
    #[prost(int64, optional, tag = "20")]
    delete_time: Option<i64>,
}

/// The content of a comment.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StoredContent {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(string, repeated, tag = "2")]
    mentions: Vec<String>,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: Metadata,
    #[prost(btree_map = "string, bytes", tag = "4")]
    extra: ExtraFields,
}

fn code(code: i32) -> i8 {
    i8::try_from(code).unwrap_or_default()
}

impl From<&Subject> for StoredSubject {
    fn from(subject: &Subject) -> Self {
        let SubjectCounts { root_count, comment_count } = subject.counts;
        Self {
            id: subject.id.get(),
            object_type: subject.key.object_type().as_str().to_owned(),
            object_id: subject.key.object_id().to_owned(),
            owner: subject.owner.as_ref().map(|owner| owner.as_str().to_owned()),
            state: subject.state.code().into(),
            next_floor: subject.next_floor,
            root_count,
            comment_count,
            revision: subject.revision,
            version: subject.version,
            pins: subject.pins.iter().map(|pin| pin.get()).collect(),
            metadata: subject.metadata.clone(),
            create_time: subject.create_time.0,
            update_time: subject.update_time.0,
            delete_time: subject.delete_time.map(|time| time.0),
            moderation: subject.moderation.map_or(0, |mode| mode.code().into()),
            unlisted: subject.unlisted,
            mode_by_moderator: subject.mode_by_moderator,
        }
    }
}

impl StoredSubject {
    /// Returns the subject; `None` if no version of this code can have written it.
    pub(super) fn subject(self) -> Option<Subject> {
        Some(Subject {
            id: SubjectId::new(self.id)?,
            key: SubjectKey::stored(self.object_type, self.object_id),
            owner: self.owner.map(MemberId::stored),
            state: SubjectState::from_code(code(self.state))?,
            next_floor: self.next_floor,
            counts: SubjectCounts { root_count: self.root_count, comment_count: self.comment_count },
            revision: self.revision,
            version: self.version,
            pins: self.pins.into_iter().map(CommentId::new).collect::<Option<_>>()?,
            metadata: self.metadata,
            moderation: ModerationMode::from_code(code(self.moderation)),
            mode_by_moderator: self.mode_by_moderator,
            unlisted: self.unlisted,
            create_time: Millis(self.create_time),
            update_time: Millis(self.update_time),
            delete_time: self.delete_time.map(Millis),
        })
    }
}

impl From<&Comment> for StoredComment {
    fn from(comment: &Comment) -> Self {
        let Comment { reference, next_floor, counts, lifecycle } = comment;
        let CommentRef {
            id,
            subject_id,
            root_id,
            parent_id,
            path,
            floor,
            member,
            born_revision: created_in,
            create_time,
        } = reference;
        let CommentCounts { like_count: _, dislike_count: _, reply_count, live_below } = counts;
        let Lifecycle {
            state,
            prior_state: restored_state,
            deleted_by,
            listed,
            revision: _,
            version,
            update_time,
            edit_time,
            delete_time,
        } = lifecycle;
        Self {
            id: id.get(),
            subject_id: subject_id.get(),
            root_id: root_id.map_or(0, CommentId::get),
            parent_id: parent_id.map_or(0, CommentId::get),
            path: path.as_bytes().to_vec(),
            floor: *floor,
            next_floor: *next_floor,
            member: member.as_str().to_owned(),
            state: state.code().into(),
            prior_state: restored_state.code().into(),
            deleted_by: deleted_by.map_or(0, DeletedBy::code).into(),
            reply_count: *reply_count,
            live_below: *live_below,
            listed: *listed,
            version: *version,
            born_revision: *created_in,
            create_time: create_time.0,
            update_time: update_time.0,
            edit_time: edit_time.map(|time| time.0),
            delete_time: delete_time.map(|time| time.0),
        }
    }
}

impl StoredComment {
    /// Returns the comment with its likes and its revision; `None` if no version of this code can
    /// have written it.
    pub(super) fn comment(self, revision: i64, (like_count, dislike_count): (i32, i32)) -> Option<Comment> {
        let counts =
            CommentCounts { like_count, dislike_count, reply_count: self.reply_count, live_below: self.live_below };
        Some(Comment {
            reference: CommentRef {
                id: CommentId::new(self.id)?,
                subject_id: SubjectId::new(self.subject_id)?,
                root_id: CommentId::new(self.root_id),
                parent_id: CommentId::new(self.parent_id),
                path: Path::from_bytes(self.path)?,
                floor: self.floor,
                member: MemberId::stored(self.member),
                born_revision: self.born_revision,
                create_time: Millis(self.create_time),
            },
            next_floor: self.next_floor,
            counts,
            lifecycle: Lifecycle {
                state: CommentState::from_code(code(self.state))?,
                prior_state: CommentState::from_code(code(self.prior_state))?,
                deleted_by: DeletedBy::from_code(code(self.deleted_by)),
                listed: self.listed,
                revision,
                version: self.version,
                update_time: Millis(self.update_time),
                edit_time: self.edit_time.map(Millis),
                delete_time: self.delete_time.map(Millis),
            },
        })
    }
}

impl From<&Content> for StoredContent {
    fn from(content: &Content) -> Self {
        Self {
            text: content.text().to_owned(),
            mentions: content.mentions().iter().map(|member| member.as_str().to_owned()).collect(),
            metadata: content.metadata().clone(),
            extra: content.extra().clone(),
        }
    }
}

impl From<StoredContent> for Content {
    fn from(stored: StoredContent) -> Self {
        Self::stored(stored.text, stored.mentions.into_iter().map(MemberId::stored).collect(), stored.metadata)
            .with_extra(stored.extra)
    }
}
