//! Filters of comments: comparisons joined by AND, OR, NOT and parentheses.

mod lexical;
mod matches;
mod names;
mod parse;
mod scan;
mod time;
mod value;

use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::member::MemberId;
use crate::domain::search::TextKey;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

/// The maximum number of bytes of the text of a filter.
pub const MAX_FILTER_BYTES: usize = 1024;
/// The maximum number of comparisons of a filter.
pub const MAX_FILTER_COMPARISONS: usize = 32;
/// The maximum number of parentheses that are open at one position of a filter.
pub const MAX_FILTER_LEVELS: usize = 8;

/// A filter of comments. [`SearchFilter::parse`] makes it from text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchFilter {
    /// One comparison.
    Comparison(FilterComparison),
    /// The complement.
    Not(Box<SearchFilter>),
    /// All of these, at least two.
    And(Vec<SearchFilter>),
    /// One or more of these, at least two.
    Or(Vec<SearchFilter>),
}

/// A comparison of one field with a value. It is false if the comment has no value for the field.
/// If it may have several, `=` requires one equal value, and `!=` at least one value and no equal
/// one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterComparison {
    /// The object id of the subject.
    Subject(EqualityOperator, String),
    /// The author.
    Member(EqualityOperator, MemberId),
    /// The mentioned members.
    Mention(EqualityOperator, MemberId),
    /// The hosts of links, in small letters. A host equals its parent domains, too.
    Link(EqualityOperator, String),
    /// The code of the newest decision.
    Code(EqualityOperator, String),
    /// The action of the newest decision.
    Action(EqualityOperator, DecisionAction),
    /// The state.
    State(EqualityOperator, CommentState),
    /// The role of the deleter.
    DeletedBy(EqualityOperator, DeletedBy),
    /// The open questions.
    Open(EqualityOperator, OpenQuestion),
    /// The root of the thread; `None` selects the roots themselves.
    Root(Option<CommentId>),
    /// The comment that it replies to; `None` selects comments that reply to none.
    Parent(Option<CommentId>),
    /// The text of a comment.
    DuplicateOf(DuplicateOf),
    /// The number of steps below the root.
    Depth(NumberOperator, i32),
    /// The code points of the text.
    Length(NumberOperator, i32),
    /// The reports that no decision has settled.
    Reports(NumberOperator, i32),
    /// The decisions on the comment.
    Decisions(NumberOperator, i32),
    /// The time of creation.
    CreateTime(OrderOperator, Millis),
    /// The time of the last edit.
    EditTime(OrderOperator, Millis),
}

/// A comment whose text is compared. All its duplicates match, and the comment itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateOf {
    /// The comment.
    pub comment: CommentId,
    /// The key of its text; `None` if the text has no tokens, and until
    /// [`SearchFilter::set_text_keys`] has set it. Then nothing matches.
    pub text_key: Option<TextKey>,
}

/// An operator for equal and unequal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EqualityOperator {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
}

/// An operator for less and greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderOperator {
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// An operator for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberOperator {
    /// Equal or unequal.
    Equality(EqualityOperator),
    /// Less or greater.
    Order(OrderOperator),
}

/// A question that may be open on a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpenQuestion {
    /// The question about the text.
    Text,
    /// The question about a proposed edit.
    Edit,
    /// The question about an appeal.
    Appeal,
}

/// An action of decisions, as the contract names it. Acts on a text and on a proposed edit have the
/// same actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionAction {
    /// A text or a proposed edit is found good.
    Approve,
    /// A text or a proposed edit is refused.
    Reject,
    /// A comment is hidden.
    Hide,
    /// A hidden comment is shown again.
    Unhide,
    /// A comment is deleted.
    Delete,
    /// A comment is taken out of sight until it is judged.
    Withhold,
    /// A comment stays as it is.
    Keep,
    /// An author contests a decision.
    Appeal,
    /// An operation is undone.
    Restore,
    /// The policy holds a text or an edit.
    Hold,
    /// The policy puts a text into the review queue.
    Flag,
    /// The policy masks words of a text.
    Mask,
}

impl EqualityOperator {
    /// All operators.
    pub const ALL: [Self; 2] = [Self::Equal, Self::NotEqual];
}

impl OrderOperator {
    /// All operators.
    pub const ALL: [Self; 4] = [Self::Less, Self::LessOrEqual, Self::Greater, Self::GreaterOrEqual];
}

impl OpenQuestion {
    /// All questions.
    pub const ALL: [Self; 3] = [Self::Text, Self::Edit, Self::Appeal];
}

impl DecisionAction {
    /// All actions, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Approve,
        Self::Reject,
        Self::Hide,
        Self::Unhide,
        Self::Delete,
        Self::Withhold,
        Self::Keep,
        Self::Appeal,
        Self::Restore,
        Self::Hold,
        Self::Flag,
        Self::Mask,
    ];

    /// The number in the contract, which is that of
    /// [`CommentAct::number`](crate::act::CommentAct::number).
    #[must_use]
    pub const fn number(self) -> i8 {
        match self {
            Self::Approve => 1,
            Self::Reject => 2,
            Self::Hide => 3,
            Self::Unhide => 4,
            Self::Delete => 5,
            Self::Withhold => 6,
            Self::Keep => 7,
            Self::Appeal => 8,
            Self::Restore => 9,
            Self::Hold => 10,
            Self::Flag => 11,
            Self::Mask => 12,
        }
    }
}

#[cfg(test)]
mod tests;
