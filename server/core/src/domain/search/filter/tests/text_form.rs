//! The text of a filter, from which the parser makes the same filter.

use std::fmt::Display;

use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::search::{FilterComparison, SearchFilter};
use crate::domain::time::Millis;

/// Returns the text of a filter with `gap` where white space may stand, and the signs of
/// complements.
pub(super) fn text_of(filter: &SearchFilter, gap: &str, not: &str) -> String {
    let inner = |filter: &SearchFilter| {
        let text = text_of(filter, gap, not);
        let is_single = matches!(filter, SearchFilter::Comparison(_));
        if is_single { text } else { format!("({gap}{text}{gap})") }
    };
    let part = |filter: &SearchFilter| match filter {
        SearchFilter::Not(_) => text_of(filter, gap, not),
        SearchFilter::Comparison(_) | SearchFilter::And(_) | SearchFilter::Or(_) => inner(filter),
    };
    match filter {
        SearchFilter::Comparison(comparison) => {
            let (field, operator, value) = parts(comparison);
            format!("{field}{gap}{operator}{gap}{value}")
        }
        SearchFilter::Not(filter) => format!("{not}{gap}{}", inner(filter)),
        SearchFilter::And(filters) => filters.iter().map(part).collect::<Vec<_>>().join(&format!("{gap} AND {gap}")),
        SearchFilter::Or(filters) => filters.iter().map(part).collect::<Vec<_>>().join(&format!("{gap} OR {gap}")),
    }
}

/// Returns field, operator and value as text.
pub(super) fn parts(comparison: &FilterComparison) -> (&'static str, String, String) {
    use FilterComparison as Of;
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let id = |id: Option<CommentId>| id.map_or(0, CommentId::get).to_string();
    let of = |field, operator: &dyn Display, value: String| (field, operator.to_string(), value);
    match comparison {
        Of::Subject(operator, subject) => of("subject", operator, quoted(subject)),
        Of::Member(operator, member) => of("member", operator, quoted(member.as_str())),
        Of::Mention(operator, member) => of("mention", operator, quoted(member.as_str())),
        Of::Link(operator, domain) => of("link", operator, quoted(domain)),
        Of::Code(operator, code) => of("code", operator, quoted(code)),
        Of::Action(operator, action) => of("action", operator, action.to_string()),
        Of::State(operator, state) => of("state", operator, state.to_string()),
        Of::DeletedBy(operator, role) => of("deleted_by", operator, deleter(*role)),
        Of::Open(operator, question) => of("open", operator, question.to_string()),
        Of::Root(root) => of("root", &"=", id(*root)),
        Of::Parent(parent) => of("parent", &"=", id(*parent)),
        Of::DuplicateOf(duplicate) => of("duplicate_of", &"=", id(Some(duplicate.comment))),
        Of::Depth(operator, depth) => of("depth", operator, depth.to_string()),
        Of::Length(operator, length) => of("length", operator, length.to_string()),
        Of::Reports(operator, reports) => of("reports", operator, reports.to_string()),
        Of::Decisions(operator, decisions) => of("decisions", operator, decisions.to_string()),
        Of::CreateTime(operator, time) => of("create_time", operator, quoted(&time_text(*time))),
        Of::EditTime(operator, time) => of("edit_time", operator, quoted(&time_text(*time))),
    }
}

pub(super) fn deleter(role: DeletedBy) -> String {
    let name = format!("{role:?}");
    if role == DeletedBy::SubjectOwner { "SUBJECT_OWNER".to_owned() } else { name.to_uppercase() }
}

/// Returns the text of a time, counted out year by year.
pub(super) fn time_text(time: Millis) -> String {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut days, millis) = (time.0.div_euclid(86_400_000) + 719_162, time.0.rem_euclid(86_400_000));
    // Periods of 400 years have the same number of days.
    let mut year = 1 + days.div_euclid(146_097) * 400;
    days = days.rem_euclid(146_097);
    while days >= 365 + i64::from(is_leap(year)) {
        days -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1_000 % 60);
    let (month, day, milli) = (month + 1, days + 1, millis % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}
