//! The parts of a filter that decide which rows a scan reads, and the texts that it compares.

use super::{EqualityOperator, FilterComparison, OrderOperator, SearchFilter};
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::search::TextKey;
use crate::domain::time::Millis;

impl SearchFilter {
    /// Returns the only author whose comments may match, if a conjunct of the filter names one.
    #[must_use]
    pub fn only_member(&self) -> Option<&MemberId> {
        self.conjuncts().into_iter().find_map(|comparison| {
            let FilterComparison::Member(EqualityOperator::Equal, member) = comparison else { return None };
            Some(member)
        })
    }

    /// Returns the object id of the only subject whose comments may match, if a conjunct of the
    /// filter names one.
    #[must_use]
    pub fn only_subject(&self) -> Option<&str> {
        self.conjuncts().into_iter().find_map(|comparison| {
            let FilterComparison::Subject(EqualityOperator::Equal, subject) = comparison else { return None };
            Some(subject.as_str())
        })
    }

    /// Returns the latest time before which no matching comment was created, if a conjunct of the
    /// filter names one.
    #[must_use]
    pub fn created_from(&self) -> Option<Millis> {
        let bounds = self.conjuncts().into_iter().filter_map(|comparison| {
            let FilterComparison::CreateTime(operator, time) = comparison else { return None };
            matches!(operator, OrderOperator::Greater | OrderOperator::GreaterOrEqual).then_some(*time)
        });
        bounds.max()
    }

    /// Returns the comments whose texts the filter compares, as often as it names them.
    #[must_use]
    pub fn duplicate_ids(&self) -> Vec<CommentId> {
        match self {
            Self::Comparison(FilterComparison::DuplicateOf(of)) => vec![of.comment],
            Self::Comparison(_) => Vec::new(),
            Self::Not(filter) => filter.duplicate_ids(),
            Self::And(filters) | Self::Or(filters) => filters.iter().flat_map(Self::duplicate_ids).collect(),
        }
    }

    /// Sets the keys of the texts that the filter compares. `text_key` returns that of a comment;
    /// `None` for a text without tokens.
    pub fn set_text_keys(&mut self, text_key: &mut dyn FnMut(CommentId) -> Option<TextKey>) {
        match self {
            Self::Comparison(FilterComparison::DuplicateOf(of)) => of.text_key = text_key(of.comment),
            Self::Comparison(_) => {}
            Self::Not(filter) => filter.set_text_keys(text_key),
            Self::And(filters) | Self::Or(filters) => {
                filters.iter_mut().for_each(|filter| filter.set_text_keys(text_key));
            }
        }
    }

    /// Returns the comparisons that are all true of each comment that matches.
    fn conjuncts(&self) -> Vec<&FilterComparison> {
        match self {
            Self::Comparison(comparison) => vec![comparison],
            Self::And(filters) => filters.iter().flat_map(Self::conjuncts).collect(),
            Self::Not(_) | Self::Or(_) => Vec::new(),
        }
    }
}
