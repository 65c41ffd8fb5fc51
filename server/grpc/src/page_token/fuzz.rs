//! Fuzz target of page tokens.

use riposte_core::{Caller, Millis};

use super::{Message, PageTokenCodec, TokenContext, TokenCursor, v1};

/// Opens the bytes as a token's text, which must fail; then decodes them as the content of a token,
/// which must survive sealing and opening unchanged.
///
/// # Panics
/// Panics if a text that was never sealed is opened, or if a cursor changes.
pub fn page_token(bytes: &[u8]) {
    let (tokens, context) =
        (PageTokenCodec::new(vec![[7; 32]]), TokenContext::new(&Caller::unrestricted("fuzz"), "ListComments"));
    assert!(tokens.open(&context, &String::from_utf8_lossy(bytes)).is_err());
    let decoded = v1::PageToken::decode(bytes).ok().and_then(|token| token.cursor);
    let Some(cursor) = decoded.and_then(TokenCursor::from_message) else { return };
    let text = tokens.seal(&context, &cursor, Millis(4_000_000_000_000));
    // Only a path deeper than the contract allows exceeds the maximum length of a token.
    if let Some(text) = text.ok().filter(|text| text.len() <= super::MAX_TEXT) {
        assert_eq!(tokens.open(&context, &text), Ok(cursor));
    }
}
