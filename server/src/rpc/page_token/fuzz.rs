//! Page tokens, as fuzzers feed them.

use riposte_core::{Caller, Millis};

use super::{Message, PageTokenCodec, TokenContext, TokenCursor, v1};

/// The text of a token, which is none of ours; and the inside of one, which goes through a token as it is.
///
/// # Panics
/// When a text that nobody sealed is opened, or a cursor comes back as another.
pub fn page_token(bytes: &[u8]) {
    let (tokens, context) =
        (PageTokenCodec::new(vec![[7; 32]]), TokenContext::new(&Caller::unrestricted("fuzz"), "ListComments"));
    assert!(tokens.open(&context, &String::from_utf8_lossy(bytes)).is_err());
    let inside = v1::PageToken::decode(bytes).ok().and_then(|token| token.cursor);
    let Some(cursor) = inside.and_then(TokenCursor::from_message) else { return };
    let text = tokens.seal(&context, &cursor, Millis(4_000_000_000_000));
    // Only a path that is deeper than any of ours makes a longer text than a token may have.
    if let Some(text) = text.ok().filter(|text| text.len() <= super::MAX_TEXT) {
        assert_eq!(tokens.open(&context, &text), Ok(cursor));
    }
}
