//! Decodes a page that the function has built from cached data.

use fred::types::Value;
use riposte_core::CommentId;
use riposte_core::page::Page;

use super::decode::{self, bytes, integer, list, subject, text};
use crate::port::{CachedComment, CachedPage, CachedPreview, EntryLookup};

/// Returns the page of a response, and the version to which it belongs if a rendered page of it may
/// be stored.
pub(super) fn read(answer: &Value, root: Option<CommentId>) -> (EntryLookup<Option<CachedPage>>, Option<Value>) {
    let [said, row, of, parts @ ..] = list(answer) else {
        let absent = list(answer).first().and_then(text) == Some("absent");
        return (if absent { EntryLookup::Hit(None) } else { EntryLookup::Miss }, None);
    };
    let found = (text(said) == Some("hit")).then(|| hit(row, parts, root)).flatten();
    let of = bytes(of).is_some_and(|of| !of.is_empty()).then(|| of.clone());
    found.map_or((EntryLookup::Miss, None), |hit| (EntryLookup::Hit(Some(hit)), of))
}

/// Returns the page under the subject of this row, from its parts: root, flags for more comments
/// before and after, comments, pinned ones, previews. Data that cannot be decoded is a miss, never
/// a guess.
fn hit(row: &Value, parts: &[Value], root: Option<CommentId>) -> Option<CachedPage> {
    let [copy, before, after, items, pinned, previews] = parts else { return None };
    let all = |copies: &Value| {
        list(copies).iter().map(|copy| decode::item(copy, None)).collect::<Option<Vec<CachedComment>>>()
    };
    let more = |value| integer(value).map(|more| more != 0);
    let root = match root {
        Some(id) => Some(decode::item(copy, Some(id))?),
        None => None,
    };
    let items = Page { items: all(items)?, more_before: more(before)?, more_after: more(after)? };
    let shown = list(previews).iter().map(|preview| {
        let [root, shown] = list(preview) else { return None };
        let (rest, replies) = list(shown).split_first()?;
        let root = CommentId::new(i64::from_str_radix(text(root)?, 16).ok()?)?;
        let replies = replies.iter().map(|copy| decode::item(copy, None)).collect::<Option<Vec<CachedComment>>>()?;
        Some((root, CachedPreview { replies, more: more(rest)? }))
    });
    let shown: Vec<_> = shown.collect::<Option<_>>()?;
    let previews = shown.into_iter().filter(|(_, preview)| *preview != CachedPreview::default()).collect();
    Some(CachedPage { subject: subject(row)?, root, items, pinned: all(pinned)?, previews })
}
