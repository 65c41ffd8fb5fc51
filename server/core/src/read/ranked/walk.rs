//! Walks along a ranking snapshot: the position where a walk continues, and the part of it that a
//! page shows.

use std::ops::Range;

use crate::domain::error::Result;
use crate::domain::page::ListOrder;
use crate::domain::rank::{RankPosition, RankedList, Ranking};
use crate::domain::time::Millis;
use crate::ports::RankingSnapshots;

/// The data that all pages of one walk share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedWalk {
    /// The version of the ranking snapshot.
    pub epoch: i64,
    /// The list's next floor at the first page. Later comments are not part of the walk.
    pub bound: i32,
    /// The start time of the walk.
    pub since: Millis,
}

/// The direction of a page from a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Forward: the page begins after the position.
    Ahead(RankPosition),
    /// Backward: the page ends at the position.
    Back(RankPosition),
}

/// The position where a walk continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedCursor {
    /// The walk.
    pub walk: RankedWalk,
    /// The position and the direction.
    pub direction: Direction,
}

/// The position of a page in its walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RankPageStart {
    /// The beginning of the walk.
    Beginning,
    /// Around the comment with this floor, or the position that it would have.
    Around(i32),
    /// From a position in a direction.
    Toward(Direction),
}

/// A part of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkSlice {
    /// The floors, in the order of the walk.
    pub(crate) floors: Vec<i32>,
    /// The number of floors, from the first, that belong to the ranking snapshot.
    pub(crate) ranked: usize,
    /// The position before the first floor.
    pub(crate) from: RankPosition,
    /// The position after the last floor.
    pub(crate) to: RankPosition,
    /// True if the walk has comments before the slice.
    pub(crate) more_before: bool,
    /// True if the walk has comments after the slice.
    pub(crate) more_after: bool,
}

impl WalkSlice {
    /// Returns the part of the slice on the side of `at`: the floors of the ranking, or the floors
    /// after it. The other side is reported as more comments. So the slice does not include the end
    /// of the ranking, where a new comment could be inserted.
    pub(crate) fn on_side_of(mut self, at: RankPageStart, ranking: &Ranking) -> Self {
        let beyond = match at {
            RankPageStart::Beginning | RankPageStart::Toward(_) => false,
            RankPageStart::Around(floor) => matches!(ranking.before(floor), RankPosition::Below(_)),
        };
        if beyond {
            self.more_before = true;
            self.floors.drain(..self.ranked);
            self.ranked = 0;
            self.from = self.floors.first().map_or(self.to, |floor| ranking.before(*floor));
        } else {
            self.more_after = true;
            self.floors.truncate(self.ranked);
            let end = RankPosition::Position(ranking.floors.len());
            self.to = self.floors.last().map_or(end, |floor| ranking.after(*floor));
        }
        self
    }

    /// Returns true if a new comment comes after the whole slice, on a later page.
    pub(crate) fn is_within_ranking(&self) -> bool {
        self.floors.len() == self.ranked && self.more_after
    }
}

/// A walk along a ranking and then along the lists of the store.
#[derive(Debug)]
pub(crate) struct Walker<'a> {
    pub(crate) rankings: &'a dyn RankingSnapshots,
    pub(crate) list: &'a RankedList,
    pub(crate) ranking: &'a Ranking,
    /// Comments with this floor or a greater one are not part of the walk.
    pub(crate) bound: i32,
}

impl Walker<'_> {
    /// Returns the slice of at most `limit` floors at a position.
    pub(crate) async fn slice(&self, at: RankPageStart, limit: usize) -> Result<WalkSlice> {
        let one_more = limit + 1;
        let (position, behind, ahead) = match at {
            RankPageStart::Beginning => {
                (RankPosition::Position(0), Vec::new(), self.ahead(RankPosition::Position(0), one_more).await?)
            }
            RankPageStart::Toward(Direction::Ahead(position)) => {
                (position, Vec::new(), self.ahead(position, one_more).await?)
            }
            RankPageStart::Toward(Direction::Back(position)) => {
                (position, self.behind(position, one_more).await?, Vec::new())
            }
            RankPageStart::Around(floor) => {
                let position = self.ranking.before(floor);
                (position, self.behind(position, one_more).await?, self.ahead(position, one_more).await?)
            }
        };
        // The position lies in the middle; a short side leaves its remaining capacity to the other.
        let after = ahead.len().min(limit - behind.len().min(limit / 2));
        let before = behind.len().min(limit - after);
        let floors: Vec<i32> = behind[behind.len() - before..].iter().chain(&ahead[..after]).copied().collect();
        let follows_a_page =
            matches!(at, RankPageStart::Toward(Direction::Ahead(from)) if from != RankPosition::Position(0));
        let precedes_a_page = matches!(at, RankPageStart::Toward(Direction::Back(_)));
        Ok(WalkSlice {
            ranked: floors
                .iter()
                .take_while(|floor| matches!(self.ranking.before(**floor), RankPosition::Position(_)))
                .count(),
            from: floors.first().map_or(position, |floor| self.ranking.before(*floor)),
            to: floors.last().map_or(position, |floor| self.ranking.after(*floor)),
            more_before: follows_a_page || behind.len() > before,
            more_after: precedes_a_page || ahead.len() > after,
            floors,
        })
    }

    /// Returns at most `limit` floors after a position.
    async fn ahead(&self, position: RankPosition, limit: usize) -> Result<Vec<i32>> {
        let ranked = &self.ranking.floors;
        let (mut floors, below) = match position {
            RankPosition::Position(index) => {
                (ranked.iter().skip(index).take(limit).copied().collect::<Vec<_>>(), self.bound)
            }
            RankPosition::Below(floor) => (Vec::new(), floor.min(self.bound)),
        };
        if floors.len() < limit {
            floors.extend(self.unranked(1..below, ListOrder::Newest, limit - floors.len()).await?);
        }
        Ok(floors)
    }

    /// Returns at most `limit` floors before a position, the nearest last.
    async fn behind(&self, position: RankPosition, limit: usize) -> Result<Vec<i32>> {
        let ranked = &self.ranking.floors;
        let (mut floors, end) = match position {
            RankPosition::Position(index) => (Vec::new(), index.min(ranked.len())),
            RankPosition::Below(floor) => {
                (self.unranked(floor..self.bound, ListOrder::Oldest, limit).await?, ranked.len())
            }
        };
        let remaining = limit - floors.len();
        floors.extend(ranked[..end].iter().rev().take(remaining));
        floors.reverse();
        Ok(floors)
    }

    async fn unranked(&self, floors: Range<i32>, order: ListOrder, limit: usize) -> Result<Vec<i32>> {
        if floors.is_empty() {
            return Ok(Vec::new());
        }
        self.rankings.unranked(self.list, self.ranking, floors, order, limit).await
    }
}

/// A page, and the continuation of its walk.
#[derive(Debug, Clone)]
pub struct RankedPage<P> {
    /// The page. Comments that were removed since the snapshot was created are missing from it, so
    /// it may be short or even empty.
    pub page: P,
    /// The continuation of the walk.
    pub continuation: Continuation,
}

/// The continuation of a walk from a page.
#[derive(Debug, Clone)]
pub struct Continuation {
    pub(crate) walk: RankedWalk,
    pub(crate) ranking: Ranking,
    pub(crate) from: RankPosition,
    pub(crate) to: RankPosition,
}

impl Continuation {
    /// Returns the continuation for a list without any comment.
    pub(crate) fn empty(now: Millis) -> Self {
        let (ranking, start) = (Ranking::new(0, now, [].into()), RankPosition::Position(0));
        Self { walk: RankedWalk { epoch: 0, bound: 1, since: now }, ranking, from: start, to: start }
    }

    /// Returns the cursor to the comments after the last one shown, given by its floor; after the
    /// page if none is shown.
    #[must_use]
    pub fn next(&self, last: Option<i32>) -> RankedCursor {
        let position = last.map_or(self.to, |floor| self.ranking.after(floor));
        RankedCursor { walk: self.walk, direction: Direction::Ahead(position) }
    }

    /// Returns the cursor to the comments before the first one shown, given by its floor; before
    /// the page if none is shown.
    #[must_use]
    pub fn previous(&self, first: Option<i32>) -> RankedCursor {
        let position = first.map_or(self.from, |floor| self.ranking.before(floor));
        RankedCursor { walk: self.walk, direction: Direction::Back(position) }
    }
}

#[cfg(test)]
mod tests;
