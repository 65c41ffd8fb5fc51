//! Golden bytes of page tokens. Clients keep tokens across an upgrade, so both parts of a token,
//! the hash of its context and the cursor, must stay readable.

use std::fmt::Write;

use prost::Message;

use super::super::internal::v1;
use super::{FloorStep, ListOrder, NOW, TokenCursor, context, longest, tokens};

const DESCRIPTORS: &str = include_str!("../../../../golden/page_tokens.txt");
/// A token sealed by the first key of the ring. Its cursor is floor 7, toward newer floors.
const SEALED: &str = include_str!("../../../../golden/page_token_sealed.txt");

#[test]
fn descriptors_keep_their_golden_bytes_and_are_read_from_them() {
    let mut lines = String::new();
    for cursor in longest() {
        let context = context().hash().to_vec();
        let token = v1::PageToken { issued: NOW.0 / 1000, context, cursor: Some(cursor.to_message()) };
        let bytes = token.encode_to_vec();
        bytes.iter().for_each(|byte| write!(lines, "{byte:02x}").expect("a string accepts every text"));
        lines.push('\n');
        let read = v1::PageToken::decode(&bytes[..]).ok().and_then(|token| token.cursor);
        assert_eq!(read.and_then(TokenCursor::from_message), Some(cursor));
    }
    assert!(DESCRIPTORS == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}

#[test]
fn a_token_of_an_earlier_version_is_opened() {
    let cursor = TokenCursor::Floor(FloorStep::after(7, ListOrder::Oldest));
    let sealed = tokens().seal(&context(), &cursor, NOW);
    assert_eq!(tokens().open(&context(), SEALED.trim()), Ok(cursor), "sealed now: {sealed:?}");
}
