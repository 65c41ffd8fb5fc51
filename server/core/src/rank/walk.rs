//! Walks along a frozen ranking: where one goes on, and which part of it a page shows.

use std::ops::Range;

use super::{RankPosition, RankedList, Ranking};
use crate::error::Result;
use crate::page::ListOrder;
use crate::ports::Rankings;
use crate::time::Millis;

/// What all pages of one walk share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedWalk {
    /// The ranking.
    pub epoch: i64,
    /// The list's next floor at the first page: what came later is no part of the walk.
    pub bound: i32,
    /// When the walk began.
    pub since: Millis,
}

/// Which way a page goes from a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// On, behind the place.
    Ahead(RankPosition),
    /// Back: it ends at the place.
    Back(RankPosition),
}

/// Where a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedCursor {
    /// The walk.
    pub walk: RankedWalk,
    /// From where.
    pub toward: Direction,
}

/// Where a page stands in its walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RankPageStart {
    /// At the beginning.
    Beginning,
    /// Around the comment with this floor, or where it would stand.
    Around(i32),
    /// Beyond a place.
    Toward(Direction),
}

/// A part of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkSlice {
    /// The floors, in the order of the walk.
    pub(crate) floors: Vec<i32>,
    /// How many of them, the first, are of the ranking.
    pub(crate) ranked: usize,
    /// The place before the first.
    pub(crate) from: RankPosition,
    /// The place behind the last.
    pub(crate) to: RankPosition,
    /// Whether the walk has more before it.
    pub(crate) more_before: bool,
    /// Whether the walk has more behind it.
    pub(crate) more_after: bool,
}

impl WalkSlice {
    /// Only the part on the side of the ranking on which `at` lies, with more on the other side. It has no seam, between
    /// the end of the ranking and what follows it, where something could come in between.
    pub(crate) fn without_seam(mut self, at: RankPageStart, ranking: &Ranking) -> Self {
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
            self.to = self.floors.last().map_or(end, |floor| ranking.behind(*floor));
        }
        self
    }

    /// Whether a comment that comes now stands behind all of it, on a later page.
    pub(crate) fn is_within_ranking(&self) -> bool {
        self.floors.len() == self.ranked && self.more_after
    }
}

/// A walk along a ranking, over the lists of the store.
#[derive(Debug)]
pub(crate) struct Walker<'a> {
    pub(crate) rankings: &'a dyn Rankings,
    pub(crate) list: &'a RankedList,
    pub(crate) ranking: &'a Ranking,
    /// What has this floor or a greater one is no part of the walk.
    pub(crate) bound: i32,
}

impl Walker<'_> {
    /// The slice of at most `limit` floors at a place.
    pub(crate) async fn slice(&self, at: RankPageStart, limit: usize) -> Result<WalkSlice> {
        let one_more = limit + 1;
        let (place, behind, ahead) = match at {
            RankPageStart::Beginning => {
                (RankPosition::Position(0), Vec::new(), self.ahead(RankPosition::Position(0), one_more).await?)
            }
            RankPageStart::Toward(Direction::Ahead(place)) => (place, Vec::new(), self.ahead(place, one_more).await?),
            RankPageStart::Toward(Direction::Back(place)) => (place, self.behind(place, one_more).await?, Vec::new()),
            RankPageStart::Around(floor) => {
                let place = self.ranking.before(floor);
                (place, self.behind(place, one_more).await?, self.ahead(place, one_more).await?)
            }
        };
        // The place lies in the middle; a short side leaves its room to the other.
        let forth = ahead.len().min(limit - behind.len().min(limit / 2));
        let back = behind.len().min(limit - forth);
        let floors: Vec<i32> = behind[behind.len() - back..].iter().chain(&ahead[..forth]).copied().collect();
        let came_from_before =
            matches!(at, RankPageStart::Toward(Direction::Ahead(from)) if from != RankPosition::Position(0));
        let came_from_behind = matches!(at, RankPageStart::Toward(Direction::Back(_)));
        Ok(WalkSlice {
            ranked: floors
                .iter()
                .take_while(|floor| matches!(self.ranking.before(**floor), RankPosition::Position(_)))
                .count(),
            from: floors.first().map_or(place, |floor| self.ranking.before(*floor)),
            to: floors.last().map_or(place, |floor| self.ranking.behind(*floor)),
            more_before: came_from_before || behind.len() > back,
            more_after: came_from_behind || ahead.len() > forth,
            floors,
        })
    }

    /// At most `limit` floors that follow a place.
    async fn ahead(&self, place: RankPosition, limit: usize) -> Result<Vec<i32>> {
        let ranked = &self.ranking.floors;
        let (mut floors, below) = match place {
            RankPosition::Position(position) => {
                (ranked.iter().skip(position).take(limit).copied().collect::<Vec<_>>(), self.bound)
            }
            RankPosition::Below(floor) => (Vec::new(), floor.min(self.bound)),
        };
        if floors.len() < limit {
            floors.extend(self.others(1..below, ListOrder::Newest, limit - floors.len()).await?);
        }
        Ok(floors)
    }

    /// At most `limit` floors that come before a place, the nearest last.
    async fn behind(&self, place: RankPosition, limit: usize) -> Result<Vec<i32>> {
        let ranked = &self.ranking.floors;
        let (mut floors, end) = match place {
            RankPosition::Position(position) => (Vec::new(), position.min(ranked.len())),
            RankPosition::Below(floor) => {
                (self.others(floor..self.bound, ListOrder::Oldest, limit).await?, ranked.len())
            }
        };
        let room = limit - floors.len();
        floors.extend(ranked[..end].iter().rev().take(room));
        floors.reverse();
        Ok(floors)
    }

    async fn others(&self, floors: Range<i32>, order: ListOrder, limit: usize) -> Result<Vec<i32>> {
        if floors.is_empty() {
            return Ok(Vec::new());
        }
        self.rankings.others(self.list, self.ranking, floors, order, limit).await
    }
}

/// A page, and how its walk goes on from it.
#[derive(Debug, Clone)]
pub struct RankedPage<P> {
    /// The page. What went away since the ranking was made is not on it, so it may be short, or even empty.
    pub page: P,
    /// The walk.
    pub trail: Continuation,
}

/// How a walk goes on from a page.
#[derive(Debug, Clone)]
pub struct Continuation {
    pub(crate) walk: RankedWalk,
    pub(crate) ranking: Ranking,
    pub(crate) from: RankPosition,
    pub(crate) to: RankPosition,
}

impl Continuation {
    /// That of a list that nobody has written to.
    pub(crate) fn nowhere(now: Millis) -> Self {
        let (ranking, start) = (Ranking::new(0, now, [].into()), RankPosition::Position(0));
        Self { walk: RankedWalk { epoch: 0, bound: 1, since: now }, ranking, from: start, to: start }
    }

    /// The cursor to what follows the last of the shown comments, by its floor; behind the page where none is shown.
    #[must_use]
    pub fn next(&self, last: Option<i32>) -> RankedCursor {
        let place = last.map_or(self.to, |floor| self.ranking.behind(floor));
        RankedCursor { walk: self.walk, toward: Direction::Ahead(place) }
    }

    /// The cursor to what comes before the first of the shown comments, by its floor; before the page where none is shown.
    #[must_use]
    pub fn previous(&self, first: Option<i32>) -> RankedCursor {
        let place = first.map_or(self.from, |floor| self.ranking.before(floor));
        RankedCursor { walk: self.walk, toward: Direction::Back(place) }
    }
}

#[cfg(test)]
mod tests;
