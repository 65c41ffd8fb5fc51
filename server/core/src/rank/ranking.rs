//! Frozen rankings: made once from a list as it is, then never changed, so that walks along them are exact however likes
//! move meanwhile.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::{HotProfile, RankIndex, ScoreInputs};
use crate::ids::CommentId;
use crate::time::Millis;

/// A list that has changed gets a new ranking for walks that begin when the last one is this old.
pub const WALKED_ANEW: Duration = Duration::from_secs(5);
/// How long a walk may take, from its first page on.
pub const TOKENS_LIVE: Duration = Duration::from_secs(30 * 60);
/// How long a ranking is kept: while a walk may go along it, and a while for clocks that differ.
pub const KEPT: Duration = Duration::from_secs(35 * 60);
/// Walks begin along rankings that are younger than this, changed or not, so that each ends before its ranking does.
pub(super) const BEGUN: Duration = Duration::from_secs(4 * 60);

/// A frozen ranking of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// Its number, greater than that of any earlier one of the list.
    pub epoch: i64,
    /// When it was made.
    pub made: Millis,
    /// The floors of what stood first, in order. What was not visible then has no rank.
    pub floors: Arc<[i32]>,
    /// The same, ascending: every page asks for some of them.
    ascending: Arc<[i32]>,
}

/// The last ranking of a list, as whoever begins a walk finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankVersion {
    /// The ranking.
    pub ranking: Ranking,
    /// Whether the list has changed since it was made, as far as the boards know.
    pub changed: bool,
}

impl RankVersion {
    /// Whether a walk that begins now goes along it. One from the future, by the clock of another process, counts as new, but if the
    /// list has changed only as far as it may be old: a clock that runs ahead must not keep a list as it is until all others
    /// have come there.
    #[must_use]
    pub fn serves(&self, now: Millis) -> bool {
        let made = self.ranking.made;
        if self.changed { now < made.plus(WALKED_ANEW) && made < now.plus(WALKED_ANEW) } else { now < made.plus(BEGUN) }
    }

    /// Whether a walk may begin along it while a newer one is being made.
    #[must_use]
    pub fn bridges(&self, now: Millis) -> bool {
        now < self.ranking.made.plus(BEGUN)
    }
}

/// A place in a walk, between two comments: first come those of the ranking, then all others by floor, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RankPosition {
    /// Before this position of the ranking, from 0 on; its length is the end of it.
    Position(usize),
    /// Behind the ranking, and before every floor that is smaller than this one.
    Below(i32),
}

impl Ranking {
    /// A ranking of these floors, in order.
    #[must_use]
    pub fn new(epoch: i64, made: Millis, floors: Arc<[i32]>) -> Self {
        let mut ascending = floors.to_vec();
        ascending.sort_unstable();
        Self { epoch, made, floors, ascending: ascending.into() }
    }

    /// The number of the ranking that follows `last`. Numbers grow with time too, so that none is given again after the
    /// ranking that had it was forgotten.
    #[must_use]
    pub fn epoch_after(last: Option<i64>, now: Millis) -> i64 {
        last.map_or_else(|| now.0 / i64::try_from(WALKED_ANEW.as_millis()).unwrap_or(1), |last| last.saturating_add(1))
    }

    /// The place just before the comment with this floor.
    #[must_use]
    pub fn before(&self, floor: i32) -> RankPosition {
        self.position(floor).map_or(RankPosition::Below(floor.saturating_add(1)), RankPosition::Position)
    }

    /// The place just behind it.
    #[must_use]
    pub fn behind(&self, floor: i32) -> RankPosition {
        self.position(floor).map_or(RankPosition::Below(floor), |position| RankPosition::Position(position + 1))
    }

    /// Whether it holds this floor.
    #[must_use]
    pub fn holds(&self, floor: i32) -> bool {
        self.ascending.binary_search(&floor).is_ok()
    }

    /// How many floors of this range it holds.
    #[must_use]
    pub fn count_within(&self, floors: Range<i32>) -> usize {
        let below = |end: i32| self.ascending.partition_point(|floor| *floor < end);
        below(floors.end).saturating_sub(below(floors.start))
    }

    /// Those of `floors`, which go one way, that it does not hold.
    #[must_use]
    pub fn leaves(&self, floors: Vec<i32>) -> Vec<i32> {
        floors.into_iter().filter(|floor| !self.holds(*floor)).collect()
    }

    fn position(&self, floor: i32) -> Option<usize> {
        self.holds(floor).then(|| self.floors.iter().position(|ranked| *ranked == floor)).flatten()
    }
}

/// A comment that may be ranked.
pub type RankCandidate = (CommentId, i32, ScoreInputs);

/// The floors of the first `depth` of `candidates` (id, floor and tally, each once) by score; of equals the newest first,
/// by create time and then by id.
#[must_use]
pub fn freeze(board: RankIndex, hot: HotProfile, candidates: Vec<RankCandidate>, depth: usize) -> Arc<[i32]> {
    let score = |(_, _, inputs): &RankCandidate| inputs.score(board.sort(), hot);
    let mut scored: Vec<(f64, RankCandidate)> = candidates.into_iter().map(|one| (score(&one), one)).collect();
    scored.sort_by(|(a, (id, _, inputs)), (b, (other, _, others))| {
        b.total_cmp(a).then_with(|| Reverse((inputs.time, id)).cmp(&Reverse((others.time, other))))
    });
    scored.into_iter().take(depth).map(|(_, (_, floor, _))| floor).collect()
}
