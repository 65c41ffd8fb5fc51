//! Converts domain types to messages of the contract.

mod comment;
mod event;
mod moderation;
mod page;
mod rendered;
mod report;
mod standing;
mod subject;

use prost_types::Timestamp;
use riposte_core::page::Liker;
use riposte_core::{LikeValue, Millis};
use riposte_sdk::v1;

pub(crate) use comment::{comment, complete_comment, content, plain_state, proposed_edit, thread};
pub(crate) use event::{event, gap, opened};
pub use event::{event_bytes, gap_bytes};
pub(crate) use moderation::{ModeratorConverter, client, lease_token};
pub(crate) use page::{Anchor, MAX_BYTES, PageArgs, cut, fit};
pub use rendered::ListPageRenderer;
pub(crate) use rendered::{RenderedBody, RenderedResponse, RenderedThread};
pub(crate) use report::{own_report, report, statement};
pub(crate) use standing::{checked_text, member_standing, text_outcome};
pub(crate) use subject::{subject, subject_key};

/// Converts a time.
pub(crate) fn time(Millis(millis): Millis) -> Timestamp {
    let nanos = i32::try_from(millis.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    Timestamp { seconds: millis.div_euclid(1000), nanos }
}

/// Converts a like value.
pub(crate) fn like_value(value: LikeValue) -> v1::LikeValue {
    match value {
        LikeValue::None => v1::LikeValue::None,
        LikeValue::Like => v1::LikeValue::Like,
        LikeValue::Dislike => v1::LikeValue::Dislike,
    }
}

/// Converts a member that likes or dislikes a comment.
pub(crate) fn liker(liker: &Liker) -> v1::Liker {
    v1::Liker { member_id: liker.member.as_str().to_owned(), like_time: Some(time(liker.time)) }
}

#[cfg(test)]
mod tests;
