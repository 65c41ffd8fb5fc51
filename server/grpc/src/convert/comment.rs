//! Comments as messages, for readers.

use riposte_core::page::Thread;
use riposte_core::proposal::{Proposal, ProposalState};
use riposte_core::{CommentId, CommentState, CommentView, Content, DeletedBy};
use riposte_sdk::v1;

use super::{subject_key, time};

/// Converts a comment as it was redacted for its reader: without content it is a tombstone, which
/// has no author either.
pub(crate) fn comment(view: CommentView) -> v1::Comment {
    let CommentView { comment, subject, content, pinned } = view;
    let visible = content.filter(|_| comment.lifecycle.state != CommentState::Deleted);
    let etag = comment.etag();
    v1::Comment {
        id: comment.reference.id.get(),
        subject: Some(subject_key(&subject)),
        root_id: comment.reference.root_id.map_or(0, CommentId::get),
        parent_id: comment.reference.parent_id.map_or(0, CommentId::get),
        depth: i32::from(comment.reference.path.depth()),
        floor: comment.reference.floor,
        state: plain_state(comment.lifecycle.state.shown_to(visible.is_some())).into(),
        member_id: visible.as_ref().map_or_else(String::new, |_| comment.reference.member.into()),
        content: visible.map(self::content),
        deleted_by: comment.lifecycle.deleted_by.map_or(v1::DeletedBy::Unspecified, deleted_by).into(),
        like_count: comment.counts.like_count,
        dislike_count: comment.counts.dislike_count,
        reply_count: comment.counts.reply_count,
        pinned,
        revision: comment.lifecycle.revision,
        etag,
        create_time: Some(time(comment.reference.create_time)),
        update_time: Some(time(comment.lifecycle.update_time)),
        edit_time: comment.lifecycle.edit_time.map(time),
        delete_time: comment.lifecycle.delete_time.map(time),
    }
}

/// Converts a comment as moderators and operators get it: with its author, its true state, and the
/// content that was read.
pub(crate) fn complete_comment(view: CommentView) -> v1::Comment {
    let (member_id, state) = (view.comment.reference.member.as_str().to_owned(), view.comment.lifecycle.state);
    let content = view.content.clone().map(self::content);
    v1::Comment { member_id, content, state: plain_state(state).into(), ..comment(view) }
}

/// Converts the content of a comment.
pub(crate) fn content(content: Content) -> v1::Content {
    let (text, mentions, metadata) = content.into_parts();
    v1::Content { text, mentioned_member_ids: mentions.into_iter().map(String::from).collect(), metadata }
}

/// Converts a proposed edit, for the author of its comment and for moderators.
pub(crate) fn proposed_edit(proposal: Proposal) -> v1::ProposedEdit {
    let state = match proposal.state {
        ProposalState::Waiting => v1::ProposalState::Waiting,
        ProposalState::Rejected => v1::ProposalState::Rejected,
        // No response has such a proposal.
        ProposalState::Dropped | ProposalState::Approved => v1::ProposalState::Unspecified,
    };
    v1::ProposedEdit {
        content: Some(content(proposal.content)),
        number: proposal.number,
        state: state.into(),
        create_time: Some(time(proposal.time)),
    }
}

/// Converts a root with its preview. `token` creates the token that lists all its replies, which is
/// set only if the preview is incomplete.
///
/// # Errors
/// Those of `token`.
pub(crate) fn thread<E>(
    thread: Thread,
    token: impl FnOnce(CommentId) -> Result<String, E>,
) -> Result<v1::CommentThread, E> {
    let reply_page_token = if thread.more_replies { token(thread.root.comment.reference.id)? } else { String::new() };
    let replies = thread.replies.into_iter().map(comment).collect();
    Ok(v1::CommentThread { comment: Some(comment(thread.root)), replies, reply_page_token })
}

fn deleted_by(role: DeletedBy) -> v1::DeletedBy {
    match role {
        DeletedBy::Author => v1::DeletedBy::Author,
        DeletedBy::SubjectOwner => v1::DeletedBy::SubjectOwner,
        DeletedBy::Moderator => v1::DeletedBy::Moderator,
    }
}

/// Returns a state by its name in the contract.
pub(crate) fn plain_state(state: CommentState) -> v1::CommentState {
    match state {
        CommentState::Active => v1::CommentState::Active,
        CommentState::Pending => v1::CommentState::Pending,
        CommentState::Rejected => v1::CommentState::Rejected,
        // The contract reserves the number of SHADOWED, a state that no act reaches.
        CommentState::Hidden | CommentState::Shadowed => v1::CommentState::Hidden,
        CommentState::Deleted => v1::CommentState::Deleted,
    }
}
