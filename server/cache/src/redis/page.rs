//! Decodes a page that the function `page` has built from cached data.

use std::collections::BTreeMap;

use fred::types::Value;
use riposte_core::CommentId;
use riposte_core::comment::CommentView;
use riposte_core::page::{Page, ReplyPage, RootPage, Thread};

use super::decode::{self, bytes, integer, list, subject, text};
use crate::port::{CachedPage, EntryLookup};

/// Returns the page of a response. Also returns the entry's version, if the page may be stored as a
/// rendered page of that version.
pub(super) fn decode(response: &Value, root: Option<CommentId>) -> (EntryLookup<Option<CachedPage>>, Option<Value>) {
    let [outcome, row, version, parts @ ..] = list(response) else {
        let absent = list(response).first().and_then(text) == Some("absent");
        return (if absent { EntryLookup::Hit(None) } else { EntryLookup::Miss }, None);
    };
    let page = (text(outcome) == Some("hit")).then(|| decode_parts(row, parts, root)).flatten();
    let version = bytes(version).is_some_and(|version| !version.is_empty()).then(|| version.clone());
    page.map_or((EntryLookup::Miss, None), |page| (EntryLookup::Hit(Some(page)), version))
}

/// Returns the page under the subject of this row, from its parts: root, flags for more comments
/// before and after, comments, pinned ones, previews. `None` if a part cannot be decoded.
fn decode_parts(row: &Value, parts: &[Value], root: Option<CommentId>) -> Option<CachedPage> {
    let [root_value, before, after, items, pinned, previews] = parts else { return None };
    let subject = subject(row)?;
    let views = |values: &[Value]| {
        let view = |value| Some(decode::comment(value, None)?.view(&subject));
        values.iter().map(view).collect::<Option<Vec<CommentView>>>()
    };
    let more = |value| integer(value).map(|more| more != 0);
    let items = Page { items: views(list(items))?, more_before: more(before)?, more_after: more(after)? };
    if root.is_some() {
        let root = decode::comment(root_value, root)?.view(&subject);
        return Some(CachedPage::Replies(Box::new(ReplyPage { root, replies: items, subject })));
    }
    let mut by_root = BTreeMap::new();
    for preview in list(previews) {
        let [root, replies] = list(preview) else { return None };
        let (more_replies, replies) = list(replies).split_first()?;
        let root = CommentId::new(i64::from_str_radix(text(root)?, 16).ok()?)?;
        by_root.insert(root, (views(replies)?, more(more_replies)?));
    }
    let thread = |root: CommentView, preview: Option<(Vec<CommentView>, bool)>| {
        let (replies, more_replies) = preview.unwrap_or_default();
        Thread { root, replies, more_replies }
    };
    // A pinned root may also be among the other roots.
    let pinned = views(list(pinned))?.into_iter().map(|root| {
        let preview = by_root.get(&root.comment.reference.id).cloned();
        thread(root, preview)
    });
    let pinned = pinned.collect();
    let threads = items.map(|root| {
        let preview = by_root.remove(&root.comment.reference.id);
        thread(root, preview)
    });
    Some(CachedPage::Roots(Box::new(RootPage { threads, pinned, subject })))
}
