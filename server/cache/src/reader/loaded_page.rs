//! Pages that were read from the rows, and their conversion into cache fills.

use riposte_core::CommentId;
use riposte_core::comment::CommentView;
use riposte_core::page::{
    ListOrder, MAX_PAGE, Page, PageQuery, PageSelector, PageStart, PreviewCandidates, ReplyPage, RootPageFill,
};

use super::LoadKey;
use crate::port::{CacheFill, CachedCandidates, CachedComment, CachedPage, ListName, ListRange, RelayCursor};

/// The number of pages that a miss reads at once.
const PAGES_PER_MISS: usize = 3;

/// Returns the comments to read when a page is not cached. A page that goes forward is extended by
/// the following pages, within the limit of one read, and by one more comment: the cache can report
/// that more comments follow only if it contains the next one. Selected floors are not extended,
/// because the floors after them are not known here.
pub(super) fn with_read_ahead(selector: &PageSelector) -> PageSelector {
    match selector {
        PageSelector::Window(window) if matches!(window.start, PageStart::Beginning | PageStart::After(_)) => {
            let limit = (PAGES_PER_MISS * window.limit).min(window.limit.max(MAX_PAGE)) + 1;
            PageSelector::Window(PageQuery { limit, ..*window })
        }
        PageSelector::Window(_) | PageSelector::Floors(_) => selector.clone(),
    }
}

/// A page as read from the rows, and the candidates for its previews.
pub(super) struct LoadedPage {
    page: CachedPage,
    candidates: Vec<PreviewCandidates>,
    /// The sequence number up to which the rank index had applied the events when the candidates
    /// were read.
    rank_position: RelayCursor,
}

impl LoadedPage {
    pub(super) fn roots(read: RootPageFill) -> Self {
        let RootPageFill { page, candidates, rank_position } = read;
        let rank_position = RelayCursor(rank_position);
        Self { page: CachedPage::Roots(Box::new(page)), candidates, rank_position }
    }

    pub(super) fn replies(page: ReplyPage) -> Self {
        Self { page: CachedPage::Replies(Box::new(page)), candidates: Vec::new(), rank_position: RelayCursor(0) }
    }

    /// Returns the data to cache under a lease that was granted at the relay position `granted_at`.
    /// If the rank index was behind that position, the candidates are left out: the relay has
    /// reported the changes that the rank index lacked, and may not report them again.
    pub(super) fn fill(&self, load_key: &LoadKey, granted_at: RelayCursor) -> CacheFill {
        let (subject, more_after, outside_list): (_, _, Vec<&CommentView>) = match &self.page {
            CachedPage::Roots(page) => {
                (&page.subject, page.threads.more_after, page.pinned.iter().map(|thread| &thread.root).collect())
            }
            CachedPage::Replies(page) => (&page.subject, page.replies.more_after, vec![&page.root]),
        };
        let comments = self.page.comments();
        let mut fill = CacheFill {
            subject: Some(subject.clone()),
            lists: list_range(load_key, &comments, more_after).into_iter().collect(),
            items: comments.into_iter().chain(outside_list).map(CachedComment::of).collect(),
            ..CacheFill::default()
        };
        let candidates = if granted_at <= self.rank_position { &self.candidates[..] } else { &[] };
        for PreviewCandidates { root, replies, high, place: last } in candidates {
            let (members, bound) = (replies.iter().map(list_member).collect(), last.unwrap_or((0, 0)));
            fill.candidates.push(CachedCandidates { root: *root, members, high: *high, bound });
            fill.items.extend(replies.iter().map(CachedComment::of));
        }
        fill
    }

    /// Returns the requested page, without the comments that were read beyond its limit.
    pub(super) fn requested(self, load_key: &LoadKey) -> CachedPage {
        let mut page = self.page;
        if let PageSelector::Window(PageQuery { limit, .. }) = load_key.selector {
            match &mut page {
                CachedPage::Roots(page) => truncate(&mut page.threads, limit),
                CachedPage::Replies(page) => truncate(&mut page.replies, limit),
            }
        }
        page
    }
}

fn truncate<T>(page: &mut Page<T>, limit: usize) {
    if page.items.len() > limit {
        page.items.truncate(limit);
        page.more_after = true;
    }
}

fn list_member(view: &CommentView) -> (i32, CommentId) {
    (view.comment.reference.floor, view.comment.reference.id)
}

/// Returns the range of floors that a page covers, with its comments. `None` for selected floors
/// and for pages before or around a floor, which are not cached as ranges.
fn list_range(load_key: &LoadKey, comments: &[&CommentView], more_after: bool) -> Option<ListRange> {
    let PageSelector::Window(window) = &load_key.selector else { return None };
    let from = match window.start {
        PageStart::Beginning => None,
        PageStart::After(floor) => Some(floor),
        PageStart::Before(_) | PageStart::Around(_) => return None,
    };
    let members: Vec<(i32, CommentId)> = comments.iter().map(|view| list_member(view)).collect();
    let last = members.last().map(|(floor, _)| *floor).filter(|_| more_after);
    let (low, high) = match window.order {
        ListOrder::Oldest => (from.map_or(0, |floor| floor.saturating_add(1)), last.unwrap_or(i32::MAX)),
        ListOrder::Newest => (last.unwrap_or(0), from.map_or(i32::MAX, |floor| floor.saturating_sub(1))),
    };
    let name = ListName { root: load_key.root, order: window.order };
    Some(ListRange { name, low, high, members })
}
