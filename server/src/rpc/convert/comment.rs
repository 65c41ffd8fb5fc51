//! Comments as messages, for readers.

use riposte_core::page::Thread;
use riposte_core::{CommentId, CommentState, CommentView, Content, DeletedBy};
use riposte_sdk::v1;

use super::{subject_key, time};

/// Converts a comment as it was redacted for its reader: without content it is a tombstone, which
/// has no author either.
pub(crate) fn comment(view: CommentView) -> v1::Comment {
    let CommentView { comment, subject, content: said, pinned } = view;
    let said = said.filter(|_| comment.state != CommentState::Deleted);
    let etag = comment.etag();
    v1::Comment {
        id: comment.id.get(),
        subject: Some(subject_key(&subject)),
        root_id: comment.root_id.map_or(0, CommentId::get),
        parent_id: comment.parent_id.map_or(0, CommentId::get),
        depth: i32::from(comment.path.depth()),
        floor: comment.floor,
        state: shown_state(comment.state, said.is_some()).into(),
        member_id: said.as_ref().map_or_else(String::new, |_| comment.member.into()),
        content: said.map(content),
        deleted_by: comment.deleted_by.map_or(v1::DeletedBy::Unspecified, deleted_by).into(),
        like_count: comment.like_count,
        dislike_count: comment.dislike_count,
        reply_count: comment.reply_count,
        pinned,
        revision: comment.revision,
        etag,
        create_time: Some(time(comment.create_time)),
        update_time: Some(time(comment.update_time)),
        edit_time: comment.edit_time.map(time),
        delete_time: comment.delete_time.map(time),
    }
}

/// Converts the content of a comment.
pub(crate) fn content(content: Content) -> v1::Content {
    let (text, mentions, metadata) = content.into_parts();
    v1::Content { text, mentioned_member_ids: mentions.into_iter().map(String::from).collect(), metadata }
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
    let reply_page_token = if thread.more_replies { token(thread.root.comment.id)? } else { String::new() };
    let replies = thread.replies.into_iter().map(comment).collect();
    Ok(v1::CommentThread { comment: Some(comment(thread.root)), replies, reply_page_token })
}

/// Returns the state as a reader of the complete comment, or of its tombstone, sees it. Without
/// content, PENDING, REJECTED and SHADOWED all read as HIDDEN; the author of a SHADOWED comment,
/// which has its content, sees it as ACTIVE.
fn shown_state(now: CommentState, whole: bool) -> v1::CommentState {
    match (now, whole) {
        (CommentState::Shadowed, true) => v1::CommentState::Active,
        (CommentState::Pending | CommentState::Rejected | CommentState::Shadowed, false) => v1::CommentState::Hidden,
        (now, _) => plain_state(now),
    }
}

fn deleted_by(who: DeletedBy) -> v1::DeletedBy {
    match who {
        DeletedBy::Author => v1::DeletedBy::Author,
        DeletedBy::SubjectOwner => v1::DeletedBy::SubjectOwner,
        DeletedBy::Moderator => v1::DeletedBy::Moderator,
    }
}

/// Returns every state by its own name, for operators.
pub(crate) fn plain_state(state: CommentState) -> v1::CommentState {
    match state {
        CommentState::Active => v1::CommentState::Active,
        CommentState::Pending => v1::CommentState::Pending,
        CommentState::Rejected => v1::CommentState::Rejected,
        CommentState::Hidden => v1::CommentState::Hidden,
        CommentState::Shadowed => v1::CommentState::Shadowed,
        CommentState::Deleted => v1::CommentState::Deleted,
    }
}
