//! Events as messages.

use prost::Message;
use riposte_core::event::{Notice, NoticeReason};
use riposte_core::feed::{DerivedEvent, EventModeration, FeedEvent, GapReason};
use riposte_core::ports::FeedTimes;
use riposte_core::{CommentId, CommentState, MemberId};
use riposte_sdk::v1;

use super::comment::plain_state;
use super::{subject_key, time};

/// Converts an event of a timeline.
pub(crate) fn event(event: &FeedEvent, timeline: u16) -> v1::CommentEvent {
    let event_id = event.id(timeline);
    let FeedEvent { event, key, parent, member, .. } = event;
    let DerivedEvent { kind, revision, comment, root, notices, moderation, time: at, .. } = event;
    let id = |id: &Option<CommentId>| id.map_or(0, CommentId::get);
    let (from, to, decision) = match moderation {
        Some(EventModeration { from, to, decision }) => (*from, Some(*to), *decision),
        None => (None, None, None),
    };
    let state = |state: Option<CommentState>| state.map_or(v1::CommentState::Unspecified, plain_state).into();
    v1::CommentEvent {
        id: event_id,
        kind: kind.number().into(),
        subject: Some(subject_key(key)),
        subject_revision: *revision,
        comment_id: id(comment),
        root_id: id(root),
        parent_id: id(parent),
        member_id: member.as_ref().map_or_else(String::new, |member| member.as_str().to_owned()),
        notices: notices.iter().map(|notice| self::notice(id(comment), notice)).collect(),
        from_state: state(from),
        to_state: state(to),
        decision_id: decision.map_or_else(String::new, |decision| decision.to_string()),
        time: Some(time(*at)),
    }
}

/// Returns the message of an event of a timeline, as a topic has it.
#[must_use]
pub fn event_bytes(event: &FeedEvent, timeline: u16) -> Vec<u8> {
    self::event(event, timeline).encode_to_vec()
}

/// Returns the message of a gap, as a topic has it.
#[must_use]
pub fn gap_bytes(reason: GapReason) -> Vec<u8> {
    gap(reason).encode_to_vec()
}

fn notice(comment: i64, Notice { member, reason }: &Notice) -> v1::Notice {
    let reason = match reason {
        NoticeReason::Reply => v1::NoticeReason::Reply,
        NoticeReason::Mention => v1::NoticeReason::Mention,
        NoticeReason::Owner => v1::NoticeReason::Owner,
        NoticeReason::Thread => v1::NoticeReason::Thread,
        NoticeReason::Unknown => v1::NoticeReason::Unspecified,
    };
    let member_id = MemberId::as_str(member).to_owned();
    v1::Notice { id: format!("{comment}.{member_id}"), member_id, reason: reason.into() }
}

/// Converts a gap.
pub(crate) fn gap(reason: GapReason) -> v1::EventGap {
    let reason = match reason {
        GapReason::Retention => v1::EventGapReason::Retention,
        GapReason::Restored => v1::EventGapReason::Restored,
    };
    v1::EventGap { reason: reason.into() }
}

/// Converts the times at which a stream begins.
pub(crate) fn opened(FeedTimes { oldest, begin }: FeedTimes) -> v1::EventsOpened {
    v1::EventsOpened { oldest_time: Some(time(oldest)), time: Some(time(begin)) }
}
