//! A page as Redis gives it: put together of the copies by the function, or whole, as somebody has kept it.
//!
//! What is kept is the xxh3 of all that follows (8 bytes, big-endian), and a [`PageCopy`]. The subject's row is not in it: it
//! lies in the block, which says by revision and stamp whether the page is still true.

use fred::bytes::Bytes;
use fred::types::Value;
use prost::Message;
use riposte_core::CommentId;
use riposte_core::page::Page;
use xxhash_rust::xxh3::xxh3_64;

use super::answers::{bytes, integer, list, subject, text};
use super::{value, words};
use crate::port::{Item, Lookup, PageHit, Preview};

/// The most bytes of a page that is kept: a larger one is put together each time, for every like ends it.
const LARGEST: usize = 128 << 10;

/// Everything on a page but its subject: copies of comments, as they lie under their own keys.
#[derive(Clone, PartialEq, Message)]
struct PageCopy {
    /// The root whose replies these are; empty where they are roots.
    #[prost(bytes = "bytes", tag = "1")]
    root: Bytes,
    #[prost(bool, tag = "2")]
    more_before: bool,
    #[prost(bool, tag = "3")]
    more_after: bool,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    items: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pinned: Vec<Bytes>,
    #[prost(message, repeated, tag = "6")]
    previews: Vec<PreviewCopy>,
}

#[derive(Clone, PartialEq, Message)]
struct PreviewCopy {
    #[prost(int64, tag = "1")]
    root: i64,
    #[prost(bool, tag = "2")]
    more: bool,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    replies: Vec<Bytes>,
}

/// What an answer says of a page, and the last words of the call that keeps it, where it is one to keep and was not.
pub(super) fn read(answer: &Value, root: Option<CommentId>) -> (Lookup<Option<PageHit>>, Option<[Value; 2]>) {
    let found = match list(answer) {
        [said] if text(said) == Some("absent") => return (Lookup::Hit(None), None),
        [said, row, kept] if text(said) == Some("whole") => whole(kept).map(|copy| (row, copy, None)),
        [said, row, name, parts @ ..] if text(said) == Some("hit") => PageCopy::of(parts).map(|copy| {
            let named = bytes(name).is_some_and(|name| !name.is_empty());
            let keep = (named && copy.encoded_len() <= LARGEST).then(|| [name.clone(), words::bytes(to_keep(&copy))]);
            (row, copy, keep)
        }),
        _ => None,
    };
    let page = found.and_then(|(row, copy, keep)| Some((copy.hit(row, root)?, keep)));
    page.map_or((Lookup::Miss, None), |(hit, keep)| (Lookup::Hit(Some(hit)), keep))
}

fn to_keep(copy: &PageCopy) -> Vec<u8> {
    let page = copy.encode_to_vec();
    [&xxh3_64(&page).to_be_bytes()[..], &page].concat()
}

/// `None` where it is damaged.
fn whole(kept: &Value) -> Option<PageCopy> {
    let mut page = owned(kept)?;
    if page.len() < size_of::<u64>() {
        return None;
    }
    let sum = page.split_to(size_of::<u64>());
    (sum[..] == xxh3_64(&page).to_be_bytes()).then(|| PageCopy::decode(page).ok()).flatten()
}

fn owned(value: &Value) -> Option<Bytes> {
    match value {
        Value::String(text) => Some(text.inner().clone()),
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::Boolean(_)
        | Value::Integer(_)
        | Value::Double(_)
        | Value::Null
        | Value::Queued
        | Value::Map(_)
        | Value::Array(_) => None,
    }
}

impl PageCopy {
    /// Of the parts that the function has found: root, whether there is more before and after, comments, pinned ones, previews.
    fn of(parts: &[Value]) -> Option<Self> {
        let [root, before, after, items, pinned, previews] = parts else { return None };
        let all = |values: &[Value]| values.iter().map(owned).collect::<Option<Vec<_>>>();
        let more = |value| integer(value).map(|more| more != 0);
        let preview = |value| {
            let [root, shown] = list(value) else { return None };
            let (rest, replies) = list(shown).split_first()?;
            let root = i64::from_str_radix(text(root)?, 16).ok()?;
            Some(PreviewCopy { root, more: more(rest)?, replies: all(replies)? })
        };
        Some(Self {
            root: owned(root)?,
            more_before: more(before)?,
            more_after: more(after)?,
            items: all(list(items))?,
            pinned: all(list(pinned))?,
            previews: list(previews).iter().map(preview).collect::<Option<_>>()?,
        })
    }

    /// The page, under the subject of this row. What cannot be read is a miss, never a guess.
    fn hit(&self, row: &Value, root: Option<CommentId>) -> Option<PageHit> {
        let all = |copies: &[Bytes]| copies.iter().map(|copy| value::item(copy, None)).collect::<Option<Vec<Item>>>();
        let root = match root {
            Some(id) => Some(value::item(&self.root, Some(id))?),
            None => None,
        };
        let items = Page { items: all(&self.items)?, more_before: self.more_before, more_after: self.more_after };
        let shown = self.previews.iter().map(|PreviewCopy { root, more, replies }| {
            Some((CommentId::new(*root)?, Preview { replies: all(replies)?, more: *more }))
        });
        let shown: Vec<_> = shown.collect::<Option<_>>()?;
        let previews = shown.into_iter().filter(|(_, preview)| *preview != Preview::default()).collect();
        Some(PageHit { subject: subject(row)?, root, items, pinned: all(&self.pinned)?, previews })
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Content;
    use riposte_core::subject::Metadata;

    use super::{Bytes, PageCopy, PreviewCopy, Value, to_keep, whole};
    use crate::redis::tests::comment;
    use crate::redis::value::Parts;

    #[test]
    fn a_page_comes_back_as_it_was_kept_and_a_damaged_one_does_not() {
        let content = Content::stored("楼".into(), Vec::new(), Metadata::new());
        let Parts { head, row, content } = Parts::of(&comment(7, 3), Some(&content));
        let copy = Bytes::from([head, row, content].concat());
        let page = PageCopy {
            root: Bytes::new(),
            more_before: false,
            more_after: true,
            items: vec![copy.clone()],
            pinned: Vec::new(),
            previews: vec![PreviewCopy { root: 7, more: true, replies: vec![copy] }],
        };
        let mut kept = to_keep(&page);
        let read = |bytes: &[u8]| whole(&Value::Bytes(Bytes::copy_from_slice(bytes)));
        assert_eq!(read(&kept), Some(page));
        assert_eq!(read(&kept[..7]), None);
        for at in 0..kept.len() {
            kept[at] ^= 1;
            assert_eq!(read(&kept), None, "byte {at}");
            kept[at] ^= 1;
        }
    }
}
