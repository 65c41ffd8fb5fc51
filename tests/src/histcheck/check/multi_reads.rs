//! Responses with several comments. A batch contains the requested comments, in the requested
//! order. A conversation goes from a comment to its ancestors, up to the root. A thread contains
//! the descendants of a comment in the order of paths, each comment after the one that it is
//! attached to. It leaves out no visible comment, and contains a tombstone only if that has a
//! visible descendant.

use std::collections::BTreeMap;

use super::int_map::IntMap;
use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, CommentSelector, Item, Outcome, THREAD_PAGE_SIZE};
use crate::histcheck::names;

/// Maximum number of comments of a conversation below the root.
const MAX_CONVERSATION: usize = 100;

/// Finds responses that lack a comment, or contain it in the wrong place.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let threads = Threads::of(history);
    for number in history.op_numbers {
        let op = history.op(*number);
        let (Call::Several { comments, .. }, Outcome::Comments(items)) = (&op.call, &op.outcome) else {
            continue;
        };
        match comments {
            CommentSelector::Batch(ids) => findings.add_if_any(check_batch(ids, items), *number),
            CommentSelector::Conversation(id) => findings.add_if_any(check_conversation(*id, items), *number),
            CommentSelector::Thread(id) => threads.check(findings, *number, *id, items),
        }
    }
}

fn check_batch(ids: &[i64], items: &[Item]) -> Option<String> {
    let same = items.iter().map(|item| item.id).eq(ids.iter().copied());
    (!same).then(|| format!("a batch of other comments than {ids:?}"))
}

fn check_conversation(id: i64, items: &[Item]) -> Option<String> {
    if items.first().is_none_or(|first| first.id != id) {
        return Some(format!("a conversation that does not begin with {id}"));
    }
    // A longer conversation leaves out the comments just below the root.
    let adjacent = if items.len() > MAX_CONVERSATION { items.len() - 1 } else { items.len() };
    let broken = items[..adjacent].windows(2).find(|pair| pair[0].parent != pair[1].id);
    if let Some([comment, next]) = broken {
        return Some(format!("the parent of {} is {}, and {} follows it", comment.id, comment.parent, next.id));
    }
    items.last().filter(|last| last.root != 0).map(|last| format!("a conversation ends with {}, a reply", last.id))
}

/// The position of a comment: the id of its root, and the floors on the path down to it
/// (`server/core/src/domain/path.rs`).
type Path = Vec<i64>;

/// The tree of the comments of a subject.
struct Threads<'s, 'h> {
    history: &'s SubjectHistory<'h>,
    levels: usize,
    /// The comments of each thread, including its root, by their paths.
    by_root: BTreeMap<i64, BTreeMap<Path, &'s Comment>>,
    paths: IntMap<i64, Path>,
}

impl<'s, 'h> Threads<'s, 'h> {
    fn of(history: &'s SubjectHistory<'h>) -> Self {
        let levels = history.op_numbers.first().map_or(1, |number| names::levels(history.op(*number).call.subject()));
        let mut threads = Self { history, levels, by_root: BTreeMap::new(), paths: IntMap::default() };
        let mut comments: Vec<&Comment> = history.comments.iter().collect();
        // A comment comes after its parent.
        comments.sort_by_key(|comment| (comment.root != 0, comment.floor));
        for comment in comments {
            let parent = history.parent(comment);
            let Some(path) = threads.path(comment.id, parent, comment.floor) else { continue };
            threads.paths.insert(comment.id, path.clone());
            threads.by_root.entry(path[0]).or_default().insert(path, comment);
        }
        threads
    }

    /// Returns the path of a comment with this floor and this parent; `None` if the parent's path
    /// is unknown.
    fn path(&self, id: i64, parent: i64, floor: i32) -> Option<Path> {
        if parent == 0 {
            return Some(vec![id]);
        }
        let mut path = self.paths.get(&parent)?.clone();
        path.truncate(self.levels - 1);
        path.push(floor.into());
        Some(path)
    }

    fn check(&self, findings: &mut Findings, number: u32, id: i64, items: &[Item]) {
        let Some(top) = self.paths.get(&id) else { return };
        let paths: Option<Vec<Path>> = items.iter().map(|item| self.path(item.id, item.parent, item.floor)).collect();
        let Some(paths) = paths else { return };
        // A full page may end before the visible descendant of a tombstone.
        let is_complete = items.len() < THREAD_PAGE_SIZE;
        let violation = misplaced(top, &paths, items).or_else(|| bare_tombstone(&paths, items).filter(|_| is_complete));
        if let Some(violation) = violation {
            findings.add(|| format!("the thread of {id}: {violation}"), &[number]);
        } else {
            // A full page may leave out the comments after its last one.
            let end = paths.last().filter(|_| !is_complete);
            self.check_complete(findings, number, top, &paths, end);
        }
    }

    /// Checks that a thread contains every comment that was visible all the time.
    fn check_complete(&self, findings: &mut Findings, number: u32, top: &Path, shown: &[Path], end: Option<&Path>) {
        let op = self.history.op(number);
        let fresh = op.call.view().is_some_and(|view| view.fresh);
        let since = if fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
        let thread = self.by_root.get(&top[0]).into_iter().flat_map(|thread| thread.range(top.clone()..));
        let is_within = |path: &Path| path.starts_with(top) && end.is_none_or(|end| path <= end);
        for (path, comment) in thread.take_while(|(path, _)| is_within(path)) {
            if shown.binary_search(path).is_err() && comment.was_visible(self.history, since, op.ended) {
                let description = || format!("a thread leaves out {} of floor {}", comment.id, comment.floor);
                findings.add(description, &comment.explaining_ops(self.history, number));
            }
        }
    }
}

/// Returns a comment in the wrong place, or without the comment that it is attached to.
fn misplaced(top: &Path, paths: &[Path], items: &[Item]) -> Option<String> {
    if let Some(foreign) = paths.iter().position(|path| !path.starts_with(top)) {
        return Some(format!("{} is not below it", items[foreign].id));
    }
    if let Some(late) = paths.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Some(format!("{} follows {}, and its path is lower", items[late + 1].id, items[late].id));
    }
    let is_attached =
        |path: &Path| path == top || paths.binary_search_by(|other| other[..].cmp(&path[..path.len() - 1])).is_ok();
    let detached = paths.iter().position(|path| !is_attached(path))?;
    Some(format!("{} without the comment that it is attached to", items[detached].id))
}

/// Returns a tombstone without a visible descendant.
fn bare_tombstone(paths: &[Path], items: &[Item]) -> Option<String> {
    let has_visible_descendant = |at: usize| {
        let below = paths[at + 1..].iter().zip(&items[at + 1..]).take_while(|(path, _)| path.starts_with(&paths[at]));
        below.into_iter().any(|(_, item)| !item.is_tombstone())
    };
    let bare = (0..items.len()).find(|at| items[*at].is_tombstone() && !has_visible_descendant(*at))?;
    Some(format!("{} is deleted, and no visible comment is below it", items[bare].id))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item, tombstone};
    use crate::histcheck::history::{CommentSelector, Item, WriteResponse};

    /// Returns root 11 with the replies 21 and 22, and reply 23 to 21.
    fn thread() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).reply(2, 11, 21, 1, 2).reply(3, 11, 22, 2, 3);
        sample_history.reply_to(4, 21, WriteResponse { id: 23, root: 11, floor: 3, revision: 4 });
        sample_history
    }

    fn items() -> [Item; 4] {
        [item(11, 1), below(11, 21, 1), below(11, 22, 2), Item { parent: 21, ..below(11, 23, 3) }]
    }

    #[test]
    fn the_requested_comments_in_their_order_are_valid() {
        let (mut sample_history, [root, one, two, three]) = (thread(), items());
        sample_history.several(5, CommentSelector::Batch([21, 11, 21].into()), &[one, root, one]);
        sample_history.several(6, CommentSelector::Conversation(23), &[three, one, root]);
        sample_history.several(7, CommentSelector::Conversation(11), &[root]);
        sample_history.several(8, CommentSelector::Thread(11), &[root, one, three, two]);
        sample_history.several(9, CommentSelector::Thread(21), &[one, three]);
        sample_history.delete(10, 21, 5).several(11, CommentSelector::Thread(21), &[deleted(one), three]);
        sample_history.delete(12, 23, 6).several(13, CommentSelector::Thread(11), &[root, two]);
        sample_history.several(14, CommentSelector::Thread(21), &[]).several(15, CommentSelector::Thread(23), &[]);
        sample_history.finds_nothing_of("multi reads");
    }

    #[test]
    fn a_reply_to_a_comment_of_the_last_level_is_its_sibling() {
        let mut sample_history = thread();
        sample_history.reply_to(5, 23, WriteResponse { id: 24, root: 11, floor: 4, revision: 5 });
        sample_history.reply_to(6, 24, WriteResponse { id: 25, root: 11, floor: 5, revision: 6 });
        let [root, one, two, three] = items();
        let [four, five] =
            [(23, 24, 4), (24, 25, 5)].map(|(parent, id, floor)| Item { parent, ..below(11, id, floor) });
        sample_history.several(7, CommentSelector::Thread(11), &[root, one, three, four, five, two]);
        sample_history.several(8, CommentSelector::Thread(23), &[three, four, five]).several(
            9,
            CommentSelector::Thread(24),
            &[four],
        );
        sample_history.finds_nothing_of("multi reads");
        sample_history
            .several(10, CommentSelector::Thread(24), &[four, five])
            .finds("multi reads", "25 is not below it");
    }

    #[test]
    fn comments_that_were_not_requested_are_found() {
        let [root, one, two, three] = items();
        let finds = |comments: CommentSelector, items: &[Item], text: &str| {
            let mut sample_history = thread();
            sample_history.several(5, comments, items).finds("multi reads", text);
        };
        finds(CommentSelector::Batch([21, 11].into()), &[root, one], "a batch of other comments");
        finds(CommentSelector::Batch([21, 11].into()), &[one], "a batch of other comments");
        finds(CommentSelector::Conversation(23), &[one, root], "does not begin with 23");
        finds(CommentSelector::Conversation(23), &[three, two, root], "the parent of 23 is 21, and 22 follows it");
        finds(CommentSelector::Conversation(23), &[three, one], "ends with 21, a reply");
        finds(CommentSelector::Thread(11), &[one, three], "21 without the comment that it is attached to");
        finds(CommentSelector::Thread(11), &[root, three, two], "23 without the comment that it is attached to");
        finds(CommentSelector::Thread(11), &[root, one, two, three], "23 follows 22, and its path is lower");
        finds(CommentSelector::Thread(11), &[root, two, one, three], "21 follows 22");
        finds(CommentSelector::Thread(21), &[one, two, three], "22 is not below it");
        finds(CommentSelector::Thread(11), &[root, one, two], "leaves out 23 of floor 3");
        finds(CommentSelector::Thread(21), &[one], "leaves out 23 of floor 3");
        finds(CommentSelector::Thread(21), &[], "leaves out 21 of floor 1");
        let mut sample_history = thread();
        sample_history.delete(5, 23, 5).several(6, CommentSelector::Thread(21), &[one, deleted(three)]);
        sample_history.finds("multi reads", "23 is deleted, and no visible comment");
    }

    /// Returns the tombstone of a reply.
    fn deleted(item: Item) -> Item {
        let Item { id, root, parent, floor, .. } = item;
        Item { root, parent, ..tombstone(id, floor) }
    }
}
