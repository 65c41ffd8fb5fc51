//! An answer that copies gave, to be given again by them and by the rows.

use riposte_core::page::Which;
use riposte_core::ports::Reader;
use riposte_core::{CommentId, Partition, Result, SubjectKey};

use super::{CachedReader, Shown, Wanted, parts};
use crate::port::{Lookup, Member};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sample {
    /// A page.
    Page(Wanted),
    /// A subject.
    Subject(SubjectKey),
    /// A comment by its id.
    Comment(CommentId),
    /// What a member says of comments.
    States(Member, Vec<CommentId>),
}

impl Sample {
    // What is forgotten alone is looked at before what takes the copies of a whole subject with it.
    pub(super) const STATES: usize = 0;
    pub(super) const COMMENT: usize = 1;
    pub(super) const SUBJECT: usize = 2;
    pub(super) const PAGE: usize = 3;
    /// How many kinds there are.
    pub(super) const KINDS: usize = 4;

    /// Whether answers to it tell which of two is older.
    pub(crate) fn has_revision(&self) -> bool {
        !matches!(self, Self::States(..))
    }

    /// Where its events are.
    pub(crate) fn partition(&self) -> Partition {
        match self {
            Self::Page(wanted) => wanted.key.partition(),
            Self::Subject(key) => key.partition(),
            Self::Comment(id) => id.partition(),
            Self::States(who, _) => who.key.partition(),
        }
    }

    /// What copies show of it, if they know it.
    pub(crate) async fn kept(&self, reader: &CachedReader) -> Option<Shown> {
        let parts = &reader.0;
        match self {
            Self::Page(wanted) => {
                if !parts.is_printed_right(wanted).await {
                    return Some(Shown::Misprint);
                }
                let Ok(Lookup::Hit(Some(hit))) = parts.look(wanted).await else { return None };
                Some(match wanted.root {
                    None => Shown::roots(parts::roots(hit.into())),
                    Some(_) => Shown::replies(parts::replies(hit.into())?),
                })
            }
            Self::Subject(key) => match parts.cache.subjects(std::slice::from_ref(key)).await.ok()?.pop()? {
                Lookup::Hit(subject) => Some(Shown::Subject(subject.map(Box::new))),
                Lookup::Miss => None,
            },
            Self::Comment(id) => match parts.cache.comments(&[*id]).await.ok()?.pop()? {
                Lookup::Hit(view) => Some(Shown::Comment(view.map(Box::new))),
                Lookup::Miss => None,
            },
            Self::States(who, ids) => match parts.cache.states(who, ids).await.ok()? {
                Lookup::Hit(Some(values)) => Some(Shown::States(values)),
                // A subject that is gone is another kind's answer.
                Lookup::Hit(None) | Lookup::Miss => None,
            },
        }
    }

    /// What the rows show of it; `None` where there is no such list.
    pub(crate) async fn rows(&self, rows: &dyn Reader) -> Result<Option<Shown>> {
        Ok(match self {
            Self::Page(Wanted { key, root, which, previews }) => match (root, which) {
                (None, Which::Window(window)) => rows.roots(key, *window, *previews).await?.map(Shown::roots),
                (None, Which::Floors(floors)) => rows.roots_at(key, floors, *previews).await?.map(Shown::roots),
                (Some(root), Which::Window(window)) => rows.replies(key, *root, *window).await?.map(Shown::replies),
                (Some(root), Which::Floors(floors)) => rows.replies_at(key, *root, floors).await?.map(Shown::replies),
            },
            Self::Subject(key) => {
                let found = rows.subjects(std::slice::from_ref(key)).await?.pop().flatten();
                Some(Shown::Subject(found.map(Box::new)))
            }
            Self::Comment(id) => {
                let found = rows.comments(&[*id]).await?.pop().flatten();
                Some(Shown::Comment(found.map(Box::new)))
            }
            Self::States(who, ids) => Some(Shown::States(rows.like_states(&who.key, &who.member, ids).await?)),
        })
    }

    /// Makes copies forget it, and says whose they were; `shown` is what they showed.
    pub(crate) async fn forget(&self, reader: &CachedReader, shown: &Shown) -> Option<SubjectKey> {
        let cache = &reader.0.cache;
        let key = match self {
            Self::States(who, _) => {
                // A doubt takes away what is kept; settled, it leaves nothing behind.
                let (who, token) = (std::slice::from_ref(who), rand::random());
                if cache.doubt(who, token).await.is_ok() {
                    let _ = cache.settle(who, token).await;
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
