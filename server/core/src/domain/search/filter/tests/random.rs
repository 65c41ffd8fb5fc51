//! Random filters and comments, compared with simple definitions.

use proptest::prelude::*;
use proptest::sample::select;

use super::text_form::{deleter, parts, text_of};
use super::*;
use crate::domain::search::{
    DecisionAction, DuplicateOf, EqualityOperator, MAX_FILTER_BYTES, MAX_FILTER_COMPARISONS, NumberOperator,
    OpenQuestion, OrderOperator,
};

/// A comment that owns what it consists of.
#[derive(Debug, Clone)]
struct OwnedComment {
    fixture: (String, Vec<String>, Vec<String>, String, Option<String>),
    ids: (Option<CommentId>, Option<CommentId>, Option<TextKey>),
    numbers: [i32; 4],
    kinds: (CommentState, Option<DeletedBy>, Vec<ReviewCause>, Option<CommentAct>),
    times: (Millis, Option<Millis>),
}

fn few_names() -> impl Strategy<Value = String> {
    select(&["a", "b", "a\"b", "\\", "楼 AND", ")"][..]).prop_map(str::to_owned)
}

fn host() -> impl Strategy<Value = String> {
    select(&["a.com", "www.a.com", "x.www.a.com", "b.com", "com", "ba.com"][..]).prop_map(str::to_owned)
}

fn few_ids() -> impl Strategy<Value = Option<CommentId>> {
    select(&[0, 1, 2, i64::MAX][..]).prop_map(CommentId::new)
}

fn few_numbers() -> impl Strategy<Value = i32> {
    prop_oneof![4 => 0..4, 1 => 0..=i32::MAX]
}

fn few_times() -> impl Strategy<Value = Millis> {
    prop_oneof![4 => 999..1_002_i64, 1 => -62_135_596_800_000..=253_402_300_799_999_i64].prop_map(Millis)
}

fn duplicate() -> impl Strategy<Value = DuplicateOf> {
    few_ids().prop_map(|comment| DuplicateOf { comment: comment.unwrap_or(id(9)), text_key: None })
}

fn comparison() -> impl Strategy<Value = FilterComparison> {
    use FilterComparison as Of;
    let equality = || select(&EqualityOperator::ALL[..]);
    let order = || select(&OrderOperator::ALL[..]);
    let number = move || {
        let operator =
            prop_oneof![equality().prop_map(NumberOperator::Equality), order().prop_map(NumberOperator::Order)];
        (operator, few_numbers())
    };
    let members = || few_names().prop_map(MemberId::stored);
    let roles = [DeletedBy::Author, DeletedBy::SubjectOwner, DeletedBy::Moderator];
    let texts = prop_oneof![
        (equality(), few_names()).prop_map(|(operator, value)| Of::Subject(operator, value)),
        (equality(), members()).prop_map(|(operator, value)| Of::Member(operator, value)),
        (equality(), members()).prop_map(|(operator, value)| Of::Mention(operator, value)),
        (equality(), host()).prop_map(|(operator, value)| Of::Link(operator, value)),
        (equality(), few_names()).prop_map(|(operator, value)| Of::Code(operator, value)),
    ];
    let values = prop_oneof![
        (equality(), select(&DecisionAction::ALL[..])).prop_map(|(operator, value)| Of::Action(operator, value)),
        (equality(), select(&CommentState::ALL[..])).prop_map(|(operator, value)| Of::State(operator, value)),
        (equality(), select(roles.to_vec())).prop_map(|(operator, value)| Of::DeletedBy(operator, value)),
        (equality(), select(&OpenQuestion::ALL[..])).prop_map(|(operator, value)| Of::Open(operator, value)),
        few_ids().prop_map(Of::Root),
        few_ids().prop_map(Of::Parent),
        duplicate().prop_map(Of::DuplicateOf),
    ];
    let numbers = prop_oneof![
        number().prop_map(|(operator, value)| Of::Depth(operator, value)),
        number().prop_map(|(operator, value)| Of::Length(operator, value)),
        number().prop_map(|(operator, value)| Of::Reports(operator, value)),
        number().prop_map(|(operator, value)| Of::Decisions(operator, value)),
        (order(), few_times()).prop_map(|(operator, value)| Of::CreateTime(operator, value)),
        (order(), few_times()).prop_map(|(operator, value)| Of::EditTime(operator, value)),
    ];
    prop_oneof![5 => texts, 7 => values, 6 => numbers]
}

fn filter() -> impl Strategy<Value = SearchFilter> {
    let single = comparison().prop_map(SearchFilter::Comparison);
    let tree = single.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|filter| SearchFilter::Not(Box::new(filter))),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(SearchFilter::And),
            2 => prop::collection::vec(inner, 2..4).prop_map(SearchFilter::Or),
        ]
    });
    tree.prop_filter("the bounds of a filter", |filter| {
        comparisons(filter) <= MAX_FILTER_COMPARISONS && text_of(filter, "", "NOT ").len() <= MAX_FILTER_BYTES
    })
}

fn comparisons(filter: &SearchFilter) -> usize {
    match filter {
        SearchFilter::Comparison(_) => 1,
        SearchFilter::Not(filter) => comparisons(filter),
        SearchFilter::And(filters) | SearchFilter::Or(filters) => filters.iter().map(comparisons).sum(),
    }
}

fn comment() -> impl Strategy<Value = OwnedComment> {
    let names = || prop::collection::vec(few_names(), 0..3);
    let text_key = prop::option::of((0..3_u8).prop_map(key));
    let causes = prop::collection::vec(select(&ReviewCause::ALL[..]), 0..3);
    let role = select(vec![None, Some(DeletedBy::Author), Some(DeletedBy::SubjectOwner), Some(DeletedBy::Moderator)]);
    let act = prop::option::of(select(&CommentAct::ALL[..]));
    let fixture =
        (few_names(), names(), prop::collection::vec(host(), 0..3), few_names(), prop::option::of(few_names()));
    let numbers = [few_numbers(), few_numbers(), few_numbers(), few_numbers()];
    let kinds = (select(&CommentState::ALL[..]), role, causes, act);
    (fixture, (few_ids(), few_ids(), text_key), numbers, kinds, (few_times(), prop::option::of(few_times())))
        .prop_map(|(fixture, ids, numbers, kinds, times)| OwnedComment { fixture, ids, numbers, kinds, times })
}

/// Calls `check` with what a filter sees of a comment.
fn with_comment<T>(owned: &OwnedComment, check: impl FnOnce(&CommentFacts<'_>) -> T) -> T {
    let (author, mentions, links, subject, code) = &owned.fixture;
    let (author, mentions) = (member(author), mentions.iter().map(|name| member(name)).collect::<Vec<_>>());
    check(&CommentFacts {
        subject,
        member: &author,
        mentions: &mentions,
        links,
        text_key: owned.ids.2,
        length: owned.numbers[0],
        root: owned.ids.0,
        parent: owned.ids.1,
        depth: owned.numbers[1],
        state: owned.kinds.0,
        deleted_by: owned.kinds.1,
        erased: false,
        open: questions(&owned.kinds.2),
        act: owned.kinds.3,
        code: code.as_deref(),
        reports: owned.numbers[2],
        decisions: owned.numbers[3],
        create_time: owned.times.0,
        edit_time: owned.times.1,
    })
}

/// Returns the values of a field, as the text of a filter has them.
fn values(field: &str, comment: &OwnedComment) -> Vec<String> {
    let (author, mentions, links, subject, code) = &comment.fixture;
    let quoted = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let id = |id: Option<CommentId>| id.map_or(0, CommentId::get).to_string();
    let (state, role, causes, act) = &comment.kinds;
    match field {
        "subject" => vec![quoted(subject)],
        "member" => vec![quoted(author)],
        "mention" => mentions.iter().map(quoted).collect(),
        "link" => {
            let domains = |host: &String| {
                let labels: Vec<&str> = host.split('.').collect();
                (0..labels.len()).map(|n| quoted(&labels[n..].join("."))).collect::<Vec<_>>()
            };
            links.iter().flat_map(domains).collect()
        }
        "code" => code.iter().map(quoted).collect(),
        "action" => {
            let name = act.filter(|act| act.number().is_some()).map(|act| format!("{act:?}").to_uppercase());
            name.map(|name| name.trim_end_matches("EDIT").to_owned()).into_iter().collect()
        }
        "state" => vec![state.to_string()],
        "deleted_by" => role.map(deleter).into_iter().collect(),
        "open" => {
            let of = [(ReviewCauses::TEXT, "TEXT"), (ReviewCauses::EDIT, "EDIT"), (ReviewCauses::APPEAL, "APPEAL")];
            let is_open = |(all, _): &(ReviewCauses, &str)| causes.iter().any(|cause| all.contains(*cause));
            of.into_iter().filter(is_open).map(|(_, name)| name.to_owned()).collect()
        }
        "root" => vec![id(comment.ids.0)],
        "parent" => vec![id(comment.ids.1)],
        "length" => vec![comment.numbers[0].to_string()],
        "depth" => vec![comment.numbers[1].to_string()],
        "reports" => vec![comment.numbers[2].to_string()],
        "decisions" => vec![comment.numbers[3].to_string()],
        other => panic!("{other}"),
    }
}

/// The key of the text of a comment that a filter names.
fn text_key_of(comment: CommentId) -> Option<TextKey> {
    (comment != id(9)).then(|| key(comment.get() as u8 % 3))
}

/// Compares texts and numbers; the definition of [`SearchFilter::matches`] without its types.
fn simple(filter: &SearchFilter, comment: &OwnedComment) -> bool {
    let comparison = match filter {
        SearchFilter::Comparison(comparison) => comparison,
        SearchFilter::Not(filter) => return !simple(filter, comment),
        SearchFilter::And(filters) => return filters.iter().all(|filter| simple(filter, comment)),
        SearchFilter::Or(filters) => return filters.iter().any(|filter| simple(filter, comment)),
    };
    let ordered = |own: i64, operator: &str, value: i64| match operator {
        "<" => own < value,
        "<=" => own <= value,
        ">" => own > value,
        ">=" => own >= value,
        other => panic!("{other}"),
    };
    let (field, operator, value) = parts(comparison);
    if let FilterComparison::CreateTime(_, time) = comparison {
        return ordered(comment.times.0.0, &operator, time.0);
    }
    if let FilterComparison::EditTime(_, time) = comparison {
        return comment.times.1.is_some_and(|own| ordered(own.0, &operator, time.0));
    }
    if let FilterComparison::DuplicateOf(of) = comparison {
        return text_key_of(of.comment).is_some_and(|key| comment.ids.2 == Some(key));
    }
    let own = values(field, comment);
    match operator.as_str() {
        "=" => own.contains(&value),
        "!=" => !own.is_empty() && !own.contains(&value),
        other => {
            let number = |text: &String| text.parse::<i64>().expect("a number");
            ordered(number(&own[0]), other, number(&value))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_text_of_a_filter_parses_to_the_same_filter(
        filter in filter(),
        gap in select(&["", " ", "\t", "\r\n"][..]),
        not in select(&["NOT ", "-", "NOT\n"][..]),
    ) {
        let text = text_of(&filter, gap, not);
        if text.len() <= MAX_FILTER_BYTES {
            prop_assert_eq!(SearchFilter::parse("filter", &text), Ok(filter), "{}", text);
        }
    }

    #[test]
    fn a_filter_matches_as_the_simple_definition_says(mut filter in filter(), comment in comment()) {
        filter.set_text_keys(&mut text_key_of);
        let expected = simple(&filter, &comment);
        with_comment(&comment, |comment| {
            prop_assert_eq!(filter.matches(comment), expected);
            let complement = SearchFilter::Not(Box::new(filter.clone()));
            prop_assert_eq!(complement.matches(comment), !expected);
            let erased = CommentFacts { erased: true, ..*comment };
            prop_assert!(!filter.matches(&erased) && !complement.matches(&erased));
            Ok(())
        })?;
    }

    #[test]
    fn what_a_filter_matches_is_in_the_rows_of_its_scan(mut filter in filter(), comment in comment()) {
        filter.set_text_keys(&mut text_key_of);
        with_comment(&comment, |comment| {
            if filter.matches(comment) {
                prop_assert!(filter.only_member().is_none_or(|member| member == comment.member));
                prop_assert!(filter.only_subject().is_none_or(|subject| subject == comment.subject));
                prop_assert!(filter.created_from().is_none_or(|time| time <= comment.create_time));
            }
            Ok(())
        })?;
    }
}
