//! Ranking: the score of a comment in each ranked order, and the rank indexes that contain the
//! comment.
//!
//! A score depends only on stored counters and the time of creation, so no score is recomputed
//! because time has passed. Ties are broken by create time, then by id, newest first.

mod ranking;

use std::cmp::Reverse;
use std::sync::Arc;

use crate::domain::comment::Comment;
use crate::domain::ids::CommentId;
use crate::domain::object_type::{HotProfile, ObjectType, Policies};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
pub use ranking::{
    RankCandidate, RankPosition, RankVersion, Ranking, SNAPSHOT_RENEWAL, SNAPSHOT_RETENTION, WALK_LIFETIME,
    ranked_floors,
};

/// The standard normal quantile of the Wilson interval behind BEST: a confidence of 80 %.
const Z: f64 = 1.281_551_565_545;
/// The age difference that equals a factor of ten in weight, in the decaying profile of HOT: 12.5
/// hours, as in Reddit's `hot` (reddit-archive/reddit, r2/r2/lib/db/_sorts.pyx).
const TENFOLD_MILLIS: f64 = 45_000_000.0;

/// An order by score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankSort {
    /// By weight, and also by age if the profile of the type includes it: see [`HotProfile`].
    Hot,
    /// likes − dislikes.
    Top,
    /// The lower bound of the Wilson interval of the share of likes.
    Best,
    /// (likes + dislikes) to the power of min / max; 0 if one side is 0.
    Controversial,
    /// The number of replies.
    MostReplies,
}

impl RankSort {
    /// All sorts.
    pub const ALL: [Self; 5] = [Self::Hot, Self::Top, Self::Best, Self::Controversial, Self::MostReplies];

    /// The name to which tokens are bound.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hot => "HOT",
            Self::Top => "TOP",
            Self::Best => "BEST",
            Self::Controversial => "CONTROVERSIAL",
            Self::MostReplies => "MOST_REPLIES",
        }
    }
}

/// The inputs of the score formulas for a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreInputs {
    /// The number of members whose value is LIKE.
    pub likes: i32,
    /// The number of members whose value is DISLIKE.
    pub dislikes: i32,
    /// The number of replies that count for the comment.
    pub replies: i32,
    /// The time of creation.
    pub time: Millis,
}

impl ScoreInputs {
    /// Returns the score inputs of a comment.
    #[must_use]
    pub const fn of(comment: &Comment) -> Self {
        Self {
            likes: comment.counts.like_count,
            dislikes: comment.counts.dislike_count,
            replies: comment.counts.reply_count,
            time: comment.reference.create_time,
        }
    }

    /// Returns the score in an order; a higher score comes earlier.
    #[must_use]
    pub fn score(&self, sort: RankSort, hot: HotProfile) -> f64 {
        let (likes, dislikes) = (f64::from(self.likes), f64::from(self.dislikes));
        match sort {
            RankSort::Hot => match hot {
                HotProfile::Plain => self.weight(),
                HotProfile::Decaying => self.weight().max(1.0).log10() + self.time.0 as f64 / TENFOLD_MILLIS,
            },
            RankSort::Top => likes - dislikes,
            RankSort::Best => wilson(likes, dislikes),
            RankSort::Controversial => controversy(likes, dislikes),
            RankSort::MostReplies => f64::from(self.replies),
        }
    }

    fn weight(&self) -> f64 {
        2.0 * f64::from(self.likes) + f64::from(self.replies)
    }

    /// Returns `true` if the score is above that of a comment without likes, dislikes and replies.
    fn is_ranked(&self, sort: RankSort) -> bool {
        match sort {
            RankSort::Hot => self.weight() > 0.0,
            RankSort::Top | RankSort::Best | RankSort::Controversial | RankSort::MostReplies => {
                self.score(sort, HotProfile::Plain) > 0.0
            }
        }
    }
}

/// Returns the lower bound of the score interval for a share of `up` among `up + down`: E. B.
/// Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927);
/// for rankings, Evan Miller, How Not To Sort By Average Rating (2009).
fn wilson(up: f64, down: f64) -> f64 {
    // Without likes the bound is 0. The formula gives 0 as well, except for rounding, which would
    // rank every sixth comment that has only dislikes above all comments without votes.
    if up <= 0.0 {
        return 0.0;
    }
    let n = up + down;
    let p = up / n;
    let middle = p + Z * Z / (2.0 * n);
    let half_width = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    (middle - half_width) / (1.0 + Z * Z / n)
}

/// Returns a score that is high for many, evenly divided votes, as Reddit's `controversy` (in the
/// file named above).
fn controversy(up: f64, down: f64) -> f64 {
    if up <= 0.0 || down <= 0.0 { 0.0 } else { (up + down).powf(up.min(down) / up.max(down)) }
}

/// A list of comments in the order of one score, kept up to date as the comments change. It
/// contains only comments whose score is above that of a comment without votes and replies. All
/// others follow by age, which needs no rank index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankIndex {
    /// The visible roots of a subject.
    Roots(RankSort),
    /// The visible replies of a root, by likes − dislikes.
    Replies,
    /// The visible replies of a root for its preview, by −likes ascending; the oldest comes first
    /// among equals.
    Previews,
}

impl RankIndex {
    /// The rank indexes of roots.
    pub const OF_ROOTS: [Self; 5] = [
        Self::Roots(RankSort::Hot),
        Self::Roots(RankSort::Top),
        Self::Roots(RankSort::Best),
        Self::Roots(RankSort::Controversial),
        Self::Roots(RankSort::MostReplies),
    ];
    /// The rank indexes of replies.
    pub const OF_REPLIES: [Self; 2] = [Self::Replies, Self::Previews];

    /// The stored code. It never changes. A subject and a root may have the same id, so the codes
    /// distinguish their rank indexes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Roots(RankSort::Hot) => 1,
            Self::Roots(RankSort::Top) => 2,
            Self::Roots(RankSort::Best) => 3,
            Self::Roots(RankSort::Controversial) => 4,
            Self::Roots(RankSort::MostReplies) => 5,
            Self::Replies => 16,
            Self::Previews => 17,
        }
    }

    /// The sort whose scores the rank index has.
    #[must_use]
    pub const fn sort(self) -> RankSort {
        match self {
            Self::Roots(sort) => sort,
            Self::Replies | Self::Previews => RankSort::Top,
        }
    }

    /// Returns the score of a comment with these inputs; `None` if the rank index does not contain
    /// it.
    #[must_use]
    pub fn score(self, inputs: &ScoreInputs, hot: HotProfile) -> Option<f64> {
        match self {
            Self::Roots(_) | Self::Replies => inputs.is_ranked(self.sort()).then(|| inputs.score(self.sort(), hot)),
            Self::Previews => (inputs.likes > 0).then(|| -f64::from(inputs.likes)),
        }
    }
}

impl RankIndex {
    /// Returns the number of likes of a score in the rank index of previews.
    #[must_use]
    pub fn preview_likes(score: f64) -> i32 {
        // The score was computed from an i32; a value outside its range saturates.
        -score as i32
    }
}

/// Returns the rank indexes that contain a comment, with its score in each.
#[must_use]
pub fn scores(comment: &Comment, hot: HotProfile) -> Vec<(RankIndex, f64)> {
    if !comment.lifecycle.state.is_visible() {
        return Vec::new();
    }
    let indexes: &[RankIndex] = if comment.is_root() { &RankIndex::OF_ROOTS } else { &RankIndex::OF_REPLIES };
    let inputs = ScoreInputs::of(comment);
    indexes.iter().filter_map(|index| Some((*index, index.score(&inputs, hot)?))).collect()
}

/// Returns the list that a comment belongs to in the rank indexes: its subject for a root, its root
/// for a reply.
#[must_use]
pub fn list_of(comment: &Comment) -> CommentId {
    comment.reference.root_id.unwrap_or(CommentId::from(comment.reference.subject_id))
}

/// Returns the sort key of replies in a preview: the most liked first, the oldest first among
/// equals. A tombstone has no likes.
#[must_use]
pub fn preview_order(reply: &Comment) -> (Reverse<i32>, i32) {
    let likes = if reply.lifecycle.state.is_visible() { reply.counts.like_count } else { 0 };
    (Reverse(likes), reply.reference.floor)
}

/// The list that a ranked walk follows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RankedList {
    /// The roots of a subject.
    Roots(SubjectKey, RankSort),
    /// The replies of a root, by likes − dislikes.
    Replies(SubjectKey, CommentId),
}

impl RankedList {
    /// The subject.
    #[must_use]
    pub const fn subject(&self) -> &SubjectKey {
        match self {
            Self::Roots(key, _) | Self::Replies(key, _) => key,
        }
    }

    /// The root of a list of replies; `None` for a list of roots.
    #[must_use]
    pub const fn root(&self) -> Option<CommentId> {
        match self {
            Self::Roots(..) => None,
            Self::Replies(_, root) => Some(*root),
        }
    }

    /// The rank index of the list's scores.
    #[must_use]
    pub const fn rank_index(&self) -> RankIndex {
        match self {
            Self::Roots(_, sort) => RankIndex::Roots(*sort),
            Self::Replies(..) => RankIndex::Replies,
        }
    }
}

/// The settings from which rankings are made.
#[derive(Debug, Clone)]
pub struct RankingConfig {
    /// The maximum number of comments in a ranking snapshot; all others follow it by floor.
    pub depth: usize,
    /// The policies, which have the HOT profile of each object type.
    pub policies: Arc<Policies>,
}

impl RankingConfig {
    /// The default number of comments in a ranking snapshot.
    pub const DEPTH: usize = 2_000;

    /// Returns the HOT profile of a type; a type that is no longer registered has the plain one.
    #[must_use]
    pub fn hot(&self, object_type: &ObjectType) -> HotProfile {
        self.policies.of(object_type).map_or(HotProfile::Plain, |policy| policy.hot)
    }

    /// Returns `true` if replies of a type are roots themselves, which count as replies of the
    /// roots that they reply to.
    #[must_use]
    pub fn flat(&self, object_type: &ObjectType) -> bool {
        self.policies.of(object_type).is_ok_and(|policy| policy.max_depth == 1)
    }
}

#[cfg(test)]
mod tests;
