//! A request that the cache has served, to be repeated against the cache and against the rows.

use riposte_core::page::PageSelector;
use riposte_core::ports::Reader;
use riposte_core::{CommentId, Partition, Result, SubjectKey};

use super::{AuditedAnswer, CachedReader, LoadKey};
use crate::port::{CachedPage, EntryLookup, SubjectMember};

/// A sampled request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuditSample {
    /// A page.
    Page(LoadKey),
    /// A subject.
    Subject(SubjectKey),
    /// A comment by its id.
    Comment(CommentId),
    /// A member's values for comments.
    States(SubjectMember, Vec<CommentId>),
}

impl AuditSample {
    // Samples whose invalidation affects only themselves come before those that invalidate a whole
    // subject.
    pub(super) const STATES: usize = 0;
    pub(super) const COMMENT: usize = 1;
    pub(super) const SUBJECT: usize = 2;
    pub(super) const PAGE: usize = 3;
    /// The number of kinds.
    pub(super) const KINDS: usize = 4;

    /// Returns whether the responses show which of two is older.
    pub(crate) fn has_revision(&self) -> bool {
        !matches!(self, Self::States(..))
    }

    /// Returns the partition of the events that change the response.
    pub(crate) fn partition(&self) -> Partition {
        match self {
            Self::Page(wanted) => wanted.key.partition(),
            Self::Subject(key) => key.partition(),
            Self::Comment(id) => id.partition(),
            Self::States(who, _) => who.key.partition(),
        }
    }

    /// Returns the response of the cache, if it has one.
    pub(crate) async fn kept(&self, reader: &CachedReader) -> Option<AuditedAnswer> {
        let parts = &reader.0;
        match self {
            Self::Page(wanted) => {
                if !parts.is_rendered_right(wanted).await {
                    return Some(AuditedAnswer::Misprint);
                }
                let Ok(EntryLookup::Hit(Some(hit))) = parts.look(wanted).await else { return None };
                Some(match hit {
                    CachedPage::Roots(page) => AuditedAnswer::Roots(page),
                    CachedPage::Replies(page) => AuditedAnswer::Replies(page),
                })
            }
            Self::Subject(key) => match parts.cache.subjects(std::slice::from_ref(key)).await.ok()?.pop()? {
                EntryLookup::Hit(subject) => Some(AuditedAnswer::Subject(subject.map(Box::new))),
                EntryLookup::Miss => None,
            },
            Self::Comment(id) => match parts.cache.comments(&[*id]).await.ok()?.pop()? {
                EntryLookup::Hit(view) => Some(AuditedAnswer::Comment(view.map(Box::new))),
                EntryLookup::Miss => None,
            },
            Self::States(who, ids) => match parts.cache.states(who, ids).await.ok()? {
                EntryLookup::Hit(Some(values)) => Some(AuditedAnswer::States(values)),
                // The absence of a subject is the response of another kind of sample.
                EntryLookup::Hit(None) | EntryLookup::Miss => None,
            },
        }
    }

    /// Returns the response of the rows; `None` if there is no such list.
    pub(crate) async fn rows(&self, rows: &dyn Reader) -> Result<Option<AuditedAnswer>> {
        Ok(match self {
            Self::Page(LoadKey { key, root, which, previews }) => match (root, which) {
                (None, PageSelector::Window(window)) => {
                    rows.roots(key, *window, *previews).await?.map(AuditedAnswer::roots)
                }
                (None, PageSelector::Floors(floors)) => {
                    rows.roots_at(key, floors, *previews).await?.map(AuditedAnswer::roots)
                }
                (Some(root), PageSelector::Window(window)) => {
                    rows.replies(key, *root, *window).await?.map(AuditedAnswer::replies)
                }
                (Some(root), PageSelector::Floors(floors)) => {
                    rows.replies_at(key, *root, floors).await?.map(AuditedAnswer::replies)
                }
            },
            Self::Subject(key) => {
                let found = rows.subjects(std::slice::from_ref(key)).await?.pop().flatten();
                Some(AuditedAnswer::Subject(found.map(Box::new)))
            }
            Self::Comment(id) => {
                let found = rows.comments(&[*id]).await?.pop().flatten();
                Some(AuditedAnswer::Comment(found.map(Box::new)))
            }
            Self::States(who, ids) => Some(AuditedAnswer::States(rows.like_states(&who.key, &who.member, ids).await?)),
        })
    }

    /// Invalidates the cached data, and returns its subject. `shown` is the response of the cache.
    pub(crate) async fn forget(&self, reader: &CachedReader, shown: &AuditedAnswer) -> Option<SubjectKey> {
        let cache = &reader.0.cache;
        let key = match self {
            Self::States(who, _) => {
                // An invalidation removes the cached likes; once ended, it leaves no trace.
                let (who, token) = (std::slice::from_ref(who), rand::random());
                if cache.begin_invalidation(who, token).await.is_ok() {
                    let _ = cache.end_invalidation(who, token).await;
                }
                return who.first().map(|who| who.key.clone());
            }
            Self::Page(wanted) => wanted.key.clone(),
            Self::Subject(key) => key.clone(),
            Self::Comment(_) => shown.subject()?,
        };
        let _ = cache.forget(&key).await;
        Some(key)
    }
}
