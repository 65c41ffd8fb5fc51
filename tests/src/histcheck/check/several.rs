//! Responses with several comments. A batch contains the requested comments, in the requested
//! order. A conversation goes from a comment to its ancestors, up to the root. A thread contains
//! the descendants of a comment in the order of paths, each comment after the one that it is
//! attached to. It leaves out no visible comment, and contains a tombstone only if that has a
//! visible descendant.

use std::collections::BTreeMap;

use super::fixture::{Comment, Fixture};
use super::quick::QuickMap;
use super::{Found, STALE};
use crate::histcheck::history::{Call, Item, Outcome, THREAD, Which};
use crate::histcheck::names;

/// Maximum number of comments of a conversation below the root.
const LONGEST: usize = 100;

/// Finds responses that lack a comment, or contain it in the wrong place.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let threads = Threads::of(fixture);
    for number in fixture.mine {
        let op = fixture.op(*number);
        let (Call::Several { which, .. }, Outcome::Comments(items)) = (&op.call, &op.outcome) else { continue };
        match which {
            Which::Batch(ids) => found.extend(batch(ids, items), *number),
            Which::Conversation(id) => found.extend(conversation(*id, items), *number),
            Which::Thread(id) => threads.judge(found, *number, *id, items),
        }
    }
}

fn batch(ids: &[i64], items: &[Item]) -> Option<String> {
    let same = items.iter().map(|item| item.id).eq(ids.iter().copied());
    (!same).then(|| format!("a batch of others than {ids:?}"))
}

fn conversation(id: i64, items: &[Item]) -> Option<String> {
    if items.first().is_none_or(|first| first.id != id) {
        return Some(format!("a conversation that does not begin with {id}"));
    }
    // A longer conversation leaves out the comments just below the root.
    let near = if items.len() > LONGEST { items.len() - 1 } else { items.len() };
    let broken = items[..near].windows(2).find(|pair| pair[0].parent != pair[1].id);
    if let Some([comment, next]) = broken {
        return Some(format!("{} answers {}, and {} follows it", comment.id, comment.parent, next.id));
    }
    items.last().filter(|last| last.root != 0).map(|last| format!("a conversation ends with {}, a reply", last.id))
}

/// The position of a comment: the id of its root, and the floors on the path down to it
/// (`server/core/src/domain/path.rs`).
type Path = Vec<i64>;

/// The tree of the comments of a subject.
struct Threads<'s, 'h> {
    fixture: &'s Fixture<'h>,
    levels: usize,
    /// All comments of each root, including the root, by their paths.
    all: BTreeMap<i64, BTreeMap<Path, &'s Comment>>,
    paths: QuickMap<i64, Path>,
}

impl<'s, 'h> Threads<'s, 'h> {
    fn of(fixture: &'s Fixture<'h>) -> Self {
        let levels = fixture.mine.first().map_or(1, |number| names::levels(fixture.op(*number).call.subject()));
        let mut threads = Self { fixture, levels, all: BTreeMap::new(), paths: QuickMap::default() };
        let mut comments: Vec<&Comment> = fixture.comments.iter().collect();
        // A comment comes after its parent.
        comments.sort_by_key(|comment| (comment.root != 0, comment.floor));
        for comment in comments {
            let parent =
                fixture.call(&fixture.requests[comment.request as usize]).makes().map_or(0, |(_, parent, _)| parent);
            let Some(path) = threads.path(comment.id, parent, comment.floor) else { continue };
            threads.paths.insert(comment.id, path.clone());
            threads.all.entry(path[0]).or_default().insert(path, comment);
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

    fn judge(&self, found: &mut Found, number: u32, id: i64, items: &[Item]) {
        let Some(top) = self.paths.get(&id) else { return };
        let paths: Option<Vec<Path>> = items.iter().map(|item| self.path(item.id, item.parent, item.floor)).collect();
        let Some(paths) = paths else { return };
        let wrong = disordered(top, &paths, items).or_else(|| bare(&paths, items).filter(|_| items.len() < THREAD));
        if let Some(what) = wrong {
            found.add(|| format!("the thread of {id}: {what}"), &[number]);
        } else {
            // A full page says nothing about the comments after its last one.
            let end = paths.last().filter(|_| items.len() >= THREAD);
            self.whole(found, number, top, &paths, end);
        }
    }

    /// Checks that a thread contains every comment that was visible all the time.
    fn whole(&self, found: &mut Found, number: u32, top: &Path, shown: &[Path], end: Option<&Path>) {
        let op = self.fixture.op(number);
        let fresh = op.call.view().is_some_and(|view| view.fresh);
        let since = if fresh { op.begun } else { op.begun.saturating_sub(STALE) };
        let all = self.all.get(&top[0]).into_iter().flat_map(|all| all.range(top.clone()..));
        let within = |path: &Path| path.starts_with(top) && end.is_none_or(|end| path <= end);
        for (path, comment) in all.take_while(|(path, _)| within(path)) {
            if shown.binary_search(path).is_err() && comment.was_there(self.fixture, since, op.ended) {
                let what = || format!("a thread leaves out {} of floor {}", comment.id, comment.floor);
                found.add(what, &comment.story(self.fixture, number));
            }
        }
    }
}

/// Returns a comment in the wrong place, or without the comment that it is attached to.
fn disordered(top: &Path, paths: &[Path], items: &[Item]) -> Option<String> {
    if let Some(stray) = paths.iter().position(|path| !path.starts_with(top)) {
        return Some(format!("{} does not stand below it", items[stray].id));
    }
    if let Some(late) = paths.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Some(format!("{} follows {}, and stands before it", items[late + 1].id, items[late].id));
    }
    let attached =
        |path: &Path| path == top || paths.binary_search_by(|other| other[..].cmp(&path[..path.len() - 1])).is_ok();
    let loose = paths.iter().position(|path| !attached(path))?;
    Some(format!("{} without what it is attached to", items[loose].id))
}

/// Returns a tombstone without a visible descendant.
fn bare(paths: &[Path], items: &[Item]) -> Option<String> {
    let covers = |at: usize| {
        let below = paths[at + 1..].iter().zip(&items[at + 1..]).take_while(|(path, _)| path.starts_with(&paths[at]));
        below.into_iter().any(|(_, item)| !item.is_tombstone())
    };
    let bare = (0..items.len()).find(|at| items[*at].is_tombstone() && !covers(*at))?;
    Some(format!("{} is deleted, and nothing that can be seen stands below it", items[bare].id))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item, tombstone};
    use crate::histcheck::history::{Item, Which, Written};

    /// Returns 11 with 21 and 22 below it, and 23 below 21.
    fn thread() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).reply(2, 11, 21, 1, 2).reply(3, 11, 22, 2, 3);
        sample_history.answer(4, 21, Written { id: 23, root: 11, floor: 3, revision: 4 });
        sample_history
    }

    fn four() -> [Item; 4] {
        [item(11, 1), below(11, 21, 1), below(11, 22, 2), Item { parent: 21, ..below(11, 23, 3) }]
    }

    #[test]
    fn what_was_asked_for_in_its_order_is_fine() {
        let (mut sample_history, [root, one, two, three]) = (thread(), four());
        sample_history.several(5, Which::Batch([21, 11, 21].into()), &[one, root, one]);
        sample_history.several(6, Which::Conversation(23), &[three, one, root]);
        sample_history.several(7, Which::Conversation(11), &[root]);
        sample_history.several(8, Which::Thread(11), &[root, one, three, two]);
        sample_history.several(9, Which::Thread(21), &[one, three]);
        sample_history.delete(10, 21, 5).several(11, Which::Thread(21), &[buried(one), three]);
        sample_history.delete(12, 23, 6).several(13, Which::Thread(11), &[root, two]);
        sample_history.several(14, Which::Thread(21), &[]).several(15, Which::Thread(23), &[]);
        sample_history.has_none_of("several");
    }

    #[test]
    fn what_is_below_the_last_level_stands_beside_what_it_answers() {
        let mut sample_history = thread();
        sample_history.answer(5, 23, Written { id: 24, root: 11, floor: 4, revision: 5 });
        sample_history.answer(6, 24, Written { id: 25, root: 11, floor: 5, revision: 6 });
        let [root, one, two, three] = four();
        let [four, five] =
            [(23, 24, 4), (24, 25, 5)].map(|(parent, id, floor)| Item { parent, ..below(11, id, floor) });
        sample_history.several(7, Which::Thread(11), &[root, one, three, four, five, two]);
        sample_history.several(8, Which::Thread(23), &[three, four, five]).several(9, Which::Thread(24), &[four]);
        sample_history.has_none_of("several");
        sample_history.several(10, Which::Thread(24), &[four, five]).has("several", "25 does not stand below it");
    }

    #[test]
    fn others_than_were_asked_for_are_found() {
        let [root, one, two, three] = four();
        let has = |which: Which, items: &[Item], words: &str| {
            let mut sample_history = thread();
            sample_history.several(5, which, items).has("several", words);
        };
        has(Which::Batch([21, 11].into()), &[root, one], "a batch of others");
        has(Which::Batch([21, 11].into()), &[one], "a batch of others");
        has(Which::Conversation(23), &[one, root], "does not begin with 23");
        has(Which::Conversation(23), &[three, two, root], "23 answers 21, and 22 follows it");
        has(Which::Conversation(23), &[three, one], "ends with 21, a reply");
        has(Which::Thread(11), &[one, three], "21 without what it is attached to");
        has(Which::Thread(11), &[root, three, two], "23 without what it is attached to");
        has(Which::Thread(11), &[root, one, two, three], "23 follows 22, and stands before it");
        has(Which::Thread(11), &[root, two, one, three], "21 follows 22");
        has(Which::Thread(21), &[one, two, three], "22 does not stand below it");
        has(Which::Thread(11), &[root, one, two], "leaves out 23 of floor 3");
        has(Which::Thread(21), &[one], "leaves out 23 of floor 3");
        has(Which::Thread(21), &[], "leaves out 21 of floor 1");
        let mut sample_history = thread();
        sample_history.delete(5, 23, 5).several(6, Which::Thread(21), &[one, buried(three)]);
        sample_history.has("several", "23 is deleted, and nothing");
    }

    /// Returns the tombstone of a reply.
    fn buried(item: Item) -> Item {
        let Item { id, root, parent, floor, .. } = item;
        Item { root, parent, ..tombstone(id, floor) }
    }
}
