//! Ranking: which score a comment has in each ranked order, and on which boards it therefore stands.
//!
//! A score is a function of stored counters and the time of creation only, so nothing is ever scored again because time
//! passed. Ties break by create time, then by id, newest first.

mod ranking;
mod walk;

use std::cmp::Reverse;
use std::sync::Arc;

use crate::comment::Comment;
use crate::ids::CommentId;
use crate::object_type::{ObjectType, Policies};
use crate::subject::SubjectKey;
use crate::time::Millis;
pub use ranking::{KEPT, RankCandidate, RankPosition, RankVersion, Ranking, TOKENS_LIVE, WALKED_ANEW, freeze};
pub use walk::{Continuation, Direction, RankedCursor, RankedPage, RankedWalk};
pub(crate) use walk::{RankPageStart, WalkSlice, Walker};

/// The standard normal quantile of the Wilson interval behind BEST: a confidence of 80 %.
const Z: f64 = 1.281_551_565_545;
/// How much newer a comment must be to weigh as much as one of ten times its weight, in the decaying profile of HOT:
/// 12.5 hours, as in Reddit's `hot` (reddit-archive/reddit, r2/r2/lib/db/_sorts.pyx).
const TENFOLD_MILLIS: f64 = 45_000_000.0;

/// An order by score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankSort {
    /// By weight, and by age where the profile of the type says so: see [`HotProfile`].
    Hot,
    /// likes − dislikes.
    Top,
    /// The lower bound of the Wilson interval of the share of likes.
    Best,
    /// (likes + dislikes) to the power of min / max; 0 if one side is 0.
    Controversial,
    /// Replies.
    MostReplies,
}

impl RankSort {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Hot, Self::Top, Self::Best, Self::Controversial, Self::MostReplies];

    /// Its name, as tokens are bound to it.
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

/// The formula of HOT, by object type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HotProfile {
    /// The weight alone: 2 · likes + replies.
    #[default]
    Plain,
    /// log10(max(1, weight)) + age term: ten times the weight counts as much as being 12.5 hours newer.
    Decaying,
}

/// What formulas see of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreInputs {
    /// Members whose value is LIKE.
    pub likes: i32,
    /// Members whose value is DISLIKE.
    pub dislikes: i32,
    /// Replies that count for it.
    pub replies: i32,
    /// When it was written.
    pub time: Millis,
}

impl ScoreInputs {
    /// The tally of a comment.
    #[must_use]
    pub const fn of(comment: &Comment) -> Self {
        Self {
            likes: comment.like_count,
            dislikes: comment.dislike_count,
            replies: comment.reply_count,
            time: comment.create_time,
        }
    }

    /// The score in an order; higher is earlier.
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

    /// Whether anything lifts it above a comment that nobody has touched.
    fn stands_out(&self, sort: RankSort) -> bool {
        match sort {
            RankSort::Hot => self.weight() > 0.0,
            RankSort::Top | RankSort::Best | RankSort::Controversial | RankSort::MostReplies => {
                self.score(sort, HotProfile::Plain) > 0.0
            }
        }
    }
}

/// The lower bound of the score interval for a share of `up` among `up + down`: E. B. Wilson, Probable inference, the law
/// of succession, and statistical inference, JASA 22 (1927); for rankings, Evan Miller, How Not To Sort By Average
/// Rating (2009).
fn wilson(up: f64, down: f64) -> f64 {
    // Without a like the bound is 0. The formula comes to that but for rounding, which would lift every sixth of those
    // that have dislikes alone above all that nobody has touched.
    if up <= 0.0 {
        return 0.0;
    }
    let n = up + down;
    let p = up / n;
    let middle = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    (middle - spread) / (1.0 + Z * Z / n)
}

/// Many voices, evenly divided: as Reddit's `controversy` (the file named above).
fn controversy(up: f64, down: f64) -> f64 {
    if up <= 0.0 || down <= 0.0 { 0.0 } else { (up + down).powf(up.min(down) / up.max(down)) }
}

/// A list of comments in the order of one score, kept up to date beside the comments. Only those stand on it whose score
/// lifts them above a comment that nobody has touched: all others follow by age, which needs no board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankIndex {
    /// The visible roots of a subject.
    Roots(RankSort),
    /// The visible replies of a root, by likes − dislikes.
    Replies,
    /// The visible replies of a root, by −likes, upward: their previews, where of equals the oldest comes first.
    Previews,
}

impl RankIndex {
    /// The boards of roots.
    pub const OF_ROOTS: [Self; 5] = [
        Self::Roots(RankSort::Hot),
        Self::Roots(RankSort::Top),
        Self::Roots(RankSort::Best),
        Self::Roots(RankSort::Controversial),
        Self::Roots(RankSort::MostReplies),
    ];
    /// The boards of replies.
    pub const OF_REPLIES: [Self; 2] = [Self::Replies, Self::Previews];

    /// The stored code: fixed for ever. A subject and a root may share a number, so the codes tell their boards apart.
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

    /// The order of its scores.
    #[must_use]
    pub const fn sort(self) -> RankSort {
        match self {
            Self::Roots(sort) => sort,
            Self::Replies | Self::Previews => RankSort::Top,
        }
    }

    /// The score of a tally here; `None` where it does not stand out.
    #[must_use]
    pub fn score(self, inputs: &ScoreInputs, hot: HotProfile) -> Option<f64> {
        match self {
            Self::Roots(_) | Self::Replies => inputs.stands_out(self.sort()).then(|| inputs.score(self.sort(), hot)),
            Self::Previews => (inputs.likes > 0).then(|| -f64::from(inputs.likes)),
        }
    }
}

impl RankIndex {
    /// The likes behind a score on a board of previews.
    #[must_use]
    pub fn likes_on_previews(score: f64) -> i32 {
        // A score was made of an i32; what is beyond one is its end.
        -score as i32
    }
}

/// Where a comment stands: the list, by the id of its subject or of its root, and its score on each board of it.
#[must_use]
pub fn standings(comment: &Comment, hot: HotProfile) -> Vec<(RankIndex, f64)> {
    if !comment.state.is_visible() {
        return Vec::new();
    }
    let boards: &[RankIndex] = if comment.is_root() { &RankIndex::OF_ROOTS } else { &RankIndex::OF_REPLIES };
    let inputs = ScoreInputs::of(comment);
    boards.iter().filter_map(|board| Some((*board, board.score(&inputs, hot)?))).collect()
}

/// The list that a comment belongs to, as boards are kept by it: its subject for a root, its root for a reply.
#[must_use]
pub fn list_of(comment: &Comment) -> CommentId {
    comment.root_id.unwrap_or(CommentId::from(comment.subject_id))
}

/// The order of the replies of a preview: the most liked first, of equals the oldest. A tombstone has no likes.
#[must_use]
pub fn preview_order(reply: &Comment) -> (Reverse<i32>, i32) {
    let likes = if reply.state.is_visible() { reply.like_count } else { 0 };
    (Reverse(likes), reply.floor)
}

/// What a ranked walk goes along.
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

    /// The root whose replies it holds; `None` for a list of roots.
    #[must_use]
    pub const fn root(&self) -> Option<CommentId> {
        match self {
            Self::Roots(..) => None,
            Self::Replies(_, root) => Some(*root),
        }
    }

    /// The board of its scores.
    #[must_use]
    pub const fn board(&self) -> RankIndex {
        match self {
            Self::Roots(_, sort) => RankIndex::Roots(*sort),
            Self::Replies(..) => RankIndex::Replies,
        }
    }
}

/// What rankings are made by.
#[derive(Debug, Clone)]
pub struct RankingConfig {
    /// Comments in a frozen ranking, at most; all others follow it by floor.
    pub depth: usize,
    /// The profile of each object type.
    pub policies: Arc<Policies>,
}

impl RankingConfig {
    /// Comments in a frozen ranking where nobody says otherwise.
    pub const DEPTH: usize = 2_000;

    /// The profile of a type; that of a type which nobody registers any more is the plain one.
    #[must_use]
    pub fn hot(&self, object_type: &ObjectType) -> HotProfile {
        self.policies.of(object_type).map_or(HotProfile::Plain, |policy| policy.hot)
    }

    /// Whether answers of a type are roots themselves, that count for the roots they answer.
    #[must_use]
    pub fn flat(&self, object_type: &ObjectType) -> bool {
        self.policies.of(object_type).is_ok_and(|policy| policy.max_depth == 1)
    }
}

#[cfg(test)]
mod tests;
