//! One page of comments as text for a terminal.

use crate::cli::output::{count, printable};
use riposte_sdk::v1::{Comment, CommentState, CommentThread, ListCommentsResponse, ProposedEdit, UnlistedComment};
use std::collections::BTreeMap;

/// The viewer's own edits that wait, by comment.
type Edits<'a> = BTreeMap<i64, &'a ProposedEdit>;

/// Returns the page: a line about the subject, the viewer's own comments that no list shows, then
/// each comment, with its replies below it. An edit of the viewer that waits is below its comment.
pub(super) fn text(name: &str, own: &[UnlistedComment], page: &ListCommentsResponse) -> String {
    if page.subject.as_ref().is_some_and(|subject| subject.revision == 0) {
        return format!("{name}: no such subject; its first comment creates it\n");
    }
    let counts = page.subject.as_ref().map_or_else(String::new, |subject| {
        let all = u64::try_from(subject.comment_count).unwrap_or(0);
        let roots = u64::try_from(subject.root_count).unwrap_or(0);
        format!(": {} in {}", count(all, "comment"), count(roots, "thread"))
    });
    let mut text = format!("{name}{counts}\n");
    let edits: Edits<'_> =
        own.iter().filter_map(|own| Some((own.comment.as_ref()?.id, own.proposed_edit.as_ref()?))).collect();
    for comment in own.iter().filter_map(|own| own.comment.as_ref()).filter(|comment| !is_active(comment)) {
        push_comment(&mut text, comment, "", &edits);
    }
    let pinned: Vec<i64> = page.pinned.iter().filter_map(root_id).collect();
    let others = page.threads.iter().filter(|thread| root_id(thread).is_none_or(|id| !pinned.contains(&id)));
    for thread in page.pinned.iter().chain(others) {
        push_thread(&mut text, thread, &edits);
    }
    text
}

fn root_id(thread: &CommentThread) -> Option<i64> {
    thread.comment.as_ref().map(|root| root.id)
}

fn is_active(comment: &Comment) -> bool {
    [CommentState::Active, CommentState::Unspecified].contains(&comment.state())
}

fn push_thread(text: &mut String, thread: &CommentThread, edits: &Edits<'_>) {
    let Some(root) = &thread.comment else { return };
    push_comment(text, root, "", edits);
    for reply in &thread.replies {
        push_comment(text, reply, "    ", edits);
    }
    let more = i64::from(root.reply_count) - i64::try_from(thread.replies.len()).unwrap_or(0);
    if let Ok(more @ 1..) = u64::try_from(more) {
        let noun = if more == 1 { "reply" } else { "replies" };
        *text += &format!("    … {more} more {noun}\n");
    }
}

fn push_comment(text: &mut String, comment: &Comment, indent: &str, edits: &Edits<'_>) {
    let Comment { floor, id, member_id, like_count, pinned, .. } = comment;
    let time = comment.create_time.map_or_else(String::new, |time| format!(" · {time}"));
    let likes = match u64::try_from(*like_count).unwrap_or(0) {
        0 => String::new(),
        likes => format!(" · {}", count(likes, "like")),
    };
    let mark = if *pinned { " · pinned" } else { "" };
    let state = comment.state().as_str_name().trim_start_matches("COMMENT_STATE_");
    let state = if is_active(comment) { String::new() } else { format!(" · {state}") };
    let member = if member_id.is_empty() { "(deleted)".to_owned() } else { printable(member_id) };
    *text += &format!("\n{indent}#{floor} {member}{time}{likes}{mark}{state} · id {id}\n");
    for line in comment.content.iter().flat_map(|content| content.text.lines()) {
        *text += &format!("{indent}   {}\n", printable(line));
    }
    let Some(edit) = edits.get(id) else { return };
    *text += &format!("{indent}   your edit waits for review:\n");
    for line in edit.content.iter().flat_map(|content| content.text.lines()) {
        *text += &format!("{indent}   + {}\n", printable(line));
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use prost_types::Timestamp;
    use riposte_sdk::v1::{
        Comment, CommentState, CommentThread, Content, ListCommentsResponse, ProposedEdit, Subject, UnlistedComment,
    };

    fn comment(floor: i32, member: &str, words: &str) -> Comment {
        Comment {
            id: 100 + i64::from(floor),
            floor,
            member_id: member.into(),
            content: (!words.is_empty()).then(|| Content { text: words.into(), ..Content::default() }),
            create_time: Some(Timestamp { seconds: 1_772_820_000, nanos: 0 }),
            ..Comment::default()
        }
    }

    #[test]
    fn a_page_shows_threads_and_nothing_that_a_terminal_would_obey() {
        let root = Comment { reply_count: 3, like_count: 2, ..comment(1, "ann", "first\nand \u{1b}[31mred") };
        let page = ListCommentsResponse {
            subject: Some(Subject { revision: 9, root_count: 2, comment_count: 5, ..Subject::default() }),
            threads: vec![
                CommentThread {
                    comment: Some(root),
                    replies: vec![comment(1, "ben", "second")],
                    ..CommentThread::default()
                },
                CommentThread { comment: Some(comment(2, "", "")), ..CommentThread::default() },
            ],
            ..ListCommentsResponse::default()
        };
        let expected = "article/1: 5 comments in 2 threads

#1 ann · 2026-03-06T18:00:00Z · 2 likes · id 101
   first
   and \u{fffd}[31mred

    #1 ben · 2026-03-06T18:00:00Z · id 101
       second
    … 2 more replies

#2 (deleted) · 2026-03-06T18:00:00Z · id 102
";
        assert_eq!(text("article/1", &[], &page), expected);
        let waiting = Comment { state: CommentState::Pending.into(), ..comment(9, "ann", "mine") };
        let unlisted = |comment, proposed_edit| UnlistedComment { comment: Some(comment), proposed_edit };
        let own = text("article/1", &[unlisted(waiting, None)], &page);
        assert!(own.contains("\n#9 ann · 2026-03-06T18:00:00Z · PENDING · id 109\n   mine\n\n#1 ann"), "{own}");
        let edit = ProposedEdit { content: comment(0, "", "better").content, ..ProposedEdit::default() };
        let own = text("article/1", &[unlisted(comment(1, "ann", "first"), Some(edit))], &page);
        assert!(own.contains("red\n   your edit waits for review:\n   + better\n\n    #1 ben"), "{own}");
    }
}
