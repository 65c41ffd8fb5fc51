use std::ops::Range;

use async_trait::async_trait;
use futures::FutureExt;
use proptest::prelude::*;

use super::{Continuation, Direction, RankPageStart, RankedCursor, RankedWalk, WalkSlice, Walker};
use crate::domain::error::Result;
use crate::domain::page::ListOrder;
use crate::domain::rank::{RankPosition, RankSort, RankedList, Ranking};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use crate::ports::Rankings;

/// Returns the output of a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("no list waits")
}

fn ranking(floors: &[i32]) -> Ranking {
    Ranking::new(1, Millis(0), floors.into())
}

/// The rankings of a list with these floors, in ascending order. A walk never requests an empty
/// range or no rows.
#[derive(Debug)]
struct Listed(Vec<i32>);

#[async_trait]
impl Rankings for Listed {
    async fn current(&self, _list: &RankedList, _now: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(None)
    }

    async fn frozen(&self, _list: &RankedList, _epoch: i64) -> Result<Option<Ranking>> {
        Ok(None)
    }

    async fn others(
        &self,
        _list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        assert!(!floors.is_empty() && limit > 0, "{floors:?}, at most {limit}");
        let within: Vec<i32> = self.0.iter().copied().filter(|floor| floors.contains(floor)).collect();
        let mut found = ranking.leaves(within);
        if order == ListOrder::Newest {
            found.reverse();
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn trim(&self, _source: usize, _before: Millis, _limit: usize) -> Result<usize> {
        Ok(0)
    }
}

/// Returns the expected slice, cut from the whole walk: the ranking, followed by all other comments
/// from the highest floor down.
fn expected(walker: &Walker<'_>, listed: &[i32], at: RankPageStart, limit: usize) -> WalkSlice {
    let ranked = walker.ranking.floors.len();
    let others = walker.ranking.leaves(listed.iter().rev().copied().filter(|floor| *floor < walker.bound).collect());
    let index = |place| match place {
        RankPosition::Position(position) => position.min(ranked),
        RankPosition::Below(floor) => ranked + others.iter().filter(|other| **other >= floor).count(),
    };
    let walk: Vec<i32> = walker.ranking.floors.iter().chain(&others).copied().collect();
    let (place, from) = match at {
        RankPageStart::Beginning => (RankPosition::Position(0), 0),
        RankPageStart::Toward(Direction::Ahead(place)) => (place, index(place)),
        RankPageStart::Toward(Direction::Back(place)) => (place, index(place).saturating_sub(limit)),
        RankPageStart::Around(floor) => {
            let place = walker.ranking.before(floor);
            (place, index(place).saturating_sub(limit / 2).min(walk.len().saturating_sub(limit)))
        }
    };
    let back = matches!(at, RankPageStart::Toward(Direction::Back(_)));
    let to = if back { index(place) } else { walk.len().min(from + limit) };
    let floors = walk[from..to].to_vec();
    WalkSlice {
        ranked: floors.iter().filter(|floor| walker.ranking.holds(**floor)).count(),
        from: floors.first().map_or(place, |floor| walker.ranking.before(*floor)),
        to: floors.last().map_or(place, |floor| walker.ranking.behind(*floor)),
        // An earlier page has shown comments on the side from which the walk came, even if they no
        // longer exist.
        more_before: from > 0
            || matches!(at, RankPageStart::Toward(Direction::Ahead(place)) if place != RankPosition::Position(0)),
        more_after: back || to < walk.len(),
        floors,
    }
}

proptest! {
    #[test]
    fn a_slice_is_a_part_of_the_walk_of_the_ranking_and_then_of_all_others(
        listed in proptest::collection::btree_set(1..30_i32, 0..25),
        shuffled in Just((1..30_i32).collect::<Vec<_>>()).prop_shuffle(),
        depth in 0..12_usize, bound in 0..34_i32, kind in 0..6, position in 0..12_usize, floor in 0..34_i32, limit in 1..9_usize,
    ) {
        let listed: Vec<i32> = listed.into_iter().collect();
        let ranking = ranking(&shuffled[..depth]);
        let list = RankedList::Roots(SubjectKey::stored("video".to_owned(), "1".to_owned()), RankSort::Top);
        let rankings = Listed(listed.clone());
        let walker = Walker { rankings: &rankings, list: &list, ranking: &ranking, bound };
        let (position, below) = (RankPosition::Position(position.min(depth)), RankPosition::Below(floor));
        let at = [
            RankPageStart::Beginning,
            RankPageStart::Around(floor),
            RankPageStart::Toward(Direction::Ahead(position)),
            RankPageStart::Toward(Direction::Ahead(below)),
            RankPageStart::Toward(Direction::Back(position)),
            RankPageStart::Toward(Direction::Back(below)),
        ][kind as usize];
        prop_assert_eq!(run(walker.slice(at, limit)), Ok(expected(&walker, &listed, at, limit)));
        // Neither direction reads more than the limit, even across the end of the ranking.
        for place in [position, below] {
            let sides = [run(walker.ahead(place, limit)), run(walker.behind(place, limit))];
            prop_assert!(sides.iter().all(|side| side.as_ref().is_ok_and(|floors| floors.len() <= limit)), "{sides:?}");
        }
    }
}

#[test]
fn a_slice_without_seam_keeps_the_side_of_its_place() {
    let ranking = ranking(&[7, 2]);
    let whole = |floors: &[i32], ranked| {
        let (from, to) = (RankPosition::Position(0), RankPosition::Below(1));
        WalkSlice { floors: floors.to_vec(), ranked, from, to, more_before: false, more_after: false }
    };
    let (first, end) = (RankPosition::Position(0), RankPosition::Position(2));
    let ahead = RankPageStart::Toward(Direction::Ahead(first));
    for (at, slice, floors, (from, to), (before, after)) in [
        (RankPageStart::Beginning, whole(&[7, 2, 9, 8], 2), &[7, 2][..], (first, end), (false, true)),
        (RankPageStart::Around(2), whole(&[7, 2, 9, 8], 2), &[7, 2], (first, end), (false, true)),
        (RankPageStart::Around(7), whole(&[7], 1), &[7], (first, RankPosition::Position(1)), (false, true)),
        (ahead, whole(&[9, 8], 0), &[], (first, end), (false, true)),
        (
            RankPageStart::Around(8),
            whole(&[7, 2, 9, 8], 2),
            &[9, 8],
            (RankPosition::Below(10), RankPosition::Below(1)),
            (true, false),
        ),
        (
            RankPageStart::Around(1),
            whole(&[7, 2], 2),
            &[],
            (RankPosition::Below(1), RankPosition::Below(1)),
            (true, false),
        ),
    ] {
        let kept = slice.without_seam(at, &ranking);
        assert_eq!((kept.floors.as_slice(), kept.from, kept.to), (floors, from, to), "{at:?}");
        assert_eq!((kept.more_before, kept.more_after), (before, after), "{at:?}");
        assert_eq!(kept.ranked, if before { 0 } else { floors.len() }, "{at:?}");
    }
}

#[test]
fn what_comes_now_stands_behind_a_slice_that_the_ranking_goes_on_from() {
    for (floors, ranked, more_after, within) in
        [(2, 2, true, true), (2, 2, false, false), (2, 1, true, false), (2, 1, false, false), (0, 0, true, true)]
    {
        let (from, to) = (RankPosition::Position(0), RankPosition::Position(ranked));
        let slice = WalkSlice { floors: vec![1; floors], ranked, from, to, more_before: false, more_after };
        assert_eq!(slice.is_within_ranking(), within, "{ranked} of {floors}, more: {more_after}");
    }
}

#[test]
fn a_trail_goes_on_from_what_was_shown_and_beyond_the_page_where_nothing_was() {
    let walk = RankedWalk { epoch: 1, bound: 9, since: Millis(5) };
    let (from, to) = (RankPosition::Position(1), RankPosition::Below(4));
    let trail = Continuation { walk, ranking: ranking(&[7, 2]), from, to };
    for (cursor, toward) in [
        (trail.next(Some(7)), Direction::Ahead(RankPosition::Position(1))),
        (trail.next(Some(5)), Direction::Ahead(RankPosition::Below(5))),
        (trail.next(None), Direction::Ahead(to)),
        (trail.previous(Some(2)), Direction::Back(RankPosition::Position(1))),
        (trail.previous(Some(5)), Direction::Back(RankPosition::Below(6))),
        (trail.previous(None), Direction::Back(from)),
    ] {
        assert_eq!(cursor, RankedCursor { walk, toward });
    }
}
