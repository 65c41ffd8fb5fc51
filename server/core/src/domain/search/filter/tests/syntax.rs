//! The grammar, and the positions of its errors.

use super::*;
use crate::domain::search::{
    DecisionAction, EqualityOperator, NumberOperator, OpenQuestion, OrderOperator, SearchFilter as Filter,
};

const DEPTH_1: Filter =
    Filter::Comparison(FilterComparison::Depth(NumberOperator::Equality(EqualityOperator::Equal), 1));

#[test]
fn a_comparison_has_a_field_an_operator_and_a_value() {
    use EqualityOperator::{Equal, NotEqual};
    use FilterComparison as Of;
    let time = Millis(1_795_600_800_000);
    for (text, expected) in [
        ("subject = \"v/1 \\\"x\\\"\"", Of::Subject(Equal, "v/1 \"x\"".to_owned())),
        ("member!=\"a\\\\b\"", Of::Member(NotEqual, member("a\\b"))),
        ("mention = \"楼\"", Of::Mention(Equal, member("楼"))),
        ("link = \"Example.com\"", Of::Link(Equal, "example.com".to_owned())),
        ("code != \"spam\"", Of::Code(NotEqual, "spam".to_owned())),
        ("action = RESTORE", Of::Action(Equal, DecisionAction::Restore)),
        ("state = PENDING", Of::State(Equal, CommentState::Pending)),
        ("deleted_by != MODERATOR", Of::DeletedBy(NotEqual, DeletedBy::Moderator)),
        ("open = EDIT", Of::Open(Equal, OpenQuestion::Edit)),
        ("root = 0", Of::Root(None)),
        ("parent = 9223372036854775807", Of::Parent(Some(id(i64::MAX)))),
        ("depth >= 001", Of::Depth(NumberOperator::Order(OrderOperator::GreaterOrEqual), 1)),
        ("length<2147483647", Of::Length(NumberOperator::Order(OrderOperator::Less), i32::MAX)),
        ("create_time > \"2026-11-25T10:00:00Z\"", Of::CreateTime(OrderOperator::Greater, time)),
        ("edit_time <= \"2026-11-25t11:00:00+01:00\"", Of::EditTime(OrderOperator::LessOrEqual, time)),
    ] {
        assert_eq!(parse(text), Filter::Comparison(expected), "{text}");
    }
}

#[test]
fn parts_are_joined_and_white_space_and_parentheses_do_not_matter() {
    let not = |filter| Filter::Not(Box::new(filter));
    for text in ["depth=1", " depth = 1\t", "\r\ndepth\n=\n1", "(depth = 1)", "( ( depth = 1 ) )"] {
        assert_eq!(parse(text), DEPTH_1, "{text:?}");
    }
    for text in ["NOT depth = 1", "-depth = 1", "- depth = 1", "NOT(depth=1)", "(-(depth = 1))"] {
        assert_eq!(parse(text), not(DEPTH_1), "{text:?}");
    }
    let pair = || vec![DEPTH_1, DEPTH_1];
    assert_eq!(parse("depth = 1 AND depth = 1"), Filter::And(pair()));
    assert_eq!(parse("(depth = 1)AND(depth = 1)"), Filter::And(pair()));
    assert_eq!(parse("depth = 1 OR depth = 1 OR NOT depth = 1"), Filter::Or(vec![DEPTH_1, DEPTH_1, not(DEPTH_1)]));
    assert_eq!(parse("(depth = 1 AND depth = 1) OR depth = 1"), Filter::Or(vec![Filter::And(pair()), DEPTH_1]));
    assert_eq!(parse("depth = 1 AND (depth = 1 AND depth = 1)"), Filter::And(vec![DEPTH_1, Filter::And(pair())]));
    assert_eq!(parse("-(depth = 1 AND depth = 1)"), not(Filter::And(pair())));
    assert_eq!(parse("NOT (NOT depth = 1)"), not(not(DEPTH_1)));
}

#[test]
fn an_error_has_the_position_in_code_points_from_1() {
    for (text, position, rule) in [
        ("", 1, "a comparison is expected"),
        ("  ", 3, "a comparison is expected"),
        ("colour = 1", 1, "no field has this name"),
        ("depth = 1 AND Depth = 1", 15, "no field has this name"),
        ("depth", 6, "an operator is expected"),
        ("depth : 1", 7, "an operator is expected"),
        ("depth = ", 9, "a number from 0 to 2147483647"),
        ("depth == 1", 8, "a number"),
        ("depth = \"1\"", 9, "without quotes"),
        ("depth = -1", 9, "a number"),
        ("depth = 1.5", 9, "a number"),
        ("depth = 2147483648", 9, "a number"),
        ("root = 9223372036854775808", 8, "a number"),
        ("root != 1", 6, "takes = only"),
        ("duplicate_of < 1", 14, "takes = only"),
        ("duplicate_of = 0", 16, "the id of a comment"),
        ("member > \"a\"", 8, "takes = and != only"),
        ("create_time = \"2026-11-25T00:00:00Z\"", 13, "takes <, <=, > and >= only"),
        ("member = ann", 10, "in double quotes"),
        ("member = 'ann'", 10, "in double quotes"),
        ("member = \"\"", 10, "the value must have 1 to 64 bytes"),
        ("member = \"楼\" AND member = \"a\u{7}\"", 27, "no control characters"),
        ("link = \"https://a.org\"", 8, "the name of a host"),
        ("state = COMMENT_STATE_ACTIVE", 9, "one of these values is expected, without quotes: ACTIVE"),
        ("state = active", 9, "one of these values"),
        ("state = \"ACTIVE\"", 9, "without quotes"),
        ("deleted_by = SERVICE", 14, "AUTHOR, SUBJECT_OWNER, MODERATOR"),
        ("open = NEW", 8, "TEXT, EDIT, APPEAL"),
        ("action = RESUBMIT", 10, "one of these values"),
        ("create_time > \"2026-11-25\"", 15, "a time is expected"),
        ("create_time > 2026-11-25T00:00:00Z", 15, "in double quotes"),
        ("depth = 1 depth = 1", 11, "AND, OR or the end"),
        ("depth = 1 and depth = 1", 11, "AND, OR or the end"),
        ("depth = 1 ANDdepth = 1", 11, "AND, OR or the end"),
        ("depth = 1 AND", 14, "a comparison is expected"),
        ("depth = 1 AND OR depth = 1", 15, "a comparison is expected"),
        ("AND depth = 1", 1, "a comparison is expected"),
        ("NOT NOT depth = 1", 5, "a comparison is expected"),
        ("-NOT depth = 1", 2, "a comparison is expected"),
        ("NOTdepth = 1", 1, "no field has this name"),
        ("(depth = 1", 11, "a closing parenthesis"),
        ("(depth = 1 depth = 1)", 12, "a closing parenthesis"),
        ("()", 2, "a comparison is expected"),
        ("depth = 1)", 10, "no parenthesis is open"),
        ("depth = 1 AND depth = 2 OR depth = 3", 25, "AND beside OR needs parentheses"),
        ("(depth = 1 OR depth = 2 AND depth = 3)", 25, "AND beside OR needs parentheses"),
        ("member = \"a\\n\"", 12, "are escapes"),
        ("member = \"a", 10, "no closing quote"),
        ("member = \"a\\\"", 10, "no closing quote"),
        ("state = ACTIVE*", 9, "one of these values"),
        ("has(depth)", 1, "no field has this name"),
        ("\"spam\"", 1, "a comparison is expected"),
        ("spam", 1, "no field has this name"),
        ("depth = 1\u{a0}", 10, "AND, OR or the end"),
        ("1 = depth", 1, "no field has this name"),
    ] {
        let found = violation(text);
        assert!(found.0 == position && found.1.contains(rule), "{text:?}: {found:?}, not {position}: {rule}");
    }
}

#[test]
fn an_unknown_field_is_answered_with_the_names_of_all() {
    let (_, rule) = violation("colour = 1");
    let names = rule.split_once("the fields are ").expect("the names").1;
    assert_eq!(names.split(", ").count(), 18);
    for name in names.split(", ") {
        let found = violation(&format!("{name} ~ 1"));
        assert!(found.1.contains("an operator is expected"), "{name}: {found:?}");
    }
}

#[test]
fn scans_use_the_conjuncts_of_the_complete_filter() {
    let scan = |text: &str| {
        let filter = parse(text);
        let (member, subject) = (filter.only_member().cloned(), filter.only_subject().map(str::to_owned));
        (member.map(String::from), subject, filter.created_from().map(|time| time.0))
    };
    let of = |member: Option<&str>, subject: Option<&str>, time| {
        (member.map(str::to_owned), subject.map(str::to_owned), time)
    };
    for (text, expected) in [
        ("member = \"a\"", of(Some("a"), None, None)),
        ("subject = \"s\" AND depth = 1", of(None, Some("s"), None)),
        ("depth = 1 AND (state = ACTIVE AND (member = \"a\" AND subject = \"s\"))", of(Some("a"), Some("s"), None)),
        ("member != \"a\" AND subject != \"s\"", of(None, None, None)),
        ("NOT member = \"a\" AND NOT create_time < \"1970-01-01T00:00:01Z\"", of(None, None, None)),
        ("member = \"a\" OR subject = \"s\"", of(None, None, None)),
        ("create_time >= \"1970-01-01T00:00:01Z\"", of(None, None, Some(1_000))),
        (
            "create_time > \"1970-01-01T00:00:01Z\" AND create_time >= \"1970-01-01T00:00:02Z\"",
            of(None, None, Some(2_000)),
        ),
        ("create_time < \"1970-01-01T00:00:01Z\" AND edit_time > \"1970-01-01T00:00:01Z\"", of(None, None, None)),
        ("depth = 1 OR create_time > \"1970-01-01T00:00:01Z\"", of(None, None, None)),
    ] {
        assert_eq!(scan(text), expected, "{text}");
    }
}
