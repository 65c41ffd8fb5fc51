//! Notices: each member is named once for a comment, and never its author; none is named before the
//! comment is published. The author of the parent is named at the first publication of a reply. Of
//! a comment that is in sight at the end, every member that its text mentions was named.

use std::collections::BTreeSet;

use super::Findings;
use super::events::{Received, received};
use super::tables::StoredRows;
use crate::histcheck::history::{CommentRow, FeedReaderKind, History, REPLY, SeenEvent, event_kind};
use crate::histcheck::names;

/// The kinds of events that name members.
const NOTIFYING: [i32; 3] = [event_kind::PUBLISHED, event_kind::EDITED, event_kind::RESTORED];

/// Finds members that are named twice, too early or not at all.
pub(super) fn check(history: &History, stored: &StoredRows<'_>, findings: &mut Findings) {
    if history.feed.is_empty() {
        return;
    }
    findings.begin("notices");
    for reader in [FeedReaderKind::Public, FeedReaderKind::Moderation] {
        check_reader(reader, &received(history, reader), stored, findings);
    }
}

fn check_reader(reader: FeedReaderKind, events: &Received<'_>, stored: &StoredRows<'_>, findings: &mut Findings) {
    let author = |id: i64| stored.comments.get(&id).map(|row| row.member);
    let (mut published, mut named) = (BTreeSet::new(), BTreeSet::new());
    for event in events.values() {
        if event.kind == event_kind::PUBLISHED {
            published.insert(event.comment);
        }
        findings.cases(event.notices.len());
        for (member, _) in &event.notices {
            if !NOTIFYING.contains(&event.kind) || !published.contains(&event.comment) {
                findings.add(|| format!("{reader:?}: it names members before its publication: {event:?}"), &[]);
            }
            if !named.insert((event.comment, *member)) {
                findings.add(|| format!("{reader:?}: it names member {member} again: {event:?}"), &[]);
            }
            if author(event.comment) == Some(*member) {
                findings.add(|| format!("{reader:?}: it names its author: {event:?}"), &[]);
            }
        }
        let parent = author(event.parent).filter(|parent| author(event.comment) != Some(*parent));
        if event.kind == event_kind::PUBLISHED && !parent.is_none_or(|parent| names_parent(event, parent)) {
            findings
                .add(|| format!("{reader:?}: it does not name the author of its parent, {parent:?}: {event:?}"), &[]);
        }
    }
    let is_mentioning = |row: &CommentRow| {
        let content = stored.contents.get(&row.id).filter(|content| !names::is_judged(content.text_subject))?;
        names::mentioned(content.text).filter(|_| row.state == CommentRow::VISIBLE)
    };
    for row in stored.comments.values() {
        if let Some(member) = is_mentioning(row).filter(|member| !named.contains(&(row.id, *member))) {
            findings.add(|| format!("{reader:?}: no event names {member}, and a text mentions it: {row:?}"), &[]);
        }
    }
}

fn names_parent(event: &SeenEvent, parent: u32) -> bool {
    event.notices.contains(&(parent, REPLY))
}

#[cfg(test)]
mod tests {
    use super::super::events::sample::SampleFeed;
    use super::*;
    use crate::histcheck::history::FeedReaderKind::Moderation;

    /// The number of a reason other than [`REPLY`].
    const MENTION: i32 = 2;
    /// A text that mentions a member.
    const TEXT: u64 = 8;

    #[test]
    fn a_member_is_named_once_and_never_as_the_author() {
        SampleFeed::default().change_both(3, |edit| edit.notices = Box::new([(5, MENTION)])).finds_nothing();
        let again = |event: &mut SeenEvent| event.notices = Box::new([(5, MENTION)]);
        SampleFeed::default().change_both(0, again).change_both(3, again).finds("it names member 5 again");
        SampleFeed::default()
            .change_both(0, |event| event.notices = Box::new([(1, MENTION)]))
            .finds("names its author");
    }

    #[test]
    fn a_member_that_is_named_before_the_publication_is_found() {
        let held = [(0, event_kind::HELD, 11)];
        let named = |events: &mut Vec<SeenEvent>| {
            let mut first = events.pop().unwrap();
            first.notices = Box::new([(5, MENTION)]);
            events.insert(0, first);
        };
        SampleFeed::default().with(Moderation, &held).change(Moderation, named).finds("before its publication");
    }

    #[test]
    fn a_member_that_no_event_names_is_found() {
        SampleFeed::default()
            .change_both(1, |reply| reply.notices = Box::new([]))
            .finds("does not name the author of its parent");
        let member = names::mentioned(TEXT).unwrap();
        SampleFeed::default().text(11, TEXT).finds("and a text mentions it");
        let named = |event: &mut SeenEvent| event.notices = Box::new([(member, MENTION)]);
        SampleFeed::default().text(11, TEXT).change_both(3, named).finds_nothing();
        // The text of a comment out of sight names no member.
        SampleFeed::default().text(13, TEXT).finds_nothing();
    }
}
