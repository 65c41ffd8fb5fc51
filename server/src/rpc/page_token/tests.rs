use proptest::prelude::*;
use riposte_core::page::{HistoryCursor, LikerCursor, Order, Start, SubjectCursor};
use riposte_core::rank::{Place, RankedCursor, RankedWalk, Toward};
use riposte_core::{Caller, CommentId, Error, MemberId, Millis, Path, SubjectId, SubjectKey};

use super::{Context, Cursor, PageTokens, Step, URL_SAFE_NO_PAD};
use base64::Engine;

const NOW: Millis = Millis(4_000_000_000_000);

fn tokens() -> PageTokens {
    PageTokens::new(vec![[7; 32], [8; 32]])
}

fn context() -> Context {
    let key = SubjectKey::stored("video".to_owned(), "1".to_owned());
    Context::new(&Caller::unrestricted("dev"), "ListComments").subject(&key).argument("NEWEST")
}

fn path(root: i64, floors: impl IntoIterator<Item = i32>) -> Path {
    let root = Path::root(CommentId::new(root).expect("roots are positive"));
    floors.into_iter().fold(root, |path, floor| path.child(floor))
}

fn ranked(toward: Toward) -> RankedCursor {
    RankedCursor { walk: RankedWalk { epoch: i64::MAX, bound: i32::MAX, since: NOW }, toward }
}

/// The longest cursor of each kind.
fn longest() -> Vec<Cursor> {
    let member = MemberId::stored("m".repeat(64));
    vec![
        Cursor::Floor(Step { floor: i32::MAX, up: true }),
        Cursor::Floor(Step { floor: i32::MAX, up: false }),
        Cursor::Path(path(i64::MAX, (1..=31).map(|n| n * 16_000))),
        Cursor::Liker(LikerCursor { time: NOW, member }),
        Cursor::Subject(SubjectCursor { table: 49, after: SubjectId::new(i64::MAX) }),
        Cursor::Subject(SubjectCursor::default()),
        Cursor::Revision(i32::MAX),
        Cursor::History(HistoryCursor { time: NOW, comment: CommentId::new(i64::MAX).expect("positive") }),
        Cursor::Comment(CommentId::new(i64::MAX).expect("positive")),
        Cursor::Ranked(ranked(Toward::Ahead(Place::Position(10_000)))),
        Cursor::Ranked(ranked(Toward::Back(Place::Below(i32::MAX)))),
    ]
}

#[test]
fn what_was_sealed_is_opened_and_stays_within_128_bytes() {
    let (tokens, context) = (tokens(), context());
    for cursor in longest() {
        let text = tokens.seal(&context, &cursor, NOW).expect("sealing never fails");
        assert!(URL_SAFE_NO_PAD.decode(&text).is_ok_and(|bytes| bytes.len() <= 128), "{cursor:?}: {}", text.len());
        assert_eq!(tokens.open(&context, &text), Ok(cursor));
    }
}

#[test]
fn a_path_of_any_32_floors_goes_through_a_token() {
    let (tokens, context) = (tokens(), context());
    let cursor = Cursor::Path(path(1, (0..31).map(|n| i32::MAX - 31 + n)));
    let text = tokens.seal(&context, &cursor, NOW).expect("sealing never fails");
    assert_eq!(tokens.open(&context, &text), Ok(cursor));
}

#[test]
fn a_token_of_another_walk_is_a_mismatch() {
    let (tokens, key) = (tokens(), SubjectKey::stored("video".to_owned(), "1".to_owned()));
    let other = SubjectKey::stored("video".to_owned(), "2".to_owned());
    let (dev, app) = (Caller::unrestricted("dev"), Caller::unrestricted("app"));
    let text = tokens.seal(&context(), &Cursor::Revision(1), NOW).expect("sealing never fails");
    for context in [
        Context::new(&app, "ListComments").subject(&key).argument("NEWEST"),
        Context::new(&dev, "ListReplies").subject(&key).argument("NEWEST"),
        Context::new(&dev, "ListComments").subject(&other).argument("NEWEST"),
        Context::new(&dev, "ListComments").subject(&key).argument("OLDEST"),
        Context::new(&dev, "ListComments").subject(&key),
    ] {
        assert_eq!(tokens.open(&context, &text), Err(Error::PageTokenMismatch));
    }
}

#[test]
fn every_key_of_the_ring_opens_and_a_foreign_one_does_not() {
    let (old, new) = ([1; 32], [2; 32]);
    let text = PageTokens::new(vec![old]).seal(&context(), &Cursor::Revision(1), NOW).expect("sealing never fails");
    assert_eq!(PageTokens::new(vec![new, old]).open(&context(), &text), Ok(Cursor::Revision(1)));
    assert_eq!(PageTokens::new(vec![new]).open(&context(), &text), Err(Error::PageTokenInvalid));
    assert_eq!(PageTokens::new(vec![]).open(&context(), &text), Err(Error::PageTokenInvalid));
}

#[test]
fn a_ring_that_is_exchanged_opens_what_its_keys_have_sealed_and_nothing_else() {
    let (old, new) = ([1; 32], [2; 32]);
    let tokens = PageTokens::new(vec![old]);
    let seal = || tokens.seal(&context(), &Cursor::Revision(1), NOW).expect("sealing never fails");
    let before = seal();
    let shared = tokens.clone();
    shared.exchange(&[new, old]);
    let after = seal();
    assert_eq!(tokens.open(&context(), &before), Ok(Cursor::Revision(1)));
    shared.exchange(&[new]);
    assert_eq!(tokens.open(&context(), &before), Err(Error::PageTokenInvalid));
    assert_eq!(tokens.open(&context(), &after), Ok(Cursor::Revision(1)));
}

#[test]
fn a_step_names_the_same_page_in_either_order() {
    for order in [Order::Oldest, Order::Newest] {
        assert_eq!(Step::after(7, order).start(order), Start::After(7));
        assert_eq!(Step::before(7, order).start(order), Start::Before(7));
    }
    assert_eq!(Step::after(7, Order::Oldest).start(Order::Newest), Start::Before(7));
}

proptest! {
    #[test]
    fn a_changed_token_is_never_accepted(at in 0_usize..200, bit in 0_u8..8, cut in 0_usize..200) {
        let (tokens, context) = (tokens(), context());
        for cursor in longest() {
            let text = tokens.seal(&context, &cursor, NOW).expect("sealing never fails");
            let mut bytes = URL_SAFE_NO_PAD.decode(&text).expect("tokens are base64url");
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(tokens.open(&context, &URL_SAFE_NO_PAD.encode(&bytes)), Err(Error::PageTokenInvalid));
            let cut = &text[..cut % text.len()];
            prop_assert_eq!(tokens.open(&context, cut), Err(Error::PageTokenInvalid));
        }
    }

    #[test]
    fn garbage_is_refused_without_panic(text in ".*", bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(tokens().open(&context(), &text), Err(Error::PageTokenInvalid));
        prop_assert_eq!(tokens().open(&context(), &URL_SAFE_NO_PAD.encode(bytes)), Err(Error::PageTokenInvalid));
    }

    #[test]
    fn every_message_reads_as_a_cursor_or_as_nothing(levels in proptest::collection::vec(any::<u64>(), 0..40)) {
        let message = super::internal::v1::PathCursor { levels };
        let cursor = Cursor::from_message(super::internal::v1::page_token::Cursor::Path(message));
        if let Some(Cursor::Path(path)) = cursor {
            prop_assert!(path.depth() < 32);
        }
    }
}
