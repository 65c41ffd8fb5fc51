//! Rankings follow the likes of members and the replies. A first page of a ranked sort descends by
//! the score of that sort, a preview by likes. A preview is as full as possible and leaves out no
//! comment with more likes than one that it shows.
//!
//! Rankings are computed some time before they are shown. So each comment has a range of scores
//! that it may have had since then, and an order is wrong only if the ranges do not overlap.
//! Comments that were created, deleted or undeleted since then are not checked.

use std::collections::BTreeMap;

use riposte_sdk::v1::CommentSort;

use super::like_counts::Sums;
use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, Item, ItemKind, Nanos, Op, Outcome, Sort};
use crate::histcheck::load::comment_sort;
use crate::rank::score_of;

/// Finds pages and previews in an order that no likes and no replies explain.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let scores = Scores::of(history);
    for number in history.op_numbers {
        let op = history.op(*number);
        let Outcome::Page(shown) = &op.outcome else { continue };
        // Only the first page, which is not longer than the ranked part of the list; later pages
        // end in the order of time.
        if let Call::List(page) | Call::Replies { page, .. } = &op.call
            && !page.sort.is_stable()
            && page.number == 0
        {
            let rows = shown.items.iter().filter(|item| item.kind == ItemKind::Row);
            scores.check_descending(findings, *number, rows, |scores, id, interval| {
                scores.score(page.sort, id, interval)
            });
        }
        let Call::List(page) = &op.call else { continue };
        let size = usize::from(page.previews());
        for thread in shown.items.chunk_by(|_, next| next.kind == ItemKind::Preview).filter(|_| size > 0) {
            if let Some((root, preview)) = thread.split_first() {
                scores.check_descending(findings, *number, preview.iter(), |scores, id, interval| {
                    let (least, most) = scores.likes(id, interval);
                    (least.into(), most.into())
                });
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

    /// Returns the smallest and the largest possible number of replies. Without an export, a reply
    /// whose create has no response may count and is unknown.
    fn reply_count(&self, id: i64, interval: Interval) -> (i32, i32) {
        if self.history.export().is_none() {
            return (0, i32::MAX);
        }
        let root = self.history.comment(id).map_or(0, |comment| comment.root);
        let below = self.replies.get(&if root == 0 { id } else { root });
        let counts = |comment: &&&Comment| root == 0 || self.history.parent(comment) == id;
        below.into_iter().flatten().filter(counts).fold((0, 0), |(least, most), comment| {
            let certain = comment.was_visible(self.history, interval.0, interval.1);
            let sent = self.history.request(comment.request).begun < interval.1;
            let possible = sent && comment.may_have_been(self.history, true, interval.0, interval.1);
            (least + i32::from(certain), most + i32::from(possible))
        })
    }

    /// Returns the smallest and the largest possible score of a ranked sort. All scores but that of
    /// CONTROVERSIAL grow with likes and replies, and fall with dislikes.
    fn score(&self, sort: Sort, id: i64, interval: Interval) -> (f64, f64) {
        let (likes, dislikes) = self.sums.within(id, interval.0, interval.1);
        let replies = match sort {
            Sort::Hot | Sort::MostReplies => self.reply_count(id, interval),
            Sort::Newest | Sort::Oldest | Sort::Top | Sort::Best | Sort::Controversial => (0, 0),
        };
        if sort == Sort::Controversial {
            return controversy(likes, dislikes);
        }
        let score = |counts| score_of(counts, comment_sort(sort));
        (score([likes.0, dislikes.1, replies.0]), score([likes.1, dislikes.0, replies.1]))
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
        score: impl Fn(&Self, i64, Interval) -> (f64, f64),
    ) {
        let interval = interval(self.history.op(number));
        let mut lowest: Option<(f64, i64)> = None;
        for item in items.filter(|item| self.was_visible(item.id, interval)) {
            let (least, most) = score(self, item.id, interval);
            if let Some((before, id)) = lowest.filter(|(before, _)| *before < least) {
                let description = || format!("{} of at least {least} follows {id} of at most {before}", item.id);
                findings.add(description, &[number]);
            }
            lowest = Some(lowest.filter(|(before, _)| *before <= most).unwrap_or((most, item.id)));
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

/// The most pairs of likes and dislikes that are tried.
const PAIRS: i64 = 400;

/// Returns the smallest and the largest score of sort CONTROVERSIAL for ranges of likes and
/// dislikes. It grows with each of them up to the other one, so the ends do not bound it.
fn controversy(likes: (i32, i32), dislikes: (i32, i32)) -> (f64, f64) {
    let length = |(least, most): (i32, i32)| i64::from(most) - i64::from(least) + 1;
    if length(likes) * length(dislikes) > PAIRS {
        return (0.0, f64::INFINITY);
    }
    let pairs = (likes.0..=likes.1).flat_map(|up| (dislikes.0..=dislikes.1).map(move |down| [up, down, 0]));
    pairs.fold((f64::INFINITY, 0.0), |(least, most), counts| {
        let score = score_of(counts, CommentSort::Controversial);
        (least.min(score), most.max(score))
    })
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
    fn every_ranked_sort_descends_by_its_score() {
        let ([first, second], [liked, other]) = (roots(), previews());
        let (right, wrong) = ([first, liked, other, second], [second, first, liked, other]);
        let exported = |sort, items: &[Item]| {
            let mut sample_history = page(30, sort, items);
            sample_history.export(90, &[first, second, below(11, 21, 1), below(11, 22, 2)], &[]);
            sample_history
        };
        for sort in [Sort::Hot, Sort::Best, Sort::MostReplies] {
            exported(sort, &right).finds_nothing_of("rankings");
            exported(sort, &wrong).finds("rankings", "follows 12 of at most 0");
        }
        // One side alone is no controversy.
        exported(Sort::Controversial, &wrong).finds_nothing_of("rankings");
        // The replies of an interrupted run are not certain.
        page(30, Sort::MostReplies, &wrong).finds_nothing_of("rankings");
        assert_eq!(super::controversy((1, 3), (2, 2)), (3.0_f64.powf(0.5), 4.0));
        assert_eq!(super::controversy((0, 99), (0, 99)), (0.0, f64::INFINITY));
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
