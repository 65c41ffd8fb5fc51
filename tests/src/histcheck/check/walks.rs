//! A walk over all pages shows every comment that existed at its start and was not removed before
//! its end, exactly once. A page in a stable order leaves out no comment between its ends.

use std::collections::{BTreeMap, HashMap};

use super::Found;
use super::fixture::{Comment, Fixture};
use crate::histcheck::history::{Call, Item, Nanos, Op, Outcome, PageOf, Place, Shown, Sort, What};

/// One page of a walk with its operation.
#[derive(Debug, Clone, Copy)]
struct Page<'h> {
    number: u32,
    op: &'h Op,
    of: &'h PageOf,
    shown: &'h Shown,
}

impl<'h> Page<'h> {
    fn rows(&self) -> impl Iterator<Item = &'h Item> + use<'h> {
        self.shown.items.iter().filter(|item| item.place == Place::Row)
    }
}

/// Finds comments that walks left out, repeated, or showed in the wrong order.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let mut spaces: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
    for comment in fixture.comments.iter().filter(|comment| comment.born != 0) {
        spaces.entry(comment.root).or_default().push(comment);
    }
    spaces.values_mut().for_each(|comments| comments.sort_by_key(|comment| comment.floor));
    let mut walks: BTreeMap<(u32, u32), Vec<Page<'_>>> = BTreeMap::new();
    let mut roots: HashMap<(u32, u32), i64> = HashMap::new();
    for number in fixture.mine {
        let op = fixture.op(*number);
        let asked = if let Call::Replies { root, page } = &op.call { Some((*root, page)) } else { None };
        let asked = asked.or(if let Call::List(page) = &op.call { Some((0, page)) } else { None });
        if let (Some((root, of)), Outcome::Page(shown)) = (asked, &op.outcome) {
            let rows = shown.items.iter().filter(|item| item.place == Place::Row).count();
            if rows > usize::from(of.size) {
                found.add(|| format!("a page of {rows}, though {} were asked for", of.size), &[*number]);
            }
            walks.entry((op.client, of.walk)).or_default().push(Page { number: *number, op, of, shown });
            roots.insert((op.client, of.walk), root);
        }
    }
    for (walk, mut pages) in walks {
        pages.sort_by_key(|page| page.of.number);
        pages.dedup_by_key(|page| page.of.number);
        let space = spaces.get(&roots[&walk]).map_or(&[][..], Vec::as_slice);
        let unbroken = (0..).zip(&pages).all(|(due, page)| page.of.number == due);
        once(found, &pages);
        if roots[&walk] == 0 {
            empty(found, &pages);
        }
        if unbroken && pages.iter().all(|page| page.of.sort.is_stable()) {
            between(fixture, found, &pages, space);
        }
        if unbroken && pages.last().is_some_and(|page| page.shown.last) {
            whole(fixture, found, &pages, space);
        }
    }
}

/// Checks that no comment occurs twice, and that stable orders are in their order.
fn once(found: &mut Found, pages: &[Page<'_>]) {
    let mut seen: HashMap<i64, u32> = HashMap::new();
    let mut before: Option<(i32, u32)> = None;
    for page in pages {
        for row in page.rows() {
            if let Some(other) = seen.insert(row.id, page.number) {
                found.add(|| format!("twice in one walk: {row}"), &[other, page.number]);
            }
            let (sort, last) = (page.of.sort, before.replace((row.floor, page.number)));
            if let Some((floor, other)) = last
                && (sort == Sort::Oldest && floor >= row.floor || sort == Sort::Newest && floor <= row.floor)
            {
                found.add(
                    || format!("floor {} follows floor {floor} in order {sort:?}", row.floor),
                    &[other, page.number],
                );
            }
        }
    }
}

/// Checks that a page contains a deleted root only because of its replies.
fn empty(found: &mut Found, pages: &[Page<'_>]) {
    for page in pages {
        for row in page.rows().filter(|row| row.is_tombstone() && row.replies == 0) {
            found.add(|| format!("a deleted root without replies is on a page: {row}"), &[page.number]);
        }
    }
}

/// Checks that in a stable order a page shows every comment that exists at its own revision, from
/// the end of the page before to its own end.
fn between(fixture: &Fixture<'_>, found: &mut Found, pages: &[Page<'_>], space: &[&Comment]) {
    let mut reached: Option<i32> = None;
    for page in pages {
        let down = page.of.sort == Sort::Newest;
        let (revision, last) = (page.shown.revision, page.rows().last().map(|row| row.floor));
        let born = space.partition_point(|comment| comment.born <= revision);
        let (start, end) = (reached, if page.shown.last { None } else { last.or(reached) });
        let (above, until) =
            if down { (end.map(|floor| floor - 1), start) } else { (start, end.map(|floor| floor + 1)) };
        let from = above.map_or(0, |floor| space.partition_point(|comment| comment.floor <= floor));
        let to = until.map_or(born, |floor| space.partition_point(|comment| comment.floor < floor).min(born));
        let mut shown: Vec<i64> = page.rows().map(|row| row.id).collect();
        shown.sort_unstable();
        for comment in space.get(from..to).unwrap_or_default() {
            let hidden = comment.may(fixture, What::Visible(false), page.op.ended);
            if comment.stood(revision) && comment.at(revision).0 && !hidden && shown.binary_search(&comment.id).is_err()
            {
                let ops = comment.story(fixture, page.number);
                let (id, floor) = (comment.id, comment.floor);
                found.add(|| format!("a page of revision {revision} leaves out {id} of floor {floor}"), &ops);
            }
        }
        reached = last.or(reached);
    }
}

/// Checks that the pages together show every comment that existed at the first page's revision and
/// was not removed before the last page ended.
fn whole(fixture: &Fixture<'_>, found: &mut Found, pages: &[Page<'_>], space: &[&Comment]) {
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else { return };
    let mut shown: Vec<i64> = pages.iter().flat_map(Page::rows).map(|row| row.id).collect();
    shown.sort_unstable();
    let revision = first.shown.revision;
    for comment in space {
        if comment.stood(revision)
            && comment.at(revision).0
            && !removed(fixture, comment, revision, last.op.ended)
            && (first.of.sort.is_stable() || !was_coming_back(fixture, comment, revision, first.op.begun))
            && shown.binary_search(&comment.id).is_err()
        {
            let ops = [vec![first.number], comment.story(fixture, last.number)].concat();
            let (id, sort, count) = (comment.id, first.of.sort, pages.len());
            let what =
                || format!("a walk of {count} pages in order {sort:?}, begun at revision {revision}, leaves out {id}");
            found.add(what, &ops);
        }
    }
}

/// Returns true if a comment may have been removed after a revision and before a time.
fn removed(fixture: &Fixture<'_>, comment: &Comment, revision: i64, ended: Nanos) -> bool {
    let later = comment.changes.iter().filter(|change| change.revision > revision);
    later
        .chain(&comment.open)
        .any(|change| change.what == What::Visible(false) && fixture.requests[change.request as usize].begun < ended)
}

/// Returns true if the undelete of a comment, at or before this revision, was not yet answered at a
/// time. A ranking is computed shortly before its comments are read at a revision, and lacks
/// comments that come back in between.
fn was_coming_back(fixture: &Fixture<'_>, comment: &Comment, revision: i64, timestamp: Nanos) -> bool {
    let sooner = comment.changes.iter().filter(|change| change.revision <= revision);
    let back = sooner.rev().find(|change| change.what == What::Visible(true));
    back.is_some_and(|change| {
        fixture.requests[change.request as usize].fate.ended().is_none_or(|ended| ended > timestamp)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item, tombstone};
    use crate::histcheck::history::Call;
    use crate::histcheck::history::Sort::{Newest, Oldest, Top};

    fn four() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).root(3, 13, 3, 3).root(4, 14, 4, 4);
        sample_history
    }

    #[test]
    fn whole_walks_in_all_orders_are_fine_while_others_write_and_delete() {
        let mut sample_history = four();
        let [one, two, three, four] = [item(11, 1), item(12, 2), item(13, 3), item(14, 4)];
        sample_history.pages(5, Oldest, &[(4, &[one, two]), (4, &[three, four])]);
        sample_history.pages(10, Newest, &[(4, &[four, three]), (4, &[two, one])]);
        sample_history.pages(15, Top, &[(4, &[three, one]), (4, &[four, two])]);
        // Floor 3 is deleted and floor 5 is created during the walk.
        sample_history.pages(20, Oldest, &[(4, &[one, two]), (6, &[four, item(15, 5)])]);
        sample_history.delete(20, 13, 5).root(20, 15, 5, 6);
        sample_history.pages(30, Oldest, &[(6, &[one, two]), (6, &[four]), (6, &[item(15, 5)])]);
        sample_history.has_none();
        sample_history.pages(35, Oldest, &[(6, &[one, two]), (6, &[tombstone(13, 3), four]), (6, &[item(15, 5)])]);
        sample_history.has("walks", "a deleted root without replies");
    }

    #[test]
    fn a_skip_between_pages_is_found_and_in_a_ranked_order_by_the_whole_walk() {
        let mut sample_history = four();
        sample_history.pages(5, Oldest, &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(14, 4)])]);
        sample_history.has("walks", "a page of revision 4 leaves out 13");
        let mut sample_history = four();
        sample_history.pages(5, Top, &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(14, 4)])]);
        sample_history.has("walks", "leaves out 13");
        let mut sample_history = four();
        sample_history.pages(5, Newest, &[(4, &[item(14, 4), item(12, 2)]), (4, &[item(11, 1)])]);
        sample_history.has("walks", "a page of revision 4 leaves out 13");
    }

    #[test]
    fn what_comes_back_while_a_ranking_is_drawn_up_may_be_left_out_of_it_and_not_later_nor_in_a_stable_order() {
        let walked = |at, sort| {
            let mut sample_history = four();
            sample_history.delete(5, 13, 5).undelete(9, 13, Some(6));
            sample_history.pages(at, sort, &[(6, &[item(11, 1), item(12, 2)]), (6, &[item(14, 4)])]);
            sample_history
        };
        walked(9, Top).has_none();
        walked(9, Oldest).has("walks", "leaves out 13");
        walked(10, Top).has("walks", "leaves out 13");
    }

    #[test]
    fn a_page_of_more_than_was_asked_for_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).page(3, Oldest, 2, &[item(11, 1), item(12, 2)]);
        sample_history.last(|op| {
            if let Call::List(page) = &mut op.call {
                page.size = 1;
            }
        });
        sample_history.has("walks", "a page of 2, though 1 were asked for");
    }

    #[test]
    fn an_end_that_comes_too_early_is_found() {
        let mut sample_history = four();
        sample_history.pages(5, Oldest, &[(4, &[item(11, 1), item(12, 2), item(13, 3)])]);
        sample_history.has("walks", "leaves out 14");
        let mut sample_history = four();
        sample_history.pages(5, Newest, &[(4, &[item(14, 4)])]);
        sample_history.has("walks", "leaves out 11");
    }

    #[test]
    fn something_twice_or_in_the_wrong_order_is_found() {
        let mut sample_history = four();
        sample_history.pages(
            5,
            Oldest,
            &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(12, 2), item(13, 3), item(14, 4)])],
        );
        sample_history.has("walks", "twice in one walk");
        let mut sample_history = four();
        sample_history.pages(5, Oldest, &[(4, &[item(12, 2), item(11, 1), item(13, 3), item(14, 4)])]);
        sample_history.has("walks", "floor 1 follows floor 2");
    }
}
