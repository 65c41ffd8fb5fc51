//! The fields of a filter, with the operators and values that each takes.

use winnow::Parser;
use winnow::combinator::{alt, opt};

use super::lexical::{Input, Parsed, bare, fail, name, position, quoted, space};
use super::names::{DELETERS, deleter_name};
use super::{
    DecisionAction, DuplicateOf, EqualityOperator, FilterComparison, NumberOperator, OpenQuestion, OrderOperator, time,
};
use crate::domain::ids::CommentId;
use crate::domain::member::{MemberId, check_caller_owned};
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

/// The names of all fields.
const FIELDS: &str = "subject, member, mention, link, code, action, state, deleted_by, open, root, parent, \
                      duplicate_of, depth, length, reports, decisions, create_time, edit_time";
/// The largest number of bytes of the name of a host.
const MAX_HOST_BYTES: usize = 253;

/// Takes a field, an operator and a value. Its errors have a description.
pub(super) fn comparison(input: &mut Input<'_>) -> Parsed<FilterComparison> {
    use FilterComparison as To;
    let at = position(input);
    match name(input)? {
        "subject" => equality(input, caller_owned, To::Subject),
        "member" => equality(input, member, To::Member),
        "mention" => equality(input, member, To::Mention),
        "link" => equality(input, domain, To::Link),
        "code" => equality(input, caller_owned, To::Code),
        "action" => equality(input, |input| named(input, &DecisionAction::ALL, |value| value.to_string()), To::Action),
        "state" => equality(input, |input| named(input, &CommentState::ALL, |value| value.to_string()), To::State),
        "deleted_by" => {
            equality(input, |input| named(input, &DELETERS, |role| deleter_name(role).to_owned()), To::DeletedBy)
        }
        "open" => equality(input, |input| named(input, &OpenQuestion::ALL, |value| value.to_string()), To::Open),
        "root" => Ok(To::Root(CommentId::new(equal(input)?.1))),
        "parent" => Ok(To::Parent(CommentId::new(equal(input)?.1))),
        "duplicate_of" => {
            let (at, id) = equal(input)?;
            match CommentId::new(id) {
                Some(comment) => Ok(To::DuplicateOf(DuplicateOf { comment, text_key: None })),
                None => fail(at, "the id of a comment is expected"),
            }
        }
        "depth" => number(input, To::Depth),
        "length" => number(input, To::Length),
        "reports" => number(input, To::Reports),
        "decisions" => number(input, To::Decisions),
        "create_time" => time_order(input, To::CreateTime),
        "edit_time" => time_order(input, To::EditTime),
        "" | "AND" | "OR" | "NOT" => fail(at, "a comparison is expected"),
        _other => fail(at, format!("no field has this name; the fields are {FIELDS}")),
    }
}

/// Takes `=` or `!=` and a value.
fn equality<T>(
    input: &mut Input<'_>,
    value: fn(&mut Input<'_>) -> Parsed<T>,
    to: fn(EqualityOperator, T) -> FilterComparison,
) -> Parsed<FilterComparison> {
    match operator(input)? {
        (_, NumberOperator::Equality(operator)) => Ok(to(operator, value(input)?)),
        (at, NumberOperator::Order(_)) => fail(at, "this field takes = and != only"),
    }
}

/// Takes `=` and the id of a comment or 0, and returns its position.
fn equal(input: &mut Input<'_>) -> Parsed<(usize, i64)> {
    let (at, operator) = operator(input)?;
    if operator != NumberOperator::Equality(EqualityOperator::Equal) {
        return fail(at, "this field takes = only");
    }
    Ok((position(input), digits(input, i64::MAX)?))
}

fn number(input: &mut Input<'_>, to: fn(NumberOperator, i32) -> FilterComparison) -> Parsed<FilterComparison> {
    let (_, operator) = operator(input)?;
    // The bound makes the value fit.
    Ok(to(operator, digits(input, i32::MAX.into())? as i32))
}

/// Takes an order and a time. Times of comments are whole milliseconds, so a more exact value is
/// compared as the millisecond that it is in.
fn time_order(input: &mut Input<'_>, to: fn(OrderOperator, Millis) -> FilterComparison) -> Parsed<FilterComparison> {
    use OrderOperator::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let operator = match operator(input)? {
        (_, NumberOperator::Order(operator)) => operator,
        (at, NumberOperator::Equality(_)) => return fail(at, "this field takes <, <=, > and >= only"),
    };
    let (at, text) = string(input)?;
    let Some(time) = time::parse(&text) else {
        return fail(at, "a time is expected, such as \"2026-11-25T00:00:00Z\"");
    };
    let operator = match operator {
        Less | LessOrEqual if !time.is_exact => LessOrEqual,
        Greater | GreaterOrEqual if !time.is_exact => Greater,
        Less | LessOrEqual | Greater | GreaterOrEqual => operator,
    };
    Ok(to(operator, time.millis))
}

/// Takes an operator and the white space around it, and returns its position.
fn operator(input: &mut Input<'_>) -> Parsed<(usize, NumberOperator)> {
    use NumberOperator::{Equality, Order};
    space(input)?;
    let at = position(input);
    let operator = opt(alt((
        "!=".value(Equality(EqualityOperator::NotEqual)),
        "<=".value(Order(OrderOperator::LessOrEqual)),
        ">=".value(Order(OrderOperator::GreaterOrEqual)),
        "=".value(Equality(EqualityOperator::Equal)),
        "<".value(Order(OrderOperator::Less)),
        ">".value(Order(OrderOperator::Greater)),
    )))
    .parse_next(input)?;
    space(input)?;
    match operator {
        Some(operator) => Ok((at, operator)),
        None => fail(at, "an operator is expected: = != < <= > >="),
    }
}

/// Takes a string in double quotes, and returns its position.
fn string(input: &mut Input<'_>) -> Parsed<(usize, String)> {
    let at = position(input);
    match opt(quoted).parse_next(input)? {
        Some(text) => Ok((at, text)),
        None => fail(at, "a value in double quotes is expected"),
    }
}

fn caller_owned(input: &mut Input<'_>) -> Parsed<String> {
    let (at, text) = string(input)?;
    check_caller_owned("", &text).or_else(|violation| fail(at, format!("the value {}", violation.description)))
}

fn member(input: &mut Input<'_>) -> Parsed<MemberId> {
    caller_owned.map(MemberId::stored).parse_next(input)
}

/// Takes the name of a host or of a domain above it, and returns it in small letters.
fn domain(input: &mut Input<'_>) -> Parsed<String> {
    let (at, text) = string(input)?;
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if text.len() <= MAX_HOST_BYTES && text.split('.').all(is_label) {
        Ok(text.to_ascii_lowercase())
    } else {
        fail(at, "the name of a host is expected, such as \"example.com\"")
    }
}

/// Takes the name of one of these values.
fn named<T: Copy>(input: &mut Input<'_>, values: &[T], name: fn(T) -> String) -> Parsed<T> {
    let at = position(input);
    let text = bare(input)?;
    match values.iter().find(|value| name(**value) == text) {
        Some(value) => Ok(*value),
        None => {
            let names: Vec<String> = values.iter().map(|value| name(*value)).collect();
            fail(at, format!("one of these values is expected, without quotes: {}", names.join(", ")))
        }
    }
}

/// Takes a number from 0 to `max`.
fn digits(input: &mut Input<'_>, max: i64) -> Parsed<i64> {
    let at = position(input);
    let text = bare(input)?;
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse().ok().filter(|number| is_number && *number <= max) {
        Some(number) => Ok(number),
        None => fail(at, format!("a number from 0 to {max} is expected, without quotes")),
    }
}
