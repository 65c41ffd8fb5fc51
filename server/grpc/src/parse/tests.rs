use riposte_core::object_type::ModerationMode;
use riposte_core::page::{ListOrder, PageStart};
use riposte_core::rank::{RankPosition, RankSort};
use riposte_core::read::{Direction, RankedCursor, RankedWalk};
use riposte_core::read::{ListStart, RankedStart};
use riposte_core::{Caller, Error, LikeValue, Millis, Policy, Reason, SubjectKey, SubjectState, Violation};
use riposte_sdk::v1;

use super::{ParsedStart, Sort, StartFields, Violations};
use crate::page_token::{FloorStep, PageTokenCodec, TokenCursor};
use crate::parse;
use crate::parse::TokenScope;

/// Returns the reason of the error for these violations, and their fields in order.
fn rejection(v: Violations) -> (Reason, Vec<String>) {
    let error = v.all((Some(()),)).expect_err("a violation");
    let Error::Invalid(found) = &error.error else { panic!("{error:?}") };
    (error.error.reason(), found.iter().map(|violation| violation.field.clone()).collect())
}

fn is_violation<T: std::fmt::Debug>(parsed: &Result<T, Violation>, field: &str, reason: Reason) -> bool {
    parsed.as_ref().is_err_and(|violation| violation.field == field && violation.reason == reason)
}

#[test]
fn sizes_have_defaults_and_bounds() {
    for (requested, expected) in
        [(0, Some(20)), (1, Some(1)), (100, Some(100)), (101, Some(100)), (i32::MAX, Some(100))]
    {
        assert_eq!(parse::page_size(requested).ok(), expected);
    }
    assert!(is_violation(&parse::page_size(-1), "page_size", Reason::FieldInvalid));
    for (requested, expected) in
        [(None, Some(3)), (Some(0), Some(0)), (Some(10), Some(10)), (Some(11), None), (Some(-1), None)]
    {
        assert_eq!(parse::previews(requested).ok(), expected, "{requested:?}");
    }
    for (requested, expected) in [(0, Some(32)), (1, Some(1)), (31, Some(31)), (i32::MAX, Some(32)), (-1, None)] {
        assert_eq!(parse::max_depth(requested).ok(), expected, "{requested}");
    }
    assert!(parse::min_revision(0).is_ok() && parse::min_revision(-1).is_err());
}

#[test]
fn enums_have_defaults_and_unknown_numbers_are_rejected() {
    assert_eq!(parse::sort(0, ListOrder::Newest), Ok(Sort::Stable(ListOrder::Newest)));
    assert_eq!(parse::sort(0, ListOrder::Oldest), Ok(Sort::Stable(ListOrder::Oldest)));
    assert_eq!(parse::sort(v1::CommentSort::Oldest.into(), ListOrder::Newest), Ok(Sort::Stable(ListOrder::Oldest)));
    assert!(is_violation(&parse::sort(99, ListOrder::Newest), "sort", Reason::FieldInvalid));
    for sort in 1..=7 {
        let name = v1::CommentSort::try_from(sort).map(|sort| sort.as_str_name()).expect("a sort");
        let parsed = parse::sort(sort, ListOrder::Newest).expect("in the contract");
        assert_eq!(name, format!("COMMENT_SORT_{}", parsed.name()));
        let of_replies = parsed.of_replies();
        assert!(of_replies == Ok(parsed) || is_violation(&of_replies, "sort", Reason::FieldInvalid));
        assert_eq!(of_replies.is_ok(), [1, 2, 4].contains(&sort), "{name}");
    }
    assert_eq!(parse::acting_as(0), Ok(v1::ActingAs::Author));
    assert!(is_violation(&parse::acting_as(-1), "acting_as", Reason::FieldInvalid));
    assert_eq!(parse::subject_state("state", 0), Ok(SubjectState::Active));
    assert!(is_violation(&parse::subject_state("state", 4), "state", Reason::FieldInvalid));
}

#[test]
fn a_like_value_is_required_and_a_list_of_likers_defaults_to_likes() {
    assert_eq!(parse::like_value(v1::LikeValue::None.into()), Ok(LikeValue::None));
    for value in [0, 4, -1] {
        assert!(is_violation(&parse::like_value(value), "value", Reason::LikeInvalid), "{value}");
    }
    assert_eq!(parse::liked(0), Ok(LikeValue::Like));
    assert_eq!(parse::liked(v1::LikeValue::Dislike.into()), Ok(LikeValue::Dislike));
    assert!(is_violation(&parse::liked(v1::LikeValue::None.into()), "value", Reason::LikeInvalid));
}

#[test]
fn times_are_parsed_to_the_millisecond_and_within_their_range() {
    let time = |seconds, nanos| parse::time("t", Some(prost_types::Timestamp { seconds, nanos }));
    assert_eq!(parse::time("t", None), Ok(None));
    assert_eq!(time(1, 999_999_999), Ok(Some(Millis(1999))));
    for (seconds, nanos) in [(i64::MAX, 0), (i64::MIN, 0), (253_402_300_800, 0), (0, -1), (0, 1_000_000_000)] {
        assert!(is_violation(&time(seconds, nanos), "t", Reason::FieldInvalid), "{seconds} {nanos}");
    }
}

#[test]
fn every_invalid_item_of_a_batch_is_reported_and_too_many_are_one_violation() {
    let mut v = Violations::default();
    assert_eq!(v.take(parse::comment_ids("ids", &[])), Some(Vec::new()));
    assert!(v.take(parse::comment_ids("ids", &[1; 200])).is_some());
    v.take(parse::comment_ids("ids", &[5, 0, 6, -7]));
    v.take(parse::comment_ids("ids", &[0; 201]));
    let keys = [v1::SubjectKey { object_type: "Video".into(), object_id: String::new() }];
    v.take(parse::batch("keys", &keys, |field, key| parse::subject_key(field, Some(key))));
    let fields = ["ids[1]", "ids[3]", "ids", "keys[0].object_type", "keys[0].object_id"];
    assert_eq!(rejection(v), (Reason::FieldInvalid, fields.map(str::to_owned).into()));
}

#[test]
fn all_violations_of_a_request_are_reported_at_once() {
    let mut v = Violations::default();
    v.take(parse::comment_id("id", 0));
    v.take(parse::member("member_id", ""));
    parse::content_at(&mut v, "content", None, None);
    v.take(parse::client(Some(v1::ClientInfo { ip: "here".into(), ..Default::default() })));
    v.take(parse::request_id("1"));
    let fields = ["id", "member_id", "content.text", "client.ip", "request_id"];
    assert_eq!(rejection(v), (Reason::FieldInvalid, fields.map(str::to_owned).into()));
}

#[test]
fn a_text_that_is_too_long_reports_its_limit_and_length() {
    let content = |text: &str| Some(v1::Content { text: text.into(), ..Default::default() });
    let policy = Policy { max_text: 3, ..Policy::default() };
    let mut v = Violations::default();
    parse::content_at(&mut v, "content", Some(&policy), content("e\u{301}abc"));
    let error = v.all((Some(()),)).expect_err("too long");
    assert_eq!(error.error.reason(), Reason::ContentTooLong);
    assert_eq!((error.metadata.get("limit"), error.metadata.get("actual")), (Some("3"), Some("4")));
    let mut v = Violations::default();
    assert!(parse::content_at(&mut v, "content", None, content(&"x".repeat(9_999))).is_some(), "no policy, no limit");
}

#[test]
fn an_update_changes_the_fields_of_its_mask_or_else_the_fields_that_are_set() {
    let mask = |paths: &[&str]| Some(prost_types::FieldMask { paths: paths.iter().map(|p| (*p).to_owned()).collect() });
    let subject = v1::Subject { owner_id: "up".into(), state: 2, etag: "1.1".into(), ..Default::default() };
    let patch = |mask: Option<prost_types::FieldMask>| parse::patch(&subject, None, mask.as_ref());

    let masked = patch(mask(&["metadata", "owner_id"])).expect("a patch");
    assert_eq!(masked.owner.flatten().map(|owner| owner.as_str().to_owned()), Some("up".to_owned()));
    assert_eq!((masked.state, masked.metadata.map(|m| m.len()), masked.etag), (None, Some(0), "1.1".to_owned()));
    for unmasked in [patch(None), patch(mask(&[]))] {
        let unmasked = unmasked.expect("a patch");
        assert_eq!(
            (unmasked.owner.is_some(), unmasked.state, unmasked.metadata),
            (true, Some(SubjectState::ReadOnly), None)
        );
    }
    let cleared = parse::patch(&v1::Subject::default(), None, mask(&["owner_id", "state"]).as_ref()).expect("a patch");
    assert_eq!((cleared.owner, cleared.state), (Some(None), Some(SubjectState::Active)));

    let bad = v1::Subject { owner_id: "\n".into(), state: 9, ..Default::default() };
    let found = parse::patch(&bad, None, mask(&["state", "etag", "owner_id", "*"]).as_ref()).expect_err("violations");
    let fields: Vec<_> = found.iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(fields, ["subject.owner_id", "subject.state", "update_mask.paths[1]", "update_mask.paths[3]"]);
    let nothing = parse::patch(&v1::Subject::default(), None, None).expect_err("nothing to change");
    assert_eq!(nothing.iter().map(|v| v.field.as_str()).collect::<Vec<_>>(), ["update_mask"]);
}

#[test]
fn a_subject_is_moderated_no_less_than_its_type() {
    let mode = |mode: v1::ModerationMode, of_type| {
        let subject = v1::Subject { moderation_mode: mode.into(), ..Default::default() };
        let mask = prost_types::FieldMask { paths: vec!["moderation_mode".to_owned()] };
        parse::patch(&subject, Some(of_type), Some(&mask)).map(|patch| patch.moderation).ok()
    };
    let (unset, post, pre) = (v1::ModerationMode::Unspecified, v1::ModerationMode::Post, v1::ModerationMode::Pre);
    assert_eq!(
        [unset, post, pre].map(|named| mode(named, ModerationMode::Post)),
        [Some(Some(None)), Some(Some(Some(ModerationMode::Post))), Some(Some(Some(ModerationMode::Pre))),]
    );
    let new_members = v1::ModerationMode::PreNewMembers;
    let looser_and_stricter = [post, new_members, pre].map(|named| mode(named, ModerationMode::PreNewMembers));
    let expected = [ModerationMode::PreNewMembers, ModerationMode::Pre].map(|mode| Some(Some(Some(mode))));
    assert_eq!(looser_and_stricter, [None, expected[0], expected[1]]);
    assert_eq!(mode(new_members, ModerationMode::Pre), None);
    let under_pre = [unset, post, pre].map(|named| mode(named, ModerationMode::Pre));
    assert_eq!(under_pre, [Some(Some(None)), None, Some(Some(Some(ModerationMode::Pre)))]);
}

const NEWEST: Sort = Sort::Stable(ListOrder::Newest);

fn scope(caller: &str, sort: Sort) -> TokenScope {
    TokenScope::roots(&Caller::unrestricted(caller), &SubjectKey::stored("video".into(), "1".into()), sort)
}

fn page_start(
    tokens: &PageTokenCodec,
    fields: StartFields<'_>,
    sort: Sort,
) -> Result<ParsedStart, (Reason, Vec<String>)> {
    let mut v = Violations::default();
    let start = parse::page_start(&mut v, fields, Some(&scope("dev", sort)), tokens);
    start.ok_or_else(|| rejection(v))
}

#[test]
fn a_request_names_only_one_start_of_a_page() {
    let tokens = PageTokenCodec::new(Vec::new());
    let start = |page_token, around_comment_id, around_floor, sort| {
        page_start(&tokens, StartFields { page_token, around_comment_id, around_floor }, sort)
    };
    let newest = |at| Ok(ParsedStart::Floor(ListOrder::Newest, ListStart::Start(at)));
    assert_eq!(start("", 0, 0, NEWEST), newest(PageStart::Beginning));
    assert_eq!(start("", 0, 9, NEWEST), newest(PageStart::Around(9)));
    assert!(matches!(start("", 7, 0, NEWEST), Ok(ParsedStart::Floor(_, ListStart::Comment(id))) if id.get() == 7));
    let top = Sort::Ranked(RankSort::Top);
    let by_rank = |at| Ok(ParsedStart::Rank(RankSort::Top, at));
    assert_eq!(start("", 0, 0, top), by_rank(RankedStart::Beginning));
    assert_eq!(start("", 0, 9, top), by_rank(RankedStart::Floor(9)));
    assert!(matches!(start("", 7, 0, top), Ok(ParsedStart::Rank(_, RankedStart::Comment(id))) if id.get() == 7));
    for sort in [NEWEST, top] {
        for (result, field) in [
            (start("x", 7, 0, sort), "around_comment_id"),
            (start("x", 0, 9, sort), "around_floor"),
            (start("", 7, 9, sort), "around_comment_id"),
            (start("", -7, 0, sort), "around_comment_id"),
            (start("", 0, -9, sort), "around_floor"),
        ] {
            assert_eq!(result, Err((Reason::FieldInvalid, vec![field.to_owned()])));
        }
        let both = ["around_comment_id", "around_floor"].map(str::to_owned).to_vec();
        assert_eq!(start("x", 7, 9, sort), Err((Reason::FieldInvalid, both)));
        assert_eq!(start("x", 0, 0, sort), Err((Reason::PageTokenInvalid, vec!["page_token".to_owned()])));
    }
}

#[test]
fn a_token_continues_only_its_own_walk() {
    let tokens = PageTokenCodec::new(Vec::new());
    let seal =
        |scope: &TokenScope, cursor| tokens.seal(scope.context(), &cursor, Millis(0)).expect("sealing never fails");
    let at = |token: &str, sort| {
        page_start(&tokens, StartFields { page_token: token, around_comment_id: 0, around_floor: 0 }, sort)
    };
    let mismatch = Err((Reason::PageTokenMismatch, vec!["page_token".to_owned()]));
    let step = TokenCursor::Floor(FloorStep::after(5, ListOrder::Newest));
    let newest = Ok(ParsedStart::Floor(ListOrder::Newest, ListStart::Start(PageStart::After(5))));
    assert_eq!(at(&seal(&scope("dev", NEWEST), step.clone()), NEWEST), newest);
    assert_eq!(at(&seal(&scope("app", NEWEST), step.clone()), NEWEST), mismatch);
    assert_eq!(at(&seal(&scope("dev", NEWEST), TokenCursor::Revision(5)), NEWEST), mismatch);
    let [top, hot] = [RankSort::Top, RankSort::Hot].map(Sort::Ranked);
    let walk = RankedWalk { epoch: 3, bound: 4, since: Millis(5) };
    let cursor = RankedCursor { walk, direction: Direction::Back(RankPosition::Below(2)) };
    let token = seal(&scope("dev", top), TokenCursor::Ranked(cursor));
    assert_eq!(at(&token, top), Ok(ParsedStart::Rank(RankSort::Top, RankedStart::Cursor(cursor))));
    assert_eq!(at(&token, hot), mismatch);
    assert_eq!(at(&token, NEWEST), mismatch);
    assert_eq!(at(&seal(&scope("dev", top), step), top), mismatch);
}
