//! The key of a page that is loaded: a window, or the comments of given floors.

use riposte_core::page::PageSelector;
use riposte_core::{CommentId, SubjectKey};

use crate::floor_index::FloorIndex;
use crate::port::{CachedPage, CachedPageQuery, FillScope, ListName, ListPart};

/// The key under which readers share a load.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LoadKey {
    /// The subject.
    pub(crate) key: SubjectKey,
    /// The root whose replies are requested; `None` for roots.
    pub(crate) root: Option<CommentId>,
    /// The requested comments.
    pub(crate) selector: PageSelector,
    /// The maximum number of replies in the preview of each root.
    pub(crate) previews: u8,
}

impl LoadKey {
    /// Returns the fill scope of the page.
    pub(super) fn scope(&self) -> FillScope {
        let root = self.root;
        match &self.selector {
            PageSelector::Window(window) => FillScope::List(ListName { root, order: window.order }),
            PageSelector::Floors(floors) => {
                FillScope::Floors { root, first: floors.first().copied().unwrap_or_default() }
            }
        }
    }

    /// Returns the request to the cache; `None` if the ids of the floors are unknown.
    pub(super) fn query(&self, index: &FloorIndex) -> Option<CachedPageQuery> {
        let part = match &self.selector {
            PageSelector::Window(window) => ListPart::Window(*window),
            PageSelector::Floors(floors) => ListPart::Ids(index.get(&(self.key.clone(), self.root), floors)?),
        };
        Some(CachedPageQuery { key: self.key.clone(), root: self.root, part, previews: self.previews })
    }

    /// Returns a cached page without unlisted comments; `None` if its comments do not have the
    /// requested floors, as after a restore of the rows from an older backup.
    pub(super) fn verified(&self, mut page: CachedPage) -> Option<CachedPage> {
        if let PageSelector::Floors(floors) = &self.selector {
            let found = page.comments().into_iter().map(|view| &view.comment.reference);
            if !found.map(|comment| (comment.root_id, comment.floor)).eq(floors.iter().map(|floor| (self.root, *floor)))
            {
                return None;
            }
            match &mut page {
                CachedPage::Roots(page) => page.threads.items.retain(|thread| thread.root.comment.lifecycle.listed),
                CachedPage::Replies(page) => page.replies.items.retain(|reply| reply.comment.lifecycle.listed),
            }
        }
        Some(page)
    }

    /// Stores the comment ids of the floors.
    pub(super) fn record_floors(&self, index: &FloorIndex, page: &CachedPage) {
        if matches!(self.selector, PageSelector::Floors(_)) {
            let comments = page.comments().into_iter().map(|view| &view.comment.reference);
            let list = (self.key.clone(), self.root);
            index.insert(&list, comments.map(|comment| (comment.floor, comment.id)));
        }
    }
}
