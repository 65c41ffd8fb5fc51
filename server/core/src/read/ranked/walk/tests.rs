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
use crate::ports::RankingSnapshots;

/// Returns the output of a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the list returns at once")
}

fn ranking(floors: &[i32]) -> Ranking {
    Ranking::new(1, Millis(0), floors.into())
}

/// The rankings of a list with these floors, in ascending order. A walk never requests an empty
/// range or no rows.
#[derive(Debug)]
struct ListedFloors(Vec<i32>);

#[async_trait]
impl RankingSnapshots for ListedFloors {
    async fn current(&self, _list: &RankedList, _now: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(None)
    }

    async fn snapshot(&self, _list: &RankedList, _epoch: i64) -> Result<Option<Ranking>> {
        Ok(None)
    }

    async fn unranked(
        &self,
        _list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        assert!(!floors.is_empty() && limit > 0, "{floors:?}, at most {limit}");
        let within: Vec<i32> = self.0.iter().copied().filter(|floor| floors.contains(floor)).collect();
        let mut found = ranking.unranked(within);
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

/// Returns the expected slice, cut from the complete walk: the ranking, followed by all other
/// comments from the highest floor down.
fn expected(walker: &Walker<'_>, listed: &[i32], at: RankPageStart, limit: usize) -> WalkSlice {
    let ranked = walker.ranking.floors.len();
    let others = walker.ranking.unranked(listed.iter().rev().copied().filter(|floor| *floor < walker.bound).collect());
    let index = |position| match position {
        RankPosition::Position(index) => index.min(ranked),
        RankPosition::Below(floor) => ranked + others.iter().filter(|other| **other >= floor).count(),
    };
    let walk: Vec<i32> = walker.ranking.floors.iter().chain(&others).copied().collect();
    let (position, from) = match at {
        RankPageStart::Beginning => (RankPosition::Position(0), 0),
        RankPageStart::Toward(Direction::Ahead(position)) => (position, index(position)),
        RankPageStart::Toward(Direction::Back(position)) => (position, index(position).saturating_sub(limit)),
        RankPageStart::Around(floor) => {
            let position = walker.ranking.before(floor);
            (position, index(position).saturating_sub(limit / 2).min(walk.len().saturating_sub(limit)))
        }
    };
    let is_backward = matches!(at, RankPageStart::Toward(Direction::Back(_)));
    let to = if is_backward { index(position) } else { walk.len().min(from + limit) };
    let floors = walk[from..to].to_vec();
    WalkSlice {
        ranked: floors.iter().filter(|floor| walker.ranking.contains(**floor)).count(),
        from: floors.first().map_or(position, |floor| walker.ranking.before(*floor)),
        to: floors.last().map_or(position, |floor| walker.ranking.after(*floor)),
        // An earlier page has shown comments on the side from which the walk came, even if they no
        // longer exist.
        more_before: from > 0
            || matches!(at, RankPageStart::Toward(Direction::Ahead(position)) if position != RankPosition::Position(0)),
        more_after: is_backward || to < walk.len(),
        floors,
    }
}

proptest! {
    #[test]
    fn a_slice_is_a_part_of_the_ranking_followed_by_all_other_comments(
        listed in proptest::collection::btree_set(1..30_i32, 0..25),
        shuffled in Just((1..30_i32).collect::<Vec<_>>()).prop_shuffle(),
        depth in 0..12_usize, bound in 0..34_i32, kind in 0..6, position in 0..12_usize, floor in 0..34_i32, limit in 1..9_usize,
    ) {
        let listed: Vec<i32> = listed.into_iter().collect();
        let ranking = ranking(&shuffled[..depth]);
        let list = RankedList::Roots(SubjectKey::stored("video".to_owned(), "1".to_owned()), RankSort::Top);
        let rankings = ListedFloors(listed.clone());
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
        for position in [position, below] {
            let sides = [run(walker.ahead(position, limit)), run(walker.behind(position, limit))];
            prop_assert!(sides.iter().all(|side| side.as_ref().is_ok_and(|floors| floors.len() <= limit)), "{sides:?}");
        }
    }
}

#[test]
fn a_slice_is_cut_to_the_side_of_its_position() {
    let ranking = ranking(&[7, 2]);
    let complete = |floors: &[i32], ranked| {
        let (from, to) = (RankPosition::Position(0), RankPosition::Below(1));
        WalkSlice { floors: floors.to_vec(), ranked, from, to, more_before: false, more_after: false }
    };
    let (first, end) = (RankPosition::Position(0), RankPosition::Position(2));
    let ahead = RankPageStart::Toward(Direction::Ahead(first));
    for (at, slice, floors, (from, to), (before, after)) in [
        (RankPageStart::Beginning, complete(&[7, 2, 9, 8], 2), &[7, 2][..], (first, end), (false, true)),
        (RankPageStart::Around(2), complete(&[7, 2, 9, 8], 2), &[7, 2], (first, end), (false, true)),
        (RankPageStart::Around(7), complete(&[7], 1), &[7], (first, RankPosition::Position(1)), (false, true)),
        (ahead, complete(&[9, 8], 0), &[], (first, end), (false, true)),
        (
            RankPageStart::Around(8),
            complete(&[7, 2, 9, 8], 2),
            &[9, 8],
            (RankPosition::Below(10), RankPosition::Below(1)),
            (true, false),
        ),
        (
            RankPageStart::Around(1),
            complete(&[7, 2], 2),
            &[],
            (RankPosition::Below(1), RankPosition::Below(1)),
            (true, false),
        ),
    ] {
        let part = slice.on_side_of(at, &ranking);
        assert_eq!((part.floors.as_slice(), part.from, part.to), (floors, from, to), "{at:?}");
        assert_eq!((part.more_before, part.more_after), (before, after), "{at:?}");
        assert_eq!(part.ranked, if before { 0 } else { floors.len() }, "{at:?}");
    }
}

#[test]
fn a_new_comment_comes_after_a_slice_that_the_ranking_continues() {
    for (floors, ranked, more_after, within) in
        [(2, 2, true, true), (2, 2, false, false), (2, 1, true, false), (2, 1, false, false), (0, 0, true, true)]
    {
        let (from, to) = (RankPosition::Position(0), RankPosition::Position(ranked));
        let slice = WalkSlice { floors: vec![1; floors], ranked, from, to, more_before: false, more_after };
        assert_eq!(slice.is_within_ranking(), within, "{ranked} of {floors}, more: {more_after}");
    }
}

#[test]
fn a_walk_continues_after_the_last_comment_shown_or_after_a_page_without_one() {
    let walk = RankedWalk { epoch: 1, bound: 9, since: Millis(5) };
    let (from, to) = (RankPosition::Position(1), RankPosition::Below(4));
    let continuation = Continuation { walk, ranking: ranking(&[7, 2]), from, to };
    for (cursor, direction) in [
        (continuation.next(Some(7)), Direction::Ahead(RankPosition::Position(1))),
        (continuation.next(Some(5)), Direction::Ahead(RankPosition::Below(5))),
        (continuation.next(None), Direction::Ahead(to)),
        (continuation.previous(Some(2)), Direction::Back(RankPosition::Position(1))),
        (continuation.previous(Some(5)), Direction::Back(RankPosition::Below(6))),
        (continuation.previous(None), Direction::Back(from)),
    ] {
        assert_eq!(cursor, RankedCursor { walk, direction });
    }
}
