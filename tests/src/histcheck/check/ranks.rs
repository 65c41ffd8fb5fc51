//! Rankings by likes follow the likes of members. A first page of sort TOP descends by likes
//! minus dislikes, a preview by likes. A preview is as full as possible and leaves out no comment
//! with more likes than one that it shows.
//!
//! Rankings are computed some time before they are shown. So each comment has a range of scores
//! that it may have had since then, and an order is wrong only if the ranges do not overlap.
//! Comments that came or went since then are not checked.

use std::collections::BTreeMap;

use super::fixture::{Comment, Fixture};
use super::like_counts::Sums;
use super::{Found, STALE};
use crate::histcheck::history::{Call, Item, Nanos, Op, Outcome, Place, Sort};

/// Finds pages and previews in an order that no likes explain.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let ranks = Ranks::of(fixture);
    for number in fixture.mine {
        let op = fixture.op(*number);
        let Outcome::Page(shown) = &op.outcome else { continue };
        // Only the first page, which is not longer than the ranked part of the list; later pages
        // end in the order of time.
        if let Call::List(page) | Call::Replies { page, .. } = &op.call
            && page.sort == Sort::Top
            && page.number == 0
        {
            let rows = shown.items.iter().filter(|item| item.place == Place::Row);
            ranks.falls(found, *number, rows, Ranks::score);
        }
        let Call::List(page) = &op.call else { continue };
        let wanted = usize::from(page.previews());
        for thread in shown.items.chunk_by(|_, next| next.place == Place::Preview).filter(|_| wanted > 0) {
            if let Some((root, preview)) = thread.split_first() {
                ranks.falls(found, *number, preview.iter(), Ranks::likes);
                ranks.full(found, *number, root.id, preview, wanted);
            }
        }
    }
}

/// The likes of a subject's comments, and the replies of its roots.
struct Ranks<'s, 'h> {
    fixture: &'s Fixture<'h>,
    sums: Sums,
    below: BTreeMap<i64, Vec<&'s Comment>>,
}

/// The first and the last time whose state a response may show.
type Span = (Nanos, Nanos);

impl<'s, 'h> Ranks<'s, 'h> {
    fn of(fixture: &'s Fixture<'h>) -> Self {
        let mut below: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
        for comment in fixture.comments.iter().filter(|comment| comment.root != 0) {
            below.entry(comment.root).or_default().push(comment);
        }
        Self { fixture, sums: Sums::of(fixture), below }
    }

    fn likes(&self, id: i64, (begun, ended): Span) -> (i32, i32) {
        self.sums.within(id, begun, ended).0
    }

    fn score(&self, id: i64, (begun, ended): Span) -> (i32, i32) {
        let (likes, dislikes) = self.sums.within(id, begun, ended);
        (likes.0 - dislikes.1, likes.1 - dislikes.0)
    }

    /// Returns true if a comment was visible all the time.
    fn was_there(&self, id: i64, (begun, ended): Span) -> bool {
        self.fixture.comment(id).is_some_and(|comment| comment.was_there(self.fixture, begun, ended))
    }

    /// Checks that no comment certainly has a lower score than a later one. `score` returns the
    /// smallest and the largest possible score.
    fn falls<'i>(
        &self,
        found: &mut Found,
        number: u32,
        items: impl Iterator<Item = &'i Item>,
        score: impl Fn(&Self, i64, Span) -> (i32, i32),
    ) {
        let when = span(self.fixture.op(number));
        let mut lowest: Option<(i32, i64)> = None;
        for item in items.filter(|item| self.was_there(item.id, when)) {
            let (least, most) = score(self, item.id, when);
            if let Some((before, id)) = lowest.filter(|(before, _)| *before < least) {
                let what = || format!("{} of at least {least} stands behind {id} of at most {before}", item.id);
                found.add(what, &[number]);
            }
            lowest = Some(lowest.map_or((most, item.id), |lowest| lowest.min((most, item.id))));
        }
    }

    /// Checks that a preview is as full as the existing comments allow, and contains the most liked
    /// ones.
    fn full(&self, found: &mut Found, number: u32, root: i64, preview: &[Item], wanted: usize) {
        let when = span(self.fixture.op(number));
        let below = || self.below.get(&root).into_iter().flatten();
        let there = |comment: &&&Comment| comment.was_there(self.fixture, when.0, when.1);
        if preview.len() < wanted {
            let (shown, due) = (preview.len(), below().filter(there).take(wanted).count());
            if shown < due {
                found.add(|| format!("the preview of {root} has {shown} replies, though {due} stand"), &[number]);
            }
            return;
        }
        // Likes of comments that came or went are unknown. A removed comment leaves the ranking
        // later than the list, and until then its place goes to the oldest comment.
        let most = |item: &Item| if self.was_there(item.id, when) { self.likes(item.id, when).1 } else { i32::MAX };
        let gone = below().filter(|comment| comment.went(self.fixture, when.0, when.1)).count();
        let (places, most): (usize, Vec<i32>) = (wanted.saturating_sub(gone), preview.iter().map(most).collect());
        let hidden = |comment: &&&Comment| {
            let least = self.likes(comment.id, when).0;
            let taken = most.iter().filter(|most| **most >= least).count();
            least > 0 && taken < places && preview.iter().all(|item| item.id != comment.id)
        };
        if let Some(comment) = below().filter(hidden).find(there) {
            let (id, least) = (comment.id, self.likes(comment.id, when).0);
            let what = || {
                format!(
                    "the preview of {root} leaves out {id} of at least {least} likes; at most {most:?} have those in it"
                )
            };
            found.add(what, &[number]);
        }
    }
}

/// Returns the interval from the earliest time of the rankings that a response may show to its end.
fn span(op: &Op) -> Span {
    (op.begun.saturating_sub(STALE), op.ended)
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};
    use crate::histcheck::history::Value::Like;
    use crate::histcheck::history::{Call, Item, Place, Sort};

    /// Returns two roots, the first liked twice; below the first two replies, the second liked
    /// once.
    fn liked() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).reply(3, 11, 21, 1, 3).reply(4, 11, 22, 2, 4);
        sample_history.like(5, 7, Like, Some((1, 0, 2))).like(6, 8, Like, Some((2, 0, 3)));
        sample_history.like(7, 9, Like, Some((1, 0, 5))).last(|op| {
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
        let of = |id, floor, likes| Item { place: Place::Preview, likes, ..below(11, id, floor) };
        [of(22, 2, 1), of(21, 1, 0)]
    }

    /// Returns a page of two roots with previews of two replies.
    fn page(at: u64, sort: Sort, items: &[Item]) -> SampleHistory {
        let mut sample_history = liked();
        sample_history.page(at, sort, 4, items);
        sample_history
    }

    #[test]
    fn what_is_liked_more_stands_before_what_is_liked_less_but_for_a_while() {
        let ([first, second], [liked, other]) = (roots(), previews());
        page(30, Sort::Top, &[first, liked, other, second]).has_none();
        page(30, Sort::Top, &[second, first, liked, other])
            .has("ranks", "11 of at least 2 stands behind 12 of at most 0");
        page(8, Sort::Top, &[second, first, liked, other]).has_none();
        page(30, Sort::Oldest, &[first, other, liked, second]).has("ranks", "22 of at least 1 stands behind 21");
        page(8, Sort::Oldest, &[first, other, liked, second]).has_none();
    }

    #[test]
    fn a_preview_that_is_not_full_is_found_but_for_a_while() {
        let ([first, second], [liked, _]) = (roots(), previews());
        page(30, Sort::Oldest, &[first, liked, second]).has("ranks", "the preview of 11 has 1 replies, though 2 stand");
        page(30, Sort::Oldest, &[first, second]).has("ranks", "has 0 replies, though 2 stand");
        page(8, Sort::Oldest, &[first, liked, second]).has_none();
    }

    #[test]
    fn a_preview_that_leaves_out_the_most_liked_is_found() {
        let ([first, second], [_, other]) = (roots(), previews());
        let mut sample_history = liked();
        sample_history.page(30, Sort::Oldest, 4, &[first, other, second]).last(|op| {
            if let Call::List(page) = &mut op.call {
                page.size = 5;
            }
        });
        sample_history.has("ranks", "leaves out 22 of at least 1 likes; at most [0] have those in it");
    }

    #[test]
    fn the_oldest_may_stand_in_the_place_of_what_was_deleted_but_for_a_while() {
        let ([first, second], [_, other]) = (roots(), previews());
        let page = |at| {
            let mut sample_history = liked();
            sample_history
                .reply(8, 11, 23, 3, 5)
                .delete(20, 23, 6)
                .page(at, Sort::Oldest, 6, &[first, other, second])
                .last(|op| {
                    if let Call::List(page) = &mut op.call {
                        page.size = 5;
                    }
                });
            sample_history
        };
        page(30).has_none();
        page(60).has("ranks", "leaves out 22");
    }
}
