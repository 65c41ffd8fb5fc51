//! A request for a page: a window, or the comments of given floors.

use riposte_core::page::PageSelector;
use riposte_core::{CommentId, SubjectKey};

use crate::floor_index::FloorIndex;
use crate::port::{CachedPage, CachedPageQuery, FillScope, ListName, ListPart};

/// The key under which readers share a load.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LoadKey {
    /// The subject.
    pub(crate) key: SubjectKey,
    /// Replies of this root; `None` for roots.
    pub(crate) root: Option<CommentId>,
    /// The requested comments.
    pub(crate) which: PageSelector,
    /// The maximum number of replies in the preview of each root.
    pub(crate) previews: u8,
}

impl LoadKey {
    /// Returns the fill scope of the page.
    pub(super) fn kind(&self) -> FillScope {
        let root = self.root;
        match &self.which {
            PageSelector::Window(window) => FillScope::List(ListName { root, order: window.order }),
            PageSelector::Floors(floors) => {
                FillScope::Picked { root, first: floors.first().copied().unwrap_or_default() }
            }
        }
    }

    /// Returns the request to the cache; `None` if the ids of the floors are unknown.
    pub(super) fn ask(&self, places: &FloorIndex) -> Option<CachedPageQuery> {
        let part = match &self.which {
            PageSelector::Window(window) => ListPart::Window(*window),
            PageSelector::Floors(floors) => ListPart::These(places.recall(&(self.key.clone(), self.root), floors)?),
        };
        Some(CachedPageQuery { key: self.key.clone(), root: self.root, part, previews: self.previews })
    }

    /// Returns the page from the cached data; `None` if the data has other floors, as after the
    /// rows were restored from an older backup.
    pub(super) fn of(&self, mut hit: CachedPage) -> Option<CachedPage> {
        if let PageSelector::Floors(floors) = &self.which {
            let found = hit.comments().into_iter().map(|view| &view.comment.reference);
            if !found.map(|of| (of.root_id, of.floor)).eq(floors.iter().map(|floor| (self.root, *floor))) {
                return None;
            }
            match &mut hit {
                CachedPage::Roots(page) => page.threads.items.retain(|thread| thread.root.comment.lifecycle.listed),
                CachedPage::Replies(page) => page.replies.items.retain(|reply| reply.comment.lifecycle.listed),
            }
        }
        Some(hit)
    }

    /// Stores the comment ids of the floors.
    pub(super) fn note(&self, places: &FloorIndex, hit: &CachedPage) {
        if matches!(self.which, PageSelector::Floors(_)) {
            let read = hit.comments().into_iter().map(|view| &view.comment.reference);
            places.remember(&(self.key.clone(), self.root), read.map(|of| (of.floor, of.id)));
        }
    }
}
