//! Rankings by likes follow the likes of members. A first page of sort TOP descends by likes minus
//! dislikes, a preview by likes. A preview is as full as possible and leaves out no comment with
//! more likes than one that it shows.
//!
//! Rankings are computed some time before they are shown. So each comment has a range of scores
//! that it may have had since then, and an order is wrong only if the ranges do not overlap.
//! Comments that were created, deleted or undeleted since then are not checked.

use std::collections::BTreeMap;

use super::like_counts::Sums;
use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, Item, ItemKind, Nanos, Op, Outcome, Sort};

/// Finds pages and previews in an order that no likes explain.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let scores = Scores::of(history);
    for number in history.op_numbers {
        let op = history.op(*number);
        let Outcome::Page(shown) = &op.outcome else { continue };
        // Only the first page, which is not longer than the ranked part of the list; later pages
        // end in the order of time.
        if let Call::List(page) | Call::Replies { page, .. } = &op.call
            && page.sort == Sort::Top
            && page.number == 0
        {
            let rows = shown.items.iter().filter(|item| item.kind == ItemKind::Row);
            scores.check_descending(findings, *number, rows, Scores::score);
        }
        let Call::List(page) = &op.call else { continue };
        let size = usize::from(page.previews());
        for thread in shown.items.chunk_by(|_, next| next.kind == ItemKind::Preview).filter(|_| size > 0) {
            if let Some((root, preview)) = thread.split_first() {
                scores.check_descending(findings, *number, preview.iter(), Scores::likes);
                scores.check_preview(findings, *number, root.id, preview, size);
            }
        }
    }
}

/// The likes of a subject's comments, and the replies of its roots.
struct Scores<'s, 'h> {
    history: &'s SubjectHistory<'h>,
    sums: Sums,
    replies: BTreeMap<i64, Vec<&'s Comment>>,
}

/// The first and the last time whose state a response may show.
type Interval = (Nanos, Nanos);

impl<'s, 'h> Scores<'s, 'h> {
    fn of(history: &'s SubjectHistory<'h>) -> Self {
        let mut replies: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
        for comment in history.comments.iter().filter(|comment| comment.root != 0) {
            replies.entry(comment.root).or_default().push(comment);
        }
        Self { history, sums: Sums::of(history), replies }
    }

    /// Returns the smallest and the largest possible number of likes.
    fn likes(&self, id: i64, (begun, ended): Interval) -> (i32, i32) {
        self.sums.within(id, begun, ended).0
    }

    /// Returns the smallest and the largest possible score of sort TOP.
    fn score(&self, id: i64, (begun, ended): Interval) -> (i32, i32) {
        let (likes, dislikes) = self.sums.within(id, begun, ended);
        (likes.0 - dislikes.1, likes.1 - dislikes.0)
    }

    /// Returns true if a comment was visible all the time.
    fn was_visible(&self, id: i64, (begun, ended): Interval) -> bool {
        self.history.comment(id).is_some_and(|comment| comment.was_visible(self.history, begun, ended))
    }

    /// Checks that no comment certainly has a lower score than a later one. `score` returns the
    /// smallest and the largest possible score.
    fn check_descending<'i>(
        &self,
        findings: &mut Findings,
        number: u32,
        items: impl Iterator<Item = &'i Item>,
        score: impl Fn(&Self, i64, Interval) -> (i32, i32),
    ) {
        let interval = interval(self.history.op(number));
        let mut lowest: Option<(i32, i64)> = None;
        for item in items.filter(|item| self.was_visible(item.id, interval)) {
            let (least, most) = score(self, item.id, interval);
            if let Some((before, id)) = lowest.filter(|(before, _)| *before < least) {
                let description = || format!("{} of at least {least} follows {id} of at most {before}", item.id);
                findings.add(description, &[number]);
            }
            lowest = Some(lowest.map_or((most, item.id), |lowest| lowest.min((most, item.id))));
        }
    }

    /// Checks that a preview is as full as the existing comments allow, and contains the most liked
    /// ones.
    fn check_preview(&self, findings: &mut Findings, number: u32, root: i64, preview: &[Item], size: usize) {
        let interval = interval(self.history.op(number));
        let replies = || self.replies.get(&root).into_iter().flatten();
        let was_visible = |comment: &&&Comment| comment.was_visible(self.history, interval.0, interval.1);
        if preview.len() < size {
            let (shown, expected) = (preview.len(), replies().filter(was_visible).take(size).count());
            if shown < expected {
                let description = || format!("the preview of {root} has {shown} replies, though {expected} exist");
                findings.add(description, &[number]);
            }
            return;
        }
        // Likes of comments that were not visible all the time are unknown. A deleted comment
        // leaves the ranking later than the list; until then, the preview shows the oldest reply
        // instead.
        let most =
            |item: &Item| if self.was_visible(item.id, interval) { self.likes(item.id, interval).1 } else { i32::MAX };
        let is_deleted = |comment: &&&Comment| comment.may_have_been_hidden(self.history, interval.0, interval.1);
        let deleted = replies().filter(is_deleted).count();
        let (ranked, most): (usize, Vec<i32>) = (size.saturating_sub(deleted), preview.iter().map(most).collect());
        let is_left_out = |comment: &&&Comment| {
            let least = self.likes(comment.id, interval).0;
            let above = most.iter().filter(|most| **most >= least).count();
            least > 0 && above < ranked && preview.iter().all(|item| item.id != comment.id)
        };
        if let Some(comment) = replies().filter(is_left_out).find(was_visible) {
            let (id, least) = (comment.id, self.likes(comment.id, interval).0);
            let description = || {
                format!(
                    "the preview of {root} leaves out {id} of at least {least} likes; its replies have at most {most:?}"
                )
            };
            findings.add(description, &[number]);
        }
    }
}

/// Returns the interval from the earliest time of the rankings that a response may show to its end.
fn interval(op: &Op) -> Interval {
    (op.begun.saturating_sub(MAX_AGE), op.ended)
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};
    use crate::histcheck::history::Value::Like;
    use crate::histcheck::history::{Call, Item, ItemKind, Sort};

    /// Returns two roots, the first with two likes and two replies, of which the second has one
    /// like.
    fn liked() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).reply(3, 11, 21, 1, 3).reply(4, 11, 22, 2, 4);
        sample_history.like(5, 7, Like, Some((1, 0, 2))).like(6, 8, Like, Some((2, 0, 3)));
        sample_history.like(7, 9, Like, Some((1, 0, 5))).change_last(|op| {
            if let Call::Like { comment, .. } = &mut op.call {
                *comment = 22;
            }
        });
        sample_history
    }

    fn roots() -> [Item; 2] {
        [Item { likes: 2, replies: 2, ..item(11, 1) }, item(12, 2)]
    }

    fn previews() -> [Item; 2] {
        let preview = |id, floor, likes| Item { kind: ItemKind::Preview, likes, ..below(11, id, floor) };
        [preview(22, 2, 1), preview(21, 1, 0)]
    }

    /// Returns a page of two roots with previews of two replies.
    fn page(at: u64, sort: Sort, items: &[Item]) -> SampleHistory {
        let mut sample_history = liked();
        sample_history.page(at, sort, 4, items);
        sample_history
    }

    #[test]
    fn a_comment_with_fewer_likes_before_one_with_more_is_found_after_the_maximum_age() {
        let ([first, second], [liked, other]) = (roots(), previews());
        page(30, Sort::Top, &[first, liked, other, second]).finds_nothing();
        page(30, Sort::Top, &[second, first, liked, other])
            .finds("rankings", "11 of at least 2 follows 12 of at most 0");
        page(8, Sort::Top, &[second, first, liked, other]).finds_nothing();
        page(30, Sort::Oldest, &[first, other, liked, second]).finds("rankings", "22 of at least 1 follows 21");
        page(8, Sort::Oldest, &[first, other, liked, second]).finds_nothing();
    }

    #[test]
    fn a_preview_that_is_not_full_is_found_after_the_maximum_age() {
        let ([first, second], [liked, _]) = (roots(), previews());
        page(30, Sort::Oldest, &[first, liked, second])
            .finds("rankings", "the preview of 11 has 1 replies, though 2 exist");
        page(30, Sort::Oldest, &[first, second]).finds("rankings", "has 0 replies, though 2 exist");
        page(8, Sort::Oldest, &[first, liked, second]).finds_nothing();
    }

    #[test]
    fn a_preview_that_leaves_out_the_most_liked_reply_is_found() {
        let ([first, second], [_, other]) = (roots(), previews());
        let mut sample_history = liked();
        sample_history.page(30, Sort::Oldest, 4, &[first, other, second]).change_last(|op| {
            if let Call::List(page) = &mut op.call {
                page.size = 5;
            }
        });
        sample_history.finds("rankings", "leaves out 22 of at least 1 likes; its replies have at most [0]");
    }

    #[test]
    fn the_oldest_reply_may_replace_a_deleted_one_up_to_the_maximum_age() {
        let ([first, second], [_, other]) = (roots(), previews());
        let page = |at| {
            let mut sample_history = liked();
            sample_history
                .reply(8, 11, 23, 3, 5)
                .delete(20, 23, 6)
                .page(at, Sort::Oldest, 6, &[first, other, second])
                .change_last(|op| {
                    if let Call::List(page) = &mut op.call {
                        page.size = 5;
                    }
                });
            sample_history
        };
        page(30).finds_nothing();
        page(60).finds("rankings", "leaves out 22");
    }
}
