//! Decodes a page that the function has built from cached data.

use std::collections::BTreeMap;

use fred::types::Value;
use riposte_core::CommentId;
use riposte_core::comment::CommentView;
use riposte_core::page::{Page, ReplyPage, RootPage, Thread};

use super::decode::{self, bytes, integer, list, subject, text};
use crate::port::{CachedPage, EntryLookup};

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
    let subject = subject(row)?;
    let all = |copies: &[Value]| {
        copies.iter().map(|copy| Some(decode::item(copy, None)?.view(&subject))).collect::<Option<Vec<CommentView>>>()
    };
    let more = |value| integer(value).map(|more| more != 0);
    let items = Page { items: all(list(items))?, more_before: more(before)?, more_after: more(after)? };
    if root.is_some() {
        let root = decode::item(copy, root)?.view(&subject);
        return Some(CachedPage::Replies(Box::new(ReplyPage { root, replies: items, subject })));
    }
    let mut shown = BTreeMap::new();
    for preview in list(previews) {
        let [root, replies] = list(preview) else { return None };
        let (rest, replies) = list(replies).split_first()?;
        let root = CommentId::new(i64::from_str_radix(text(root)?, 16).ok()?)?;
        shown.insert(root, (all(replies)?, more(rest)?));
    }
    let thread = |root: CommentView, preview: Option<(Vec<CommentView>, bool)>| {
        let (replies, more_replies) = preview.unwrap_or_default();
        Thread { root, replies, more_replies }
    };
    // A pinned root may also be among the other roots.
    let pinned = all(list(pinned))?.into_iter().map(|root| {
        let preview = shown.get(&root.comment.reference.id).cloned();
        thread(root, preview)
    });
    let pinned = pinned.collect();
    let threads = items.map(|root| {
        let preview = shown.remove(&root.comment.reference.id);
        thread(root, preview)
    });
    Some(CachedPage::Roots(Box::new(RootPage { threads, pinned, subject })))
}
