//! A request that the cache has served, to be repeated against the cache and against the rows.

use riposte_core::page::PageSelector;
use riposte_core::ports::Reader;
use riposte_core::{CommentId, Partition, Result, SubjectKey};

use super::{AuditedResponse, CachedReader, LoadKey};
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
    // The order of the audit. Samples whose invalidation affects only themselves come before those
    // that invalidate a whole subject.
    pub(super) const STATES: usize = 0;
    pub(super) const COMMENT: usize = 1;
    pub(super) const SUBJECT: usize = 2;
    pub(super) const PAGE: usize = 3;
    /// The number of kinds.
    pub(super) const KINDS: usize = 4;

    /// Returns whether the responses have revisions, which show the older one of two.
    pub(crate) fn has_revision(&self) -> bool {
        !matches!(self, Self::States(..))
    }

    /// Returns the partition of the events that change the response.
    pub(crate) fn partition(&self) -> Partition {
        match self {
            Self::Page(load_key) => load_key.key.partition(),
            Self::Subject(key) => key.partition(),
            Self::Comment(id) => id.partition(),
            Self::States(member, _) => member.key.partition(),
        }
    }

    /// Returns the response of the cache, if it has one.
    pub(crate) async fn cached(&self, reader: &CachedReader) -> Option<AuditedResponse> {
        let state = &reader.0;
        match self {
            Self::Page(load_key) => {
                if !state.is_rendered_correctly(load_key).await {
                    return Some(AuditedResponse::WrongRendering);
                }
                let Ok(EntryLookup::Hit(Some(hit))) = state.lookup_page(load_key).await else { return None };
                Some(match hit {
                    CachedPage::Roots(page) => AuditedResponse::roots(*page),
                    CachedPage::Replies(page) => AuditedResponse::replies(*page),
                })
            }
            Self::Subject(key) => match state.cache.subjects(std::slice::from_ref(key)).await.ok()?.pop()? {
                EntryLookup::Hit(subject) => Some(AuditedResponse::Subject(subject.map(Box::new))),
                EntryLookup::Miss => None,
            },
            Self::Comment(id) => match state.cache.comments(&[*id]).await.ok()?.pop()? {
                EntryLookup::Hit(view) => Some(AuditedResponse::comment(view)),
                EntryLookup::Miss => None,
            },
            Self::States(member, ids) => match state.cache.states(member, ids).await.ok()? {
                EntryLookup::Hit(Some(values)) => Some(AuditedResponse::States(values)),
                // The absence of a subject is the response of another kind of sample.
                EntryLookup::Hit(None) | EntryLookup::Miss => None,
            },
        }
    }

    /// Returns the response of the rows; `None` if the list does not exist.
    pub(crate) async fn rows(&self, rows: &dyn Reader) -> Result<Option<AuditedResponse>> {
        Ok(match self {
            Self::Page(LoadKey { key, root, selector, previews }) => match (root, selector) {
                (None, PageSelector::Window(window)) => {
                    rows.roots(key, *window, *previews).await?.map(AuditedResponse::roots)
                }
                (None, PageSelector::Floors(floors)) => {
                    rows.roots_at(key, floors, *previews).await?.map(AuditedResponse::roots)
                }
                (Some(root), PageSelector::Window(window)) => {
                    rows.replies(key, *root, *window).await?.map(AuditedResponse::replies)
                }
                (Some(root), PageSelector::Floors(floors)) => {
                    rows.replies_at(key, *root, floors).await?.map(AuditedResponse::replies)
                }
            },
            Self::Subject(key) => {
                let found = rows.subjects(std::slice::from_ref(key)).await?.pop().flatten();
                Some(AuditedResponse::Subject(found.map(Box::new)))
            }
            Self::Comment(id) => {
                let found = rows.comments(&[*id]).await?.pop().flatten();
                Some(AuditedResponse::comment(found))
            }
            Self::States(member, ids) => {
                Some(AuditedResponse::States(rows.like_states(&member.key, &member.member, ids).await?))
            }
        })
    }

    /// Invalidates the cached data, and returns its subject. `cached` is the response of the cache.
    pub(crate) async fn invalidate(&self, reader: &CachedReader, cached: &AuditedResponse) -> Option<SubjectKey> {
        let cache = &reader.0.cache;
        let key = match self {
            Self::States(member, _) => {
                // The beginning of an invalidation removes the cached likes. Its end allows fills.
                let (members, token) = (std::slice::from_ref(member), rand::random());
                if cache.begin_invalidation(members, token).await.is_ok() {
                    let _ = cache.end_invalidation(members, token).await;
                }
                return Some(member.key.clone());
            }
            Self::Page(load_key) => load_key.key.clone(),
            Self::Subject(key) => key.clone(),
            Self::Comment(_) => cached.subject()?,
        };
        let _ = cache.invalidate_subject(&key).await;
        Some(key)
    }
}
