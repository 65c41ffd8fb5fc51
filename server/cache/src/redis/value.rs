//! A stored comment: a head of 64 bytes, the row without its likes, the content.
//!
//! | bytes | content |
//! |---|---|
//! | 0–2 | `rc4`: the kind of value, and the schema |
//! | 3 | a digit: the sum of 1 if a visible comment is below the comment, and 2 if it is visible |
//! | 4–11 | the incarnation of its subject entry |
//! | 12–19 | revision of the row |
//! | 20–27, 28–31, 32–35 | revision of the likes, likes, dislikes; a like rewrites them in place |
//! | 36–39 | length of the row, with its checksum |
//! | 40–55 | the subject's id, hexadecimal |
//! | 56–63 | xxh3 of the content |
//!
//! The row ends with its own checksum: the xxh3 of the row, seeded with the xxh3 of those bytes of
//! the head that change together with the row (0–3, 12–19 and 36–55). A change that leaves the
//! content unchanged writes a head and a row, and keeps the content with its checksum.
//!
//! Only a visible comment has a content. The checksum of any other is [`NO_CONTENT`], which no
//! content has. An older version stores contents of invisible comments and shows such a comment
//! again without sending its content; it then reads a damaged comment, which is a miss.

use prost::Message;
use riposte_core::{Comment, CommentId, Content};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::stored::{StoredComment, StoredContent};
use crate::port::{CachedComment, LikeCounts};

const HEAD: usize = 64;
const MAGIC: &[u8; 3] = b"rc4";
/// Replaces the xxh3 of a content that is absent: the inverted xxh3 of nothing.
const NO_CONTENT: u64 = !0x2d06_8005_38d3_94c2;
/// The length of a row's checksum in bytes.
const CHECKSUM: usize = 8;

/// A comment in the form that the functions in Redis take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommentParts {
    /// The head, without an incarnation.
    pub(super) head: Vec<u8>,
    /// The row.
    pub(super) row: Vec<u8>,
    /// The content; empty for none.
    pub(super) content: Vec<u8>,
}

/// Formats an id as in keys and in members of lists.
pub(super) fn hex(id: i64) -> String {
    hex_list([id])
}

/// Formats ids one after the other.
pub(super) fn hex_list(ids: impl IntoIterator<Item = i64>) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let ids = ids.into_iter();
    let mut text = String::with_capacity(16 * ids.size_hint().0);
    for byte in ids.flat_map(i64::to_be_bytes) {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
    text
}

/// Encodes revision, likes and dislikes as in a head.
pub(super) fn likes(likes: &LikeCounts) -> Vec<u8> {
    let mut bytes = likes.revision.to_be_bytes().to_vec();
    bytes.extend(likes.likes.to_be_bytes());
    bytes.extend(likes.dislikes.to_be_bytes());
    bytes
}

/// Encodes the counts as [`likes`] does, followed by the preview position of the comment if it has
/// one, as an argument of a function.
pub(super) fn likes_and_position(counts: &LikeCounts) -> Vec<u8> {
    let mut bytes = likes(counts);
    if let Some((root, floor)) = counts.preview_position {
        bytes.extend(hex(root.get()).bytes());
        bytes.extend(floor.to_be_bytes());
    }
    bytes
}

impl CommentParts {
    pub(super) fn of(comment: &Comment, content: Option<&Content>) -> Self {
        let mut row = StoredComment::from(comment).encode_to_vec();
        let is_visible = comment.lifecycle.state.is_visible();
        let content = content.filter(|_| is_visible);
        let content = content.map(|content| StoredContent::from(content).encode_to_vec()).unwrap_or_default();
        let mut head = Vec::with_capacity(HEAD);
        head.extend(MAGIC);
        head.push(b'0' + u8::from(comment.counts.live_below > 0) + 2 * u8::from(is_visible));
        head.extend([0; 8]);
        head.extend(comment.lifecycle.revision.to_be_bytes());
        head.extend(likes(&LikeCounts::of(comment)));
        head.extend(u32::try_from(row.len() + CHECKSUM).unwrap_or(u32::MAX).to_be_bytes());
        head.extend(hex(comment.reference.subject_id.get()).bytes());
        head.extend(if is_visible { xxh3_64(&content) } else { NO_CONTENT }.to_be_bytes());
        row.extend(row_checksum(&head, &row).to_be_bytes());
        Self { head, row, content }
    }
}

/// Decodes a stored comment; `None` if it is damaged, has another schema, or is another comment.
pub(super) fn decode_comment(value: &[u8], id: Option<CommentId>) -> Option<CachedComment> {
    let (head, rest) = value.split_at_checked(HEAD)?;
    let row_length = u32::from_be_bytes(array(head, 36)?) as usize;
    let (row, content) = rest.split_at_checked(row_length)?;
    let (row, checksum) = row.split_last_chunk::<CHECKSUM>()?;
    let row_intact = u64::from_be_bytes(*checksum) == row_checksum(head, row);
    if !head.starts_with(MAGIC) || !row_intact {
        return None;
    }
    let revision = i64::from_be_bytes(array(head, 12)?).max(i64::from_be_bytes(array(head, 20)?));
    let counts = (i32::from_be_bytes(array(head, 28)?), i32::from_be_bytes(array(head, 32)?));
    let comment = StoredComment::decode(row).ok()?.comment(revision, counts)?;
    let content_checksum = u64::from_be_bytes(array(head, 56)?);
    let is_absent = content.is_empty() && content_checksum == NO_CONTENT && !comment.lifecycle.state.is_visible();
    if !is_absent && content_checksum != xxh3_64(content) {
        return None;
    }
    // Another version may have stored a content of a comment that is not visible.
    let is_shown = !content.is_empty() && comment.lifecycle.state.is_visible();
    let content = if !is_shown { None } else { Some(StoredContent::decode(content).ok()?.into()) };
    id.is_none_or(|id| comment.reference.id == id).then_some(CachedComment { comment, content })
}

/// Returns the checksum of a row under its complete head.
fn row_checksum(head: &[u8], row: &[u8]) -> u64 {
    let mut covered = [0; 32];
    covered[..4].copy_from_slice(&head[..4]);
    covered[4..12].copy_from_slice(&head[12..20]);
    covered[12..].copy_from_slice(&head[36..56]);
    xxh3_64_with_seed(row, xxh3_64(&covered))
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use riposte_core::subject::Metadata;
    use riposte_core::{CommentState, Content, MemberId};

    use super::{CommentParts, HEAD, decode_comment};
    use crate::redis::tests::comment;

    #[test]
    fn a_stored_comment_decodes_to_its_comment_and_a_damaged_one_to_nothing() {
        let comment = comment(7, 3);
        let content = Content::stored("楼".into(), vec![MemberId::stored("m".into())], Metadata::new())
            .with_extra([("later".to_owned(), vec![0, 255])].into());
        let CommentParts { head, row, content: encoded_content } = CommentParts::of(&comment, Some(&content));
        assert_eq!(head.len(), HEAD);
        let mut value = [head, row, encoded_content].concat();
        let found = decode_comment(&value, Some(comment.reference.id)).expect("intact");
        assert_eq!((found.comment, found.content), (comment, Some(content)));
        assert_eq!(decode_comment(&value[..value.len() - 1], None), None, "cut off");
        assert_eq!(decode_comment(&value[..HEAD - 1], None), None);
        assert_eq!(decode_comment(&value, riposte_core::CommentId::new(1)), None, "the id of another comment");
        // The checksums cover neither the likes, which are rewritten in place, nor the incarnation,
        // which is that of the subject entry.
        for at in (0..value.len()).filter(|at| !(4..12).contains(at) && !(20..36).contains(at)) {
            value[at] ^= 1;
            assert_eq!(decode_comment(&value, None), None, "byte {at} is damaged");
            value[at] ^= 1;
        }
    }

    #[test]
    fn a_comment_that_is_not_visible_has_no_content() {
        let content = Content::stored("text".into(), Vec::new(), Metadata::new());
        let visible = CommentParts::of(&comment(7, 3), Some(&content));
        for state in CommentState::ALL.into_iter().filter(|state| !state.is_visible()) {
            let mut hidden = comment(7, 3);
            hidden.lifecycle.state = state;
            let CommentParts { mut head, row, content: encoded_content } = CommentParts::of(&hidden, Some(&content));
            assert!(encoded_content.is_empty());
            let found = decode_comment(&[head.clone(), row.clone()].concat(), None).expect("intact");
            assert_eq!((found.comment, found.content), (hidden.clone(), None), "{state}");
            // Another version stored it with its content and checksum.
            head[56..].copy_from_slice(&visible.head[56..]);
            let stored = decode_comment(&[head.clone(), row.clone(), visible.content.clone()].concat(), None);
            assert_eq!(stored.expect("intact").content, None, "{state}");
            // The same version shows a comment again without sending its content: then the content
            // is unknown, and the value is damaged.
            let CommentParts { head, .. } = CommentParts::of(&hidden, None);
            let shown = [&visible.head[..56], &head[56..], &visible.row].concat();
            assert_eq!(decode_comment(&shown, None), None, "{state}");
        }
        let empty = CommentParts::of(&comment(7, 3), None);
        let found = decode_comment(&[empty.head, empty.row].concat(), None).expect("intact");
        assert_eq!(found.content, None, "an empty content is one");
    }

    #[test]
    fn ids_have_sixteen_hexadecimal_digits() {
        for id in [0, 9, 10, 255, 0x0123_4567_89ab_cdef, i64::MAX, -1] {
            assert_eq!(super::hex(id), format!("{id:016x}"));
        }
        assert_eq!(super::hex_list([1, 171]), "000000000000000100000000000000ab");
    }
}
