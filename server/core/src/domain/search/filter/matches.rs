//! The comparison of a filter with a comment. It decides alone: what an index proposes is compared
//! again.

use std::cmp::Ordering;

use super::{EqualityOperator, FilterComparison, NumberOperator, OpenQuestion, OrderOperator, SearchFilter};
use crate::domain::act::CommentAct;
use crate::domain::review::OpenQuestions;
use crate::domain::search::CommentFacts;

impl SearchFilter {
    /// Returns `true` if the filter matches a comment. None matches a comment that the service
    /// erased.
    #[must_use]
    pub fn matches(&self, comment: &CommentFacts<'_>) -> bool {
        !comment.erased && self.is_true_of(comment)
    }

    fn is_true_of(&self, comment: &CommentFacts<'_>) -> bool {
        match self {
            Self::Comparison(comparison) => comparison.is_true_of(comment),
            Self::Not(filter) => !filter.is_true_of(comment),
            Self::And(filters) => filters.iter().all(|filter| filter.is_true_of(comment)),
            Self::Or(filters) => filters.iter().any(|filter| filter.is_true_of(comment)),
        }
    }
}

impl FilterComparison {
    fn is_true_of(&self, comment: &CommentFacts<'_>) -> bool {
        match self {
            Self::Subject(operator, subject) => operator.compare(Some(comment.subject), |own| own == subject),
            Self::Member(operator, member) => operator.compare(Some(comment.member), |own| own == member),
            Self::Mention(operator, member) => operator.compare(comment.mentions, |own| own == member),
            Self::Link(operator, domain) => operator.compare(comment.links, |host| is_within(host, domain)),
            Self::Code(operator, code) => operator.compare(comment.code, |own| own == code),
            Self::Action(operator, action) => {
                operator.compare(comment.act.and_then(CommentAct::number), |own| own == action.number())
            }
            Self::State(operator, state) => operator.compare(Some(comment.state), |own| own == *state),
            Self::DeletedBy(operator, role) => operator.compare(comment.deleted_by, |own| own == *role),
            Self::Open(operator, question) => operator.compare(open(comment.open), |own| own == *question),
            Self::Root(root) => comment.root == *root,
            Self::Parent(parent) => comment.parent == *parent,
            Self::DuplicateOf(of) => of.text_key.is_some() && comment.text_key == of.text_key,
            Self::Depth(operator, depth) => operator.compare(comment.depth, *depth),
            Self::Length(operator, length) => operator.compare(comment.length, *length),
            Self::Reports(operator, reports) => operator.compare(comment.reports, *reports),
            Self::Decisions(operator, decisions) => operator.compare(comment.decisions, *decisions),
            Self::CreateTime(operator, time) => operator.allows(comment.create_time.cmp(time)),
            Self::EditTime(operator, time) => comment.edit_time.is_some_and(|own| operator.allows(own.cmp(time))),
        }
    }
}

impl EqualityOperator {
    /// Compares the values of a comment. Without a value both operators are false.
    fn compare<T>(self, values: impl IntoIterator<Item = T>, is_equal: impl Fn(T) -> bool) -> bool {
        match self {
            Self::Equal => values.into_iter().any(is_equal),
            Self::NotEqual => {
                let mut count = 0;
                values.into_iter().inspect(|_| count += 1).all(|value| !is_equal(value)) && count > 0
            }
        }
    }
}

impl OrderOperator {
    const fn allows(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl NumberOperator {
    fn compare(self, own: i32, value: i32) -> bool {
        match self {
            Self::Equality(operator) => operator.compare(Some(own), |own| own == value),
            Self::Order(operator) => operator.allows(own.cmp(&value)),
        }
    }
}

/// Returns `true` if a host is a domain or lies below it.
fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|below| below.is_empty() || below.ends_with('.'))
}

fn open(questions: OpenQuestions) -> impl Iterator<Item = OpenQuestion> {
    OpenQuestion::ALL.into_iter().filter(move |question| {
        questions.intersects(match question {
            OpenQuestion::Text => OpenQuestions::TEXT,
            OpenQuestion::Edit => OpenQuestions::EDIT,
            OpenQuestion::Appeal => OpenQuestions::APPEAL,
        })
    })
}
