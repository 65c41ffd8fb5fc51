//! Fuzz targets for data from Redis. Each value must decode to what was written, or to nothing, and
//! must never crash its reader.

use fred::types::Value;
use prost::Message;
use riposte_core::{CommentId, Content};

use super::stored::{StoredComment, StoredContent, StoredSubject};
use super::value::{self, CommentParts};
use super::{decode, page};
use crate::port::{CachedComment, FillScope};

/// The maximum nesting of generated responses; those of the functions are four levels deep.
const DEEPEST: u8 = 6;

/// Decodes a stored comment; and encodes a row with a content and decodes the result.
///
/// # Panics
/// If the decoded value differs from the encoded one.
pub fn copy(bytes: &[u8]) {
    let _ = value::item(bytes, None);
    let Some((cut, rest)) = bytes.split_first() else { return };
    let (row, said) = rest.split_at(rest.len().min((*cut).into()));
    let Some(comment) = StoredComment::decode(row).ok().and_then(|row| row.comment(1, (2, 3))) else { return };
    // A content without any field counts as no content.
    let content = StoredContent::decode(said).ok().filter(|said| said.encoded_len() > 0).map(Content::from);
    let CommentParts { head, row, content: written } = CommentParts::of(&comment, content.as_ref());
    assert_eq!(value::item(&[head, row, written].concat(), None), Some(CachedComment { comment, content }));
}

/// Decodes a subject's row.
///
/// # Panics
/// If the row decodes to another one after it is encoded.
pub fn subject(bytes: &[u8]) {
    let Some(subject) = StoredSubject::decode(bytes).ok().and_then(StoredSubject::subject) else { return };
    let written = StoredSubject::from(&subject).encode_to_vec();
    assert_eq!(StoredSubject::decode(&written[..]).ok().and_then(StoredSubject::subject), Some(subject));
}

/// Decodes the response of a function.
pub fn reply(mut bytes: &[u8]) {
    let value = drawn(&mut bytes, DEEPEST);
    for root in [None, CommentId::new(7)] {
        let _ = page::read(&value, root);
    }
    let _ = decode::lookup(&value, decode::states);
    let _ = decode::lookup(&value, |parts| decode::subject(parts.first()?));
    let _ = (decode::opened(&value, FillScope::Row, 1), decode::filled(&value), decode::item(&value, None));
}

/// Builds a value from bytes.
fn drawn(bytes: &mut &[u8], depth: u8) -> Value {
    let mut next = || -> Option<u8> {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(*first)
    };
    let (Some(what), Some(much)) = (next(), next()) else { return Value::Null };
    match what % 8 {
        0 => Value::Null,
        1 => Value::Integer(i64::from(much) - 1),
        2 => Value::from("hit"),
        3..=5 => {
            let (text, rest) = bytes.split_at(bytes.len().min(much.into()));
            *bytes = rest;
            Value::Bytes(text.to_vec().into())
        }
        _ if depth == 0 => Value::Null,
        _ => Value::Array((0..much % 9).map(|_| drawn(bytes, depth - 1)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use riposte_core::MemberId;
    use riposte_core::subject::Metadata;

    use super::{Content, Message, StoredComment, StoredContent};
    use crate::redis::tests::comment;

    /// A valid stored comment, in the form that [`super::copy`] takes.
    fn sound() -> Vec<u8> {
        let row = StoredComment::from(&comment(7, 1)).encode_to_vec();
        let content = Content::stored("楼".to_owned(), vec![MemberId::stored("m".to_owned())], Metadata::new());
        let length = u8::try_from(row.len()).unwrap();
        [&[length], &row[..], &StoredContent::from(&content).encode_to_vec()].concat()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn whatever_redis_says_is_read_as_what_was_written_or_as_nothing(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let mut changed = sound();
            for (at, byte) in changes {
                let at = at.index(changed.len());
                changed[at] = byte;
            }
            for bytes in [&bytes, &changed] {
                super::copy(bytes);
                super::subject(bytes);
                super::reply(bytes);
            }
        }
    }
}
