//! A walk over all pages shows every comment that existed at its start and was not removed before
//! its end, exactly once. A page in a stable order leaves out no comment between its ends.

use std::collections::{BTreeMap, HashMap};

use super::Findings;
use super::subject_history::{Comment, SubjectHistory};
use crate::histcheck::history::{Call, Item, ItemKind, Nanos, Op, Outcome, PageOf, PageResponse, Property, Sort};

/// One page of a walk with its operation.
#[derive(Debug, Clone, Copy)]
struct Page<'h> {
    number: u32,
    op: &'h Op,
    request: &'h PageOf,
    shown: &'h PageResponse,
}

impl<'h> Page<'h> {
    fn rows(&self) -> impl Iterator<Item = &'h Item> + use<'h> {
        self.shown.items.iter().filter(|item| item.kind == ItemKind::Row)
    }
}

/// Finds comments that walks left out, repeated, or showed in the wrong order.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    // The comments of each list by floor: the roots of the subject, and the replies of each root.
    let mut lists: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
    for comment in history.comments.iter().filter(|comment| comment.created_revision != 0) {
        lists.entry(comment.root).or_default().push(comment);
    }
    lists.values_mut().for_each(|comments| comments.sort_by_key(|comment| comment.floor));
    let mut walks: BTreeMap<(u32, u32), Vec<Page<'_>>> = BTreeMap::new();
    let mut roots: HashMap<(u32, u32), i64> = HashMap::new();
    for number in history.op_numbers {
        let op = history.op(*number);
        let requested = if let Call::Replies { root, page } = &op.call { Some((*root, page)) } else { None };
        let requested = requested.or(if let Call::List(page) = &op.call { Some((0, page)) } else { None });
        if let (Some((root, request)), Outcome::Page(shown)) = (requested, &op.outcome) {
            let rows = shown.items.iter().filter(|item| item.kind == ItemKind::Row).count();
            if rows > usize::from(request.size) {
                let description = || format!("a page of {rows} comments, though {} were requested", request.size);
                findings.add(description, &[*number]);
            }
            walks.entry((op.client, request.walk)).or_default().push(Page { number: *number, op, request, shown });
            roots.insert((op.client, request.walk), root);
        }
    }
    for (walk, mut pages) in walks {
        pages.sort_by_key(|page| page.request.number);
        pages.dedup_by_key(|page| page.request.number);
        let list = lists.get(&roots[&walk]).map_or(&[][..], Vec::as_slice);
        let is_contiguous = (0..).zip(&pages).all(|(expected, page)| page.request.number == expected);
        check_order(findings, &pages);
        if roots[&walk] == 0 {
            check_tombstones(findings, &pages);
        }
        if is_contiguous && pages.iter().all(|page| page.request.sort.is_stable()) {
            check_pages(history, findings, &pages, list);
        }
        if is_contiguous && pages.last().is_some_and(|page| page.shown.last) {
            check_complete(history, findings, &pages, list);
        }
    }
}

/// Checks that no comment occurs twice, and that stable orders are in their order.
fn check_order(findings: &mut Findings, pages: &[Page<'_>]) {
    let mut shown_by: HashMap<i64, u32> = HashMap::new();
    let mut before: Option<(i32, u32)> = None;
    for page in pages {
        for row in page.rows() {
            if let Some(other) = shown_by.insert(row.id, page.number) {
                findings.add(|| format!("twice in one walk: {row}"), &[other, page.number]);
            }
            let (sort, last) = (page.request.sort, before.replace((row.floor, page.number)));
            if let Some((floor, other)) = last
                && (sort == Sort::Oldest && floor >= row.floor || sort == Sort::Newest && floor <= row.floor)
            {
                findings.add(
                    || format!("floor {} follows floor {floor} in order {sort:?}", row.floor),
                    &[other, page.number],
                );
            }
        }
    }
}

/// Checks that a page contains a deleted root only because of its replies.
fn check_tombstones(findings: &mut Findings, pages: &[Page<'_>]) {
    for page in pages {
        for row in page.rows().filter(|row| row.is_tombstone() && row.replies == 0) {
            findings.add(|| format!("a deleted root without replies is on a page: {row}"), &[page.number]);
        }
    }
}

/// Checks that in a stable order a page shows every comment that exists at its own revision, from
/// the end of the page before to its own end.
fn check_pages(history: &SubjectHistory<'_>, findings: &mut Findings, pages: &[Page<'_>], list: &[&Comment]) {
    let mut end_of_last: Option<i32> = None;
    for page in pages {
        let descending = page.request.sort == Sort::Newest;
        let (revision, last) = (page.shown.revision, page.rows().last().map(|row| row.floor));
        let created = list.partition_point(|comment| comment.created_revision <= revision);
        let (start, end) = (end_of_last, if page.shown.last { None } else { last.or(end_of_last) });
        let (above, until) =
            if descending { (end.map(|floor| floor - 1), start) } else { (start, end.map(|floor| floor + 1)) };
        let from = above.map_or(0, |floor| list.partition_point(|comment| comment.floor <= floor));
        let to = until.map_or(created, |floor| list.partition_point(|comment| comment.floor < floor).min(created));
        let mut shown: Vec<i64> = page.rows().map(|row| row.id).collect();
        shown.sort_unstable();
        for comment in list.get(from..to).unwrap_or_default() {
            let may_be_hidden = comment.may_have_changed(history, Property::Visible(false), page.op.ended);
            if comment.existed_at(revision)
                && comment.state_at(revision).0
                && !may_be_hidden
                && shown.binary_search(&comment.id).is_err()
            {
                let ops = comment.explaining_ops(history, page.number);
                let (id, floor) = (comment.id, comment.floor);
                findings.add(|| format!("a page of revision {revision} leaves out {id} of floor {floor}"), &ops);
            }
        }
        end_of_last = last.or(end_of_last);
    }
}

/// Checks that the pages together show every comment that existed at the first page's revision and
/// was not removed before the last page ended.
fn check_complete(history: &SubjectHistory<'_>, findings: &mut Findings, pages: &[Page<'_>], list: &[&Comment]) {
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else { return };
    let mut shown: Vec<i64> = pages.iter().flat_map(Page::rows).map(|row| row.id).collect();
    shown.sort_unstable();
    let revision = first.shown.revision;
    for comment in list {
        if comment.existed_at(revision)
            && comment.state_at(revision).0
            && !may_have_been_removed(history, comment, revision, last.op.ended)
            && (first.request.sort.is_stable() || !was_being_undeleted(history, comment, revision, first.op.begun))
            && shown.binary_search(&comment.id).is_err()
        {
            let ops = [vec![first.number], comment.explaining_ops(history, last.number)].concat();
            let (id, sort, count) = (comment.id, first.request.sort, pages.len());
            let description =
                || format!("a walk of {count} pages in order {sort:?}, begun at revision {revision}, leaves out {id}");
            findings.add(description, &ops);
        }
    }
}

/// Returns true if a comment may have been removed after a revision and before a time.
fn may_have_been_removed(history: &SubjectHistory<'_>, comment: &Comment, revision: i64, ended: Nanos) -> bool {
    let later = comment.changes.iter().filter(|change| change.revision > revision);
    later
        .chain(&comment.possible_changes)
        .any(|change| change.property == Property::Visible(false) && history.request(change.request).begun < ended)
}

/// Returns true if the last undelete of a comment, at or before this revision, was not acknowledged
/// before this time. A ranking is computed shortly before its comments are read at a revision, and
/// lacks comments that are undeleted in between.
fn was_being_undeleted(history: &SubjectHistory<'_>, comment: &Comment, revision: i64, timestamp: Nanos) -> bool {
    let earlier = comment.changes.iter().filter(|change| change.revision <= revision);
    let undelete = earlier.rev().find(|change| change.property == Property::Visible(true));
    undelete.is_some_and(|change| {
        history.request(change.request).outcome.acknowledged_at().is_none_or(|ended| ended > timestamp)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item, tombstone};
    use crate::histcheck::history::Call;
    use crate::histcheck::history::Sort::{Newest, Oldest, Top};

    fn four_roots() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).root(3, 13, 3, 3).root(4, 14, 4, 4);
        sample_history
    }

    #[test]
    fn complete_walks_in_all_orders_are_valid_while_other_clients_write_and_delete() {
        let mut sample_history = four_roots();
        let [one, two, three, four] = [item(11, 1), item(12, 2), item(13, 3), item(14, 4)];
        sample_history.pages(5, Oldest, &[(4, &[one, two]), (4, &[three, four])]);
        sample_history.pages(10, Newest, &[(4, &[four, three]), (4, &[two, one])]);
        sample_history.pages(15, Top, &[(4, &[three, one]), (4, &[four, two])]);
        // Floor 3 is deleted and floor 5 is created during the walk.
        sample_history.pages(20, Oldest, &[(4, &[one, two]), (6, &[four, item(15, 5)])]);
        sample_history.delete(20, 13, 5).root(20, 15, 5, 6);
        sample_history.pages(30, Oldest, &[(6, &[one, two]), (6, &[four]), (6, &[item(15, 5)])]);
        sample_history.finds_nothing();
        sample_history.pages(35, Oldest, &[(6, &[one, two]), (6, &[tombstone(13, 3), four]), (6, &[item(15, 5)])]);
        sample_history.finds("walks", "a deleted root without replies");
    }

    #[test]
    fn a_skip_between_pages_is_found_and_in_a_ranked_order_by_the_complete_walk() {
        let mut sample_history = four_roots();
        sample_history.pages(5, Oldest, &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(14, 4)])]);
        sample_history.finds("walks", "a page of revision 4 leaves out 13");
        let mut sample_history = four_roots();
        sample_history.pages(5, Top, &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(14, 4)])]);
        sample_history.finds("walks", "leaves out 13");
        let mut sample_history = four_roots();
        sample_history.pages(5, Newest, &[(4, &[item(14, 4), item(12, 2)]), (4, &[item(11, 1)])]);
        sample_history.finds("walks", "a page of revision 4 leaves out 13");
    }

    #[test]
    fn a_comment_undeleted_while_a_ranking_is_computed_may_be_missing_in_that_walk_and_in_no_other() {
        let with_walk = |at, sort| {
            let mut sample_history = four_roots();
            sample_history.delete(5, 13, 5).undelete(9, 13, Some(6));
            sample_history.pages(at, sort, &[(6, &[item(11, 1), item(12, 2)]), (6, &[item(14, 4)])]);
            sample_history
        };
        with_walk(9, Top).finds_nothing();
        with_walk(9, Oldest).finds("walks", "leaves out 13");
        with_walk(10, Top).finds("walks", "leaves out 13");
    }

    #[test]
    fn a_page_of_more_comments_than_requested_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).page(3, Oldest, 2, &[item(11, 1), item(12, 2)]);
        sample_history.change_last(|op| {
            if let Call::List(page) = &mut op.call {
                page.size = 1;
            }
        });
        sample_history.finds("walks", "a page of 2 comments, though 1 were requested");
    }

    #[test]
    fn a_walk_that_ends_too_early_is_found() {
        let mut sample_history = four_roots();
        sample_history.pages(5, Oldest, &[(4, &[item(11, 1), item(12, 2), item(13, 3)])]);
        sample_history.finds("walks", "leaves out 14");
        let mut sample_history = four_roots();
        sample_history.pages(5, Newest, &[(4, &[item(14, 4)])]);
        sample_history.finds("walks", "leaves out 11");
    }

    #[test]
    fn a_comment_shown_twice_or_in_the_wrong_order_is_found() {
        let mut sample_history = four_roots();
        sample_history.pages(
            5,
            Oldest,
            &[(4, &[item(11, 1), item(12, 2)]), (4, &[item(12, 2), item(13, 3), item(14, 4)])],
        );
        sample_history.finds("walks", "twice in one walk");
        let mut sample_history = four_roots();
        sample_history.pages(5, Oldest, &[(4, &[item(12, 2), item(11, 1), item(13, 3), item(14, 4)])]);
        sample_history.finds("walks", "floor 1 follows floor 2");
    }
}
