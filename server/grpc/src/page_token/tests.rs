mod golden;

use proptest::prelude::*;
use riposte_core::page::{HistoryCursor, LikerCursor, ListOrder, PageStart, SubjectCursor};
use riposte_core::rank::RankPosition;
use riposte_core::read::{Direction, RankedCursor, RankedWalk};
use riposte_core::report::DecisionCursor;
use riposte_core::{Caller, CommentId, Error, MemberId, Millis, Path, SubjectId, SubjectKey};

use super::{FloorStep, PageTokenCodec, TokenContext, TokenCursor, URL_SAFE_NO_PAD};
use base64::Engine;

const NOW: Millis = Millis(4_000_000_000_000);

fn tokens() -> PageTokenCodec {
    PageTokenCodec::new(vec![[7; 32], [8; 32]])
}

fn context() -> TokenContext {
    let key = SubjectKey::stored("video".to_owned(), "1".to_owned());
    TokenContext::new(&Caller::unrestricted("dev"), "ListComments").subject(&key).argument("NEWEST")
}

fn path(root: i64, floors: impl IntoIterator<Item = i32>) -> Path {
    let root = Path::root(CommentId::new(root).expect("roots are positive"));
    floors.into_iter().fold(root, |path, floor| path.child(floor))
}

fn ranked(direction: Direction) -> RankedCursor {
    RankedCursor { walk: RankedWalk { epoch: i64::MAX, bound: i32::MAX, since: NOW }, direction }
}

/// Returns the longest cursor of each kind.
fn longest() -> Vec<TokenCursor> {
    let member = MemberId::stored("m".repeat(64));
    vec![
        TokenCursor::Floor(FloorStep { floor: i32::MAX, up: true }),
        TokenCursor::Floor(FloorStep { floor: i32::MAX, up: false }),
        TokenCursor::Path(path(i64::MAX, (1..=31).map(|n| n * 16_000))),
        TokenCursor::Liker(LikerCursor { time: NOW, member }),
        TokenCursor::Subject(SubjectCursor { table: 49, after: SubjectId::new(i64::MAX) }),
        TokenCursor::Subject(SubjectCursor::default()),
        TokenCursor::Revision(i32::MAX),
        TokenCursor::History(HistoryCursor { time: NOW, comment: CommentId::new(i64::MAX).expect("positive") }),
        TokenCursor::Decision(DecisionCursor {
            time: NOW,
            comment: CommentId::new(i64::MAX).expect("positive"),
            number: i32::MAX,
        }),
        TokenCursor::Comment(CommentId::new(i64::MAX).expect("positive")),
        TokenCursor::Ranked(ranked(Direction::Ahead(RankPosition::Position(10_000)))),
        TokenCursor::Ranked(ranked(Direction::Back(RankPosition::Below(i32::MAX)))),
    ]
}

#[test]
fn a_sealed_token_can_be_opened_and_has_at_most_128_bytes() {
    let (tokens, context) = (tokens(), context());
    for cursor in longest() {
        let text = tokens.seal(&context, &cursor, NOW).expect("sealing never fails");
        assert!(URL_SAFE_NO_PAD.decode(&text).is_ok_and(|bytes| bytes.len() <= 128), "{cursor:?}: {}", text.len());
        assert_eq!(tokens.open(&context, &text), Ok(cursor));
    }
}

#[test]
fn a_path_of_any_32_levels_survives_sealing_and_opening() {
    let (tokens, context) = (tokens(), context());
    let cursor = TokenCursor::Path(path(1, (0..31).map(|n| i32::MAX - 31 + n)));
    let text = tokens.seal(&context, &cursor, NOW).expect("sealing never fails");
    assert_eq!(tokens.open(&context, &text), Ok(cursor));
}

#[test]
fn a_token_of_another_walk_is_a_mismatch() {
    let (tokens, key) = (tokens(), SubjectKey::stored("video".to_owned(), "1".to_owned()));
    let other = SubjectKey::stored("video".to_owned(), "2".to_owned());
    let (dev, app) = (Caller::unrestricted("dev"), Caller::unrestricted("app"));
    let text = tokens.seal(&context(), &TokenCursor::Revision(1), NOW).expect("sealing never fails");
    for context in [
        TokenContext::new(&app, "ListComments").subject(&key).argument("NEWEST"),
        TokenContext::new(&dev, "ListReplies").subject(&key).argument("NEWEST"),
        TokenContext::new(&dev, "ListComments").subject(&other).argument("NEWEST"),
        TokenContext::new(&dev, "ListComments").subject(&key).argument("OLDEST"),
        TokenContext::new(&dev, "ListComments").subject(&key),
    ] {
        assert_eq!(tokens.open(&context, &text), Err(Error::PageTokenMismatch));
    }
}

#[test]
fn every_key_of_the_ring_opens_and_no_other_key_does() {
    let (old, new) = ([1; 32], [2; 32]);
    let text =
        PageTokenCodec::new(vec![old]).seal(&context(), &TokenCursor::Revision(1), NOW).expect("sealing never fails");
    assert_eq!(PageTokenCodec::new(vec![new, old]).open(&context(), &text), Ok(TokenCursor::Revision(1)));
    assert_eq!(PageTokenCodec::new(vec![new]).open(&context(), &text), Err(Error::PageTokenInvalid));
    assert_eq!(PageTokenCodec::new(vec![]).open(&context(), &text), Err(Error::PageTokenInvalid));
}

#[test]
fn a_replaced_key_ring_opens_only_tokens_that_its_keys_sealed() {
    let (old, new) = ([1; 32], [2; 32]);
    let tokens = PageTokenCodec::new(vec![old]);
    let seal = || tokens.seal(&context(), &TokenCursor::Revision(1), NOW).expect("sealing never fails");
    let before = seal();
    let shared = tokens.clone();
    shared.replace_keys(&[new, old]);
    let after = seal();
    assert_eq!(tokens.open(&context(), &before), Ok(TokenCursor::Revision(1)));
    shared.replace_keys(&[new]);
    assert_eq!(tokens.open(&context(), &before), Err(Error::PageTokenInvalid));
    assert_eq!(tokens.open(&context(), &after), Ok(TokenCursor::Revision(1)));
}

#[test]
fn a_step_names_the_same_page_in_either_order() {
    for order in [ListOrder::Oldest, ListOrder::Newest] {
        assert_eq!(FloorStep::after(7, order).start(order), PageStart::After(7));
        assert_eq!(FloorStep::before(7, order).start(order), PageStart::Before(7));
    }
    assert_eq!(FloorStep::after(7, ListOrder::Oldest).start(ListOrder::Newest), PageStart::Before(7));
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
    fn garbage_is_rejected_without_panic(text in ".*", bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(tokens().open(&context(), &text), Err(Error::PageTokenInvalid));
        prop_assert_eq!(tokens().open(&context(), &URL_SAFE_NO_PAD.encode(bytes)), Err(Error::PageTokenInvalid));
    }

    #[test]
    fn every_message_is_a_cursor_or_is_rejected(levels in proptest::collection::vec(any::<u64>(), 0..40)) {
        let message = super::internal::v1::PathCursor { levels };
        let cursor = TokenCursor::from_message(super::internal::v1::page_token::Cursor::Path(message));
        if let Some(TokenCursor::Path(path)) = cursor {
            prop_assert!(path.depth() < 32);
        }
    }
}
