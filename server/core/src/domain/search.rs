//! The search of comments: filters, what they compare, and the keys of equal texts.

mod comment;
mod filter;
mod text_key;

pub use comment::{CommentFacts, open_questions};
pub use filter::{
    DecisionAction, DuplicateOf, EqualityOperator, FilterComparison, MAX_FILTER_BYTES, MAX_FILTER_COMPARISONS,
    MAX_FILTER_LEVELS, NumberOperator, OpenQuestion, OrderOperator, SearchFilter,
};
pub use text_key::TextKey;
