//! A page as it is wanted: a window, or the comments of some floors.

use riposte_core::page::PageSelector;
use riposte_core::{CommentId, SubjectKey};

use crate::floor_index::FloorIndex;
use crate::port::{CachedPage, CachedPageQuery, FillScope, ListName, ListPart};

/// What readers share a look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LoadKey {
    /// Under which subject.
    pub(crate) key: SubjectKey,
    /// Replies of this root; `None` for roots.
    pub(crate) root: Option<CommentId>,
    /// Which of them.
    pub(crate) which: PageSelector,
    /// The most replies in the preview of each root.
    pub(crate) previews: u8,
}

impl LoadKey {
    /// What a process that fills it does alone.
    pub(super) fn kind(&self) -> FillScope {
        let root = self.root;
        match &self.which {
            PageSelector::Window(window) => FillScope::List(ListName { root, order: window.order }),
            PageSelector::Floors(floors) => {
                FillScope::Picked { root, first: floors.first().copied().unwrap_or_default() }
            }
        }
    }

    /// How copies are asked for it; `None` where it is not known which comments have these floors.
    pub(super) fn ask(&self, places: &FloorIndex) -> Option<CachedPageQuery> {
        let part = match &self.which {
            PageSelector::Window(window) => ListPart::Window(*window),
            PageSelector::Floors(floors) => ListPart::These(places.recall(&(self.key.clone(), self.root), floors)?),
        };
        Some(CachedPageQuery { key: self.key.clone(), root: self.root, part, previews: self.previews })
    }

    /// What copies show of it; `None` where they are of other floors, as after the rows were restored from a copy of
    /// other days.
    pub(super) fn of(&self, mut hit: CachedPage) -> Option<CachedPage> {
        if let PageSelector::Floors(floors) = &self.which {
            let found = hit.items.items.iter().map(|item| (item.comment.root_id, item.comment.floor));
            if !found.eq(floors.iter().map(|floor| (self.root, *floor))) {
                return None;
            }
            hit.items.items.retain(|item| item.comment.listed);
        }
        Some(hit)
    }

    /// Notes which comments have which floors.
    pub(super) fn note(&self, places: &FloorIndex, hit: &CachedPage) {
        if matches!(self.which, PageSelector::Floors(_)) {
            let read = hit.items.items.iter().map(|item| (item.comment.floor, item.comment.id));
            places.remember(&(self.key.clone(), self.root), read);
        }
    }
}
