//! The form of a record in the spool: a head of fixed size, and a body with everything.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::blank::is_blank;
use crate::group::GroupEntry;
use crate::input::SourcePosition;
use crate::record::{
    Comment, CommentState, Like, LikeEvent, Original, Problem, Record, SUBJECT_REJECTED, Subject, SubjectState,
};

/// The size of a head, in bytes.
pub(super) const HEAD_BYTES: usize = 16 + 4 * 8 + 4 + 2;
/// The size of the place in the source, with which a body begins, in bytes.
pub(super) const PLACE_BYTES: usize = 3 * 8;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordKind {
    Subject,
    Comment,
    Like,
}

/// The properties of a record on which the order of its subject depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: RecordKind,
    /// Hash of the subject.
    pub(crate) key: u128,
    /// Hash of a comment's external id, or of a like's comment and member.
    pub(crate) id: u64,
    /// Hash of the parent's external id.
    pub(crate) parent: Option<u64>,
    /// Hash of the body without its place.
    pub(crate) content: u64,
    /// The time in microseconds since 1970; the greatest number without one.
    pub(crate) time: i64,
    /// True if the record was rejected when it was read.
    pub(crate) is_rejected: bool,
    /// True if it was rejected with its subject, so that it is imported with a valid subject only.
    pub(crate) requires_subject: bool,
    /// True for a comment with a text, or one that was deleted in its source.
    pub(crate) has_substance: bool,
    /// True for a subject that is hidden.
    pub(crate) is_hidden: bool,
    /// Set for one of several votes of a member.
    pub(crate) event: Option<LikeEvent>,
    /// The offset of the body in its partition.
    pub(crate) offset: u64,
    /// The size of the body.
    pub(crate) length: u32,
}

#[derive(Serialize)]
struct BodyRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'a Subject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<&'a Comment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<&'a Like>,
    #[serde(skip_serializing_if = "Option::is_none")]
    o: Option<&'a Original>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<&'a Problem>,
}

#[derive(Deserialize)]
struct Body {
    s: Option<Subject>,
    c: Option<Comment>,
    l: Option<Like>,
    #[serde(default)]
    o: Original,
    p: Option<Problem>,
}

/// Returns the head of a record, without its hashes, and its body.
pub(super) fn encode(entry: &GroupEntry) -> Result<(Head, Vec<u8>)> {
    let GroupEntry { record, problem, place } = entry;
    let original = Some(record.original()).filter(|original| !original.is_empty());
    let mut parts = BodyRef { s: None, c: None, l: None, o: original, p: problem.as_ref() };
    let (kind, time, event) = match record {
        Record::Subject(subject) => {
            parts.s = Some(subject);
            (RecordKind::Subject, subject.create_time, None)
        }
        Record::Comment(comment) => {
            parts.c = Some(comment);
            (RecordKind::Comment, comment.create_time, None)
        }
        Record::Like(like) => {
            parts.l = Some(like);
            (RecordKind::Like, like.time, like.event)
        }
    };
    let has_text = |comment: &Comment| comment.state == CommentState::Deleted || !is_blank(&comment.text);
    let SourcePosition { record: number, line, byte } = place.unwrap_or_default();
    let mut body: Vec<u8> = [number, line, byte].into_iter().flat_map(u64::to_le_bytes).collect();
    serde_json::to_writer(&mut body, &parts)?;
    let head = Head {
        kind,
        key: 0,
        id: 0,
        parent: None,
        content: 0,
        time: time.map_or(i64::MAX, jiff::Timestamp::as_microsecond),
        is_rejected: problem.is_some(),
        requires_subject: problem.as_ref().is_some_and(|problem| problem.reason == SUBJECT_REJECTED),
        has_substance: matches!(record, Record::Comment(comment) if has_text(comment)),
        is_hidden: matches!(record, Record::Subject(subject) if subject.state == SubjectState::Hidden),
        event,
        offset: 0,
        length: u32::try_from(body.len()).context("a record has more than 4 GiB")?,
    };
    Ok((head, body))
}

/// Returns the record of a body.
pub(super) fn decode(body: &[u8]) -> Result<GroupEntry> {
    let (place, body) = body.split_at_checked(PLACE_BYTES).context("the spool is damaged")?;
    let Body { s, c, l, o, p } = serde_json::from_slice(body).context("the spool is damaged")?;
    let mut record = match (s, c, l) {
        (Some(subject), ..) => Record::Subject(subject),
        (None, Some(comment), _) => Record::Comment(comment),
        (None, None, Some(like)) => Record::Like(like),
        (None, None, None) => anyhow::bail!("the spool is damaged"),
    };
    *record.original_mut() = o;
    let mut numbers = place.chunks_exact(8).filter_map(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)));
    let mut next = || numbers.next().unwrap_or_default();
    let place = SourcePosition { record: next(), line: next(), byte: next() };
    Ok(GroupEntry { record, problem: p, place: (place.line > 0).then_some(place) })
}

impl Head {
    /// Appends the head to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let kind: u16 = match self.kind {
            RecordKind::Subject => 0,
            RecordKind::Comment => 1,
            RecordKind::Like => 2,
        };
        let event: u16 = match self.event {
            None => 0,
            Some(LikeEvent::Cast) => 1,
            Some(LikeEvent::Withdrawn) => 2,
        };
        let Self { is_rejected, has_substance, is_hidden, requires_subject, .. } = *self;
        let bits = [self.parent.is_some(), is_rejected, has_substance, is_hidden, requires_subject].map(u16::from);
        let bits = (4..).zip(bits).fold(0, |flags, (place, bit)| flags | bit << place);
        let flags = kind | event << 2 | bits;
        out.extend(self.key.to_le_bytes());
        out.extend(self.id.to_le_bytes());
        out.extend(self.parent.unwrap_or_default().to_le_bytes());
        out.extend(self.content.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        out.extend(self.length.to_le_bytes());
        out.extend(flags.to_le_bytes());
    }

    /// Parses a head, whose body begins at `offset`; `None` if the bytes are too few.
    pub(super) fn parse(bytes: &[u8; HEAD_BYTES], offset: u64) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (parent, rest) = rest.split_first_chunk()?;
        let (content, rest) = rest.split_first_chunk()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let flags = u16::from_le_bytes(*rest.first_chunk()?);
        let is_set = |bit: u16| flags >> bit & 1 == 1;
        Some(Self {
            kind: match flags & 3 {
                0 => RecordKind::Subject,
                1 => RecordKind::Comment,
                _ => RecordKind::Like,
            },
            key: u128::from_le_bytes(*key),
            id: u64::from_le_bytes(*id),
            parent: is_set(4).then(|| u64::from_le_bytes(*parent)),
            content: u64::from_le_bytes(*content),
            time: i64::from_le_bytes(*time),
            is_rejected: is_set(5),
            has_substance: is_set(6),
            is_hidden: is_set(7),
            requires_subject: is_set(8),
            event: match flags >> 2 & 3 {
                0 => None,
                1 => Some(LikeEvent::Cast),
                _ => Some(LikeEvent::Withdrawn),
            },
            offset,
            length: u32::from_le_bytes(*length),
        })
    }
}
