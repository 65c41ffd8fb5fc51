//! Fuzz targets for data from Redis. Each value decodes to the data that was written or is
//! rejected, and never crashes its reader.

use fred::types::Value;
use prost::Message;
use riposte_core::{CommentId, Content};

use super::stored::{StoredComment, StoredContent, StoredSubject};
use super::value::{self, CommentParts};
use super::{decode, page};
use crate::port::{CachedComment, FillScope};

/// The maximum nesting of generated responses; responses of the functions have four levels.
const MAX_DEPTH: u8 = 6;

/// Decodes a stored comment. Then encodes a row with a content and decodes the result.
///
/// # Panics
/// If the decoded value differs from the encoded one.
pub fn stored_comment(bytes: &[u8]) {
    let _ = value::decode_comment(bytes, None);
    let Some((row_length, rest)) = bytes.split_first() else { return };
    let (row, content) = rest.split_at(rest.len().min((*row_length).into()));
    let Some(comment) = StoredComment::decode(row).ok().and_then(|row| row.comment(1, (2, 3))) else { return };
    // A content without any field counts as no content.
    let content = StoredContent::decode(content).ok().filter(|stored| stored.encoded_len() > 0).map(Content::from);
    let CommentParts { head, row, content: encoded_content } = CommentParts::of(&comment, content.as_ref());
    let content = content.filter(|_| comment.lifecycle.state.is_visible());
    let encoded = [head, row, encoded_content].concat();
    assert_eq!(value::decode_comment(&encoded, None), Some(CachedComment { comment, content }));
}

/// Decodes a subject's row, encodes it and decodes the result.
///
/// # Panics
/// If the second result differs from the first one.
pub fn subject(bytes: &[u8]) {
    let Some(subject) = StoredSubject::decode(bytes).ok().and_then(StoredSubject::subject) else { return };
    let encoded = StoredSubject::from(&subject).encode_to_vec();
    assert_eq!(StoredSubject::decode(&encoded[..]).ok().and_then(StoredSubject::subject), Some(subject));
}

/// Decodes the response of a function.
pub fn response(mut bytes: &[u8]) {
    let value = generate(&mut bytes, MAX_DEPTH);
    for root in [None, CommentId::new(7)] {
        let _ = page::decode(&value, root);
    }
    let _ = decode::lookup(&value, decode::states);
    let _ = decode::lookup(&value, |parts| decode::subject(parts.first()?));
    let _ = decode::lease_outcome(&value, FillScope::Row, 1);
    let _ = (decode::fill_outcome(&value), decode::comment(&value, None));
}

/// Generates a value from bytes.
fn generate(bytes: &mut &[u8], depth: u8) -> Value {
    let mut next = || -> Option<u8> {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(*first)
    };
    let (Some(kind), Some(amount)) = (next(), next()) else { return Value::Null };
    match kind % 8 {
        0 => Value::Null,
        1 => Value::Integer(i64::from(amount) - 1),
        2 => Value::from("hit"),
        3..=5 => {
            let (text, rest) = bytes.split_at(bytes.len().min(amount.into()));
            *bytes = rest;
            Value::Bytes(text.to_vec().into())
        }
        _ if depth == 0 => Value::Null,
        _ => Value::Array((0..amount % 9).map(|_| generate(bytes, depth - 1)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use riposte_core::MemberId;
    use riposte_core::subject::Metadata;

    use super::{Content, Message, StoredComment, StoredContent};
    use crate::redis::tests::comment;

    /// Returns a valid input of [`super::stored_comment`].
    fn valid_input() -> Vec<u8> {
        let row = StoredComment::from(&comment(7, 1)).encode_to_vec();
        let content = Content::stored("楼".to_owned(), vec![MemberId::stored("m".to_owned())], Metadata::new());
        let length = u8::try_from(row.len()).unwrap();
        [&[length], &row[..], &StoredContent::from(&content).encode_to_vec()].concat()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn data_from_redis_decodes_to_the_written_data_or_is_rejected(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let mut changed = valid_input();
            for (at, byte) in changes {
                let at = at.index(changed.len());
                changed[at] = byte;
            }
            for bytes in [&bytes, &changed] {
                super::stored_comment(bytes);
                super::subject(bytes);
                super::response(bytes);
            }
        }
    }
}
