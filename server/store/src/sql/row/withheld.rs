//! The rows of texts that only authors and moderators may read.

use riposte_core::proposal::{Proposal, ProposalState};
use riposte_core::write_set::{OriginalContent, WithheldContent};
use riposte_core::{CommentId, Content, Millis, Result};
use sea_orm::ActiveValue::Set;

use super::content::{extra_bytes, mentions_text, metadata_text, of_columns};
use super::{id, unreadable};
use crate::shard::part;
use crate::sql::entity::comment_withheld::{ActiveModel, Model};

/// The table, as errors name it.
const TABLE: &str = "comment_withheld";
/// The kind of a proposed edit. It never changes.
pub(crate) const PROPOSAL: i8 = 1;
/// The kind of a content before words were masked. Its number is the version of the comment with
/// the masked content, or -n for that of proposal n. It never changes.
pub(crate) const ORIGINAL: i8 = 2;
/// The kind of a former content that was not in sight. It never changes.
pub(crate) const FORMER: i8 = 3;
/// The state of an original whose masked content was replaced. That of all others is 0.
pub(crate) const REPLACED: i8 = 3;

/// Converts the row of a proposed edit.
pub(crate) fn proposal(row: Model) -> Result<Proposal> {
    let Model { comment_id, number, text, mentions, metadata, extra, state, time, .. } = row;
    let fault = |column: &str| unreadable(TABLE, comment_id, column);
    Ok(Proposal {
        comment_id: id(comment_id)?,
        number: i32::try_from(number).map_err(|_| fault("number"))?,
        content: of_columns(text, &mentions, &metadata, extra.as_deref()).map_err(fault)?,
        state: ProposalState::from_code(state).ok_or_else(|| fault("state"))?,
        time: Millis(time),
    })
}

/// Returns the row of a new proposed edit.
pub(crate) fn proposal_model(proposal: &Proposal) -> Result<ActiveModel> {
    let Proposal { comment_id, number, content, state, time } = proposal;
    let row = content_row(*comment_id, (PROPOSAL, i64::from(*number)), content, *time)?;
    Ok(ActiveModel { state: Set(state.code()), ..row })
}

/// Converts the row of an original: its comment, its number and the content.
pub(crate) fn original(row: Model) -> Result<(CommentId, i64, Content)> {
    let Model { comment_id, number, text, mentions, metadata, extra, .. } = row;
    let content = of_columns(text, &mentions, &metadata, extra.as_deref());
    Ok((id(comment_id)?, number, content.map_err(|column| unreadable(TABLE, comment_id, column))?))
}

/// Returns the row of the original of a masked content.
pub(crate) fn original_model((id, number): (CommentId, i64), original: &OriginalContent) -> Result<ActiveModel> {
    let OriginalContent { content, time, is_replaced } = original;
    let row = content_row(id, (ORIGINAL, number), content, *time)?;
    Ok(ActiveModel { state: Set(original_state(*is_replaced)), ..row })
}

/// Returns the state of the row of an original.
pub(crate) const fn original_state(is_replaced: bool) -> i8 {
    if is_replaced { REPLACED } else { 0 }
}

/// Returns the row of a former content that was not in sight.
pub(crate) fn withheld_model(withheld: &WithheldContent) -> Result<ActiveModel> {
    let edit = &withheld.edit;
    let row = content_row(edit.comment_id, (FORMER, edit.version), &edit.content, edit.time)?;
    Ok(ActiveModel { once_public: Set(i8::from(withheld.once_public)), ..row })
}

fn content_row(id: CommentId, (kind, number): (i8, i64), content: &Content, time: Millis) -> Result<ActiveModel> {
    Ok(ActiveModel {
        comment_id: Set(id.get()),
        kind: Set(kind),
        number: Set(number),
        part: Set(part(id.partition())),
        text: Set(content.text().to_owned()),
        mentions: Set(mentions_text(content)?),
        metadata: Set(metadata_text(content.metadata())?),
        extra: Set(extra_bytes(content)),
        once_public: Set(0),
        state: Set(0),
        key_id: Set(0),
        time: Set(time.0),
    })
}
