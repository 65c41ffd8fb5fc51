//! Ranking snapshots. A snapshot is created once from a list and never changed, so that paging
//! along it is exact while likes change.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::{RankIndex, ScoreInputs};
use crate::domain::ids::CommentId;
use crate::domain::object_type::HotProfile;
use crate::domain::time::Millis;

/// The age from which a new walk of a changed list gets a new ranking snapshot.
pub const SNAPSHOT_RENEWAL: Duration = Duration::from_secs(5);
/// The maximum duration of a walk, from its first page.
pub const WALK_LIFETIME: Duration = Duration::from_secs(30 * 60);
/// The time for which a ranking snapshot is stored: as long as a walk may use it, plus a margin for
/// clock differences.
pub const SNAPSHOT_RETENTION: Duration = Duration::from_secs(35 * 60);
/// The maximum age of a ranking snapshot, changed or not, at which a walk may begin. With it each
/// walk ends before its snapshot is removed.
pub(super) const MAX_START_AGE: Duration = Duration::from_secs(4 * 60);

/// A ranking snapshot of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The version of the snapshot, greater than that of every earlier one of the list.
    pub epoch: i64,
    /// The time of its creation.
    pub create_time: Millis,
    /// The floors of the comments that ranked first, in order. A comment that was not visible at
    /// that time is not among them.
    pub floors: Arc<[i32]>,
    /// The same floors, ascending, for the membership checks of every page.
    ascending: Arc<[i32]>,
}

/// The latest ranking snapshot of a list, as a new walk finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankVersion {
    /// The ranking snapshot.
    pub ranking: Ranking,
    /// True if the list has changed since the snapshot was created, according to the rank index.
    pub changed: bool,
}

impl RankVersion {
    /// Returns true if a walk that begins now uses this snapshot. A snapshot from the future, by
    /// the clock of another process, counts as new. If the list has changed, it counts as new only
    /// up to the age limit: a clock that runs ahead must not keep the list unchanged until all
    /// other clocks have caught up.
    #[must_use]
    pub fn is_current(&self, now: Millis) -> bool {
        let created = self.ranking.create_time;
        if self.changed {
            now < created.plus(SNAPSHOT_RENEWAL) && created < now.plus(SNAPSHOT_RENEWAL)
        } else {
            now < created.plus(MAX_START_AGE)
        }
    }

    /// Returns true if a walk may begin on this snapshot while a newer one is being created.
    #[must_use]
    pub fn is_usable(&self, now: Millis) -> bool {
        now < self.ranking.create_time.plus(MAX_START_AGE)
    }
}

/// A position in a walk, between two comments: first the comments of the snapshot, then all others
/// by floor, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RankPosition {
    /// Before this index of the snapshot, from 0; its length is the end of the snapshot.
    Position(usize),
    /// After the snapshot, and before every floor that is smaller than this one.
    Below(i32),
}

impl Ranking {
    /// Creates a ranking of these floors, in order.
    #[must_use]
    pub fn new(epoch: i64, create_time: Millis, floors: Arc<[i32]>) -> Self {
        let mut ascending = floors.to_vec();
        ascending.sort_unstable();
        Self { epoch, create_time, floors, ascending: ascending.into() }
    }

    /// Returns the version of the snapshot that follows `last`. Versions also grow with time, so
    /// that none is used again after its snapshot was removed.
    #[must_use]
    pub fn epoch_after(last: Option<i64>, now: Millis) -> i64 {
        last.map_or_else(
            || now.0 / i64::try_from(SNAPSHOT_RENEWAL.as_millis()).unwrap_or(1),
            |last| last.saturating_add(1),
        )
    }

    /// Returns the position directly before the comment with this floor.
    #[must_use]
    pub fn before(&self, floor: i32) -> RankPosition {
        self.position(floor).map_or(RankPosition::Below(floor.saturating_add(1)), RankPosition::Position)
    }

    /// Returns the position directly after the comment with this floor.
    #[must_use]
    pub fn after(&self, floor: i32) -> RankPosition {
        self.position(floor).map_or(RankPosition::Below(floor), |position| RankPosition::Position(position + 1))
    }

    /// Returns true if the snapshot contains this floor.
    #[must_use]
    pub fn contains(&self, floor: i32) -> bool {
        self.ascending.binary_search(&floor).is_ok()
    }

    /// Returns the number of floors of this range that the snapshot contains.
    #[must_use]
    pub fn count_within(&self, floors: Range<i32>) -> usize {
        let below = |end: i32| self.ascending.partition_point(|floor| *floor < end);
        below(floors.end).saturating_sub(below(floors.start))
    }

    /// Returns those of `floors` that the snapshot does not contain.
    #[must_use]
    pub fn unranked(&self, floors: Vec<i32>) -> Vec<i32> {
        floors.into_iter().filter(|floor| !self.contains(*floor)).collect()
    }

    fn position(&self, floor: i32) -> Option<usize> {
        self.contains(floor).then(|| self.floors.iter().position(|ranked| *ranked == floor)).flatten()
    }
}

/// A comment that may be ranked: its id, its floor and its score inputs.
pub type RankCandidate = (CommentId, i32, ScoreInputs);

/// Returns the floors of the `depth` candidates with the highest scores, in order. Candidates with
/// equal scores are ordered by creation time, then by id, newest first. No candidate occurs twice.
#[must_use]
pub fn ranked_floors(index: RankIndex, hot: HotProfile, candidates: Vec<RankCandidate>, depth: usize) -> Arc<[i32]> {
    let score = |(_, _, inputs): &RankCandidate| inputs.score(index.sort(), hot);
    let mut scored: Vec<(f64, RankCandidate)> =
        candidates.into_iter().map(|candidate| (score(&candidate), candidate)).collect();
    scored.sort_by(|(a, (id, _, inputs)), (b, (other_id, _, other_inputs))| {
        b.total_cmp(a).then_with(|| Reverse((inputs.time, id)).cmp(&Reverse((other_inputs.time, other_id))))
    });
    scored.into_iter().take(depth).map(|(_, (_, floor, _))| floor).collect()
}
