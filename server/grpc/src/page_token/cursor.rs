//! Positions in lists, and their encoding in page tokens.

use riposte_core::feed::{EventPosition, FeedPosition};
use riposte_core::page::{HistoryCursor, LikerCursor, ListOrder, PageStart, SubjectCursor};
use riposte_core::rank::RankPosition;
use riposte_core::read::{Direction, RankedCursor, RankedWalk};
use riposte_core::report::DecisionCursor;
use riposte_core::{CommentId, MemberId, Millis, Path, SubjectId};

use super::internal::v1;
use super::internal::v1::page_token::Cursor as Message;
use super::internal::v1::ranked_cursor;

/// A position in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenCursor {
    /// A position in a list by floor.
    Floor(FloorStep),
    /// A position in a thread: after the comment with this path.
    Path(Path),
    /// A position in a list of likers: after this liker.
    Liker(LikerCursor),
    /// A position in a list of subjects.
    Subject(SubjectCursor),
    /// A position in the revisions of a comment: after the revision with this number.
    Revision(i32),
    /// A position in a member's history.
    History(HistoryCursor),
    /// A position in a list by comment id: after this id.
    Comment(CommentId),
    /// A position in a list by rank.
    Ranked(RankedCursor),
    /// A position in the decisions on a member's comments: after this one.
    Decision(DecisionCursor),
    /// A position in the feed of events.
    Events(FeedPosition),
}

/// A page of a list by floor: the floors beyond `floor`, upward or downward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloorStep {
    /// The last floor before those that the page may contain.
    pub floor: i32,
    /// True if the page continues toward higher floors.
    pub up: bool,
}

impl FloorStep {
    /// Returns the page that follows `floor` in this order.
    #[must_use]
    pub fn after(floor: i32, order: ListOrder) -> Self {
        Self { floor, up: order == ListOrder::Oldest }
    }

    /// Returns the page that ends before `floor` in this order.
    #[must_use]
    pub fn before(floor: i32, order: ListOrder) -> Self {
        Self { floor, up: order == ListOrder::Newest }
    }

    /// Returns the start of the page in this order.
    #[must_use]
    pub fn start(self, order: ListOrder) -> PageStart {
        if self.up == (order == ListOrder::Oldest) {
            PageStart::After(self.floor)
        } else {
            PageStart::Before(self.floor)
        }
    }
}

impl TokenCursor {
    pub(super) fn to_message(&self) -> Message {
        match self {
            Self::Floor(step) => {
                let direction = if step.up { v1::FloorDirection::Up } else { v1::FloorDirection::Down };
                let direction = i32::from(direction);
                Message::Floor(v1::FloorCursor { floor: step.floor, direction, inclusive: false })
            }
            Self::Path(path) => Message::Path(v1::PathCursor { levels: levels(path) }),
            Self::Liker(LikerCursor { time, member }) => {
                Message::Liker(v1::LikerCursor { time_ms: time.0, member_id: member.as_str().to_owned() })
            }
            Self::Subject(SubjectCursor { table, after }) => Message::Subject(v1::SubjectCursor {
                table: u32::from(*table),
                subject_id: after.map_or(0, SubjectId::get),
            }),
            Self::Revision(number) => Message::Revision(v1::RevisionCursor { number: *number }),
            Self::History(HistoryCursor { time, comment }) => {
                Message::History(v1::HistoryCursor { time_ms: time.0, comment_id: comment.get().unsigned_abs() })
            }
            Self::Comment(id) => Message::Comment(v1::CommentCursor { comment_id: id.get().unsigned_abs() }),
            Self::Ranked(cursor) => Message::Ranked(ranked_message(*cursor)),
            Self::Decision(DecisionCursor { time, comment, number }) => Message::Decision(v1::DecisionCursor {
                time_ms: time.0,
                comment_id: comment.get().unsigned_abs(),
                number: *number,
            }),
            Self::Events(FeedPosition { timeline, sources }) => {
                let position =
                    |position: &EventPosition| v1::EventPosition { number: position.number, index: position.index };
                let positions = sources.iter().map(position).collect();
                Message::Events(v1::EventCursor { timeline: (*timeline).into(), positions })
            }
        }
    }

    /// Returns `None` for a message that no version of the service writes.
    pub(super) fn from_message(message: Message) -> Option<Self> {
        Some(match message {
            Message::Floor(v1::FloorCursor { floor, direction, inclusive }) => {
                let up = match v1::FloorDirection::try_from(direction).ok()? {
                    v1::FloorDirection::Up => true,
                    v1::FloorDirection::Down => false,
                    v1::FloorDirection::Unspecified => return None,
                };
                let back = if up { -1 } else { 1 };
                Self::Floor(FloorStep { floor: if inclusive { floor.checked_add(back)? } else { floor }, up })
            }
            Message::Path(v1::PathCursor { levels }) => Self::Path(path(&levels)?),
            Message::Liker(v1::LikerCursor { time_ms, member_id }) => {
                Self::Liker(LikerCursor { time: Millis(time_ms), member: MemberId::parse("", &member_id).ok()? })
            }
            Message::Subject(v1::SubjectCursor { table, subject_id }) => {
                let after = if subject_id == 0 { None } else { Some(SubjectId::new(subject_id)?) };
                Self::Subject(SubjectCursor { table: u16::try_from(table).ok()?, after })
            }
            Message::Revision(v1::RevisionCursor { number }) => Self::Revision(number),
            Message::History(v1::HistoryCursor { time_ms, comment_id }) => {
                Self::History(HistoryCursor { time: Millis(time_ms), comment: comment(comment_id)? })
            }
            Message::Comment(v1::CommentCursor { comment_id }) => Self::Comment(comment(comment_id)?),
            Message::Ranked(message) => Self::Ranked(ranked(&message)?),
            Message::Decision(v1::DecisionCursor { time_ms, comment_id, number }) => {
                Self::Decision(DecisionCursor { time: Millis(time_ms), comment: comment(comment_id)?, number })
            }
            Message::Events(v1::EventCursor { timeline, positions }) => {
                let position = |v1::EventPosition { number, index }| EventPosition { number, index };
                let sources = positions.into_iter().map(position).collect();
                Self::Events(FeedPosition { timeline: u16::try_from(timeline).ok()?, sources })
            }
        })
    }
}

fn ranked_message(RankedCursor { walk, direction }: RankedCursor) -> v1::RankedCursor {
    let RankedWalk { epoch, bound, since } = walk;
    let (back, position) = match direction {
        Direction::Ahead(position) => (false, position),
        Direction::Back(position) => (true, position),
    };
    let place = match position {
        // Ranking snapshots are far shorter than this bound.
        RankPosition::Position(index) => ranked_cursor::Place::Position(u32::try_from(index).unwrap_or(u32::MAX)),
        RankPosition::Below(floor) => ranked_cursor::Place::Below(floor),
    };
    v1::RankedCursor { epoch, bound, since_ms: since.0, back, place: Some(place) }
}

fn ranked(message: &v1::RankedCursor) -> Option<RankedCursor> {
    let v1::RankedCursor { epoch, bound, since_ms, back, place } = message;
    let position = match place.as_ref()? {
        ranked_cursor::Place::Position(index) => RankPosition::Position(usize::try_from(*index).ok()?),
        ranked_cursor::Place::Below(floor) => RankPosition::Below(*floor),
    };
    let direction = if *back { Direction::Back(position) } else { Direction::Ahead(position) };
    Some(RankedCursor { walk: RankedWalk { epoch: *epoch, bound: *bound, since: Millis(*since_ms) }, direction })
}

fn comment(id: u64) -> Option<CommentId> {
    CommentId::new(i64::try_from(id).ok()?)
}

/// Returns the root's id, then the difference between the floor of each level and that of the level
/// above: floors grow along a path, and small numbers take few bytes.
fn levels(path: &Path) -> Vec<u64> {
    let words = path.as_bytes().chunks_exact(8).map(|level| {
        let mut word = [0; 8];
        word.copy_from_slice(level);
        u64::from_be_bytes(word)
    });
    let mut last = 0;
    let difference = |(n, word): (usize, u64)| {
        let step = if n == 0 { word } else { word.wrapping_sub(last) };
        last = if n == 0 { 0 } else { word };
        step
    };
    words.enumerate().map(difference).collect()
}

fn path(levels: &[u64]) -> Option<Path> {
    let (root, steps) = levels.split_first()?;
    let root = CommentId::new(i64::try_from(*root).ok()?)?;
    let mut floor = 0_u64;
    let mut path = Path::root(root);
    for step in steps.iter() {
        floor = floor.wrapping_add(*step);
        path = path.child(i32::try_from(floor).ok()?);
    }
    Path::from_bytes(path.as_bytes().to_vec())
}
