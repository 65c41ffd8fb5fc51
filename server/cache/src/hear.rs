//! From a commit to its copies: absolute values, told behind the commit and before its answer.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::Witness;
use riposte_core::world::{Changed, ChangedComment};

use crate::owed::Owed;
use crate::port::{Cache, Change, Likes, ListChange, Patch};
use crate::tally::{Tally, Told};

/// Hears what is committed and brings it to the copies. What does not reach them in their time is told by the relay.
#[derive(Debug)]
pub struct Hearer {
    cache: Arc<dyn Cache>,
    owed: Owed,
    tally: Tally,
}

impl Hearer {
    /// Brings changes to `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, owed: Owed, tally: Tally) -> Self {
        Self { cache, owed, tally }
    }
}

#[async_trait]
impl Witness for Hearer {
    async fn committed(&self, changed: Vec<Changed>) {
        let (revised, liked): (Vec<_>, Vec<_>) = changed.into_iter().partition(|changed| changed.revised);
        let changes: Vec<Change> = revised.into_iter().map(change).collect();
        let likes: Vec<Likes> =
            liked.iter().flat_map(|changed| &changed.comments).map(|changed| Likes::of(&changed.comment)).collect();
        let applied = if changes.is_empty() { Ok(()) } else { self.cache.apply(&changes).await };
        let moved = if likes.is_empty() { Ok(()) } else { self.cache.like(&likes).await };
        if applied.and(moved).is_err() {
            let partitions = changes.iter().map(|change| change.subject.key.partition());
            self.owed.owe(partitions.chain(likes.iter().map(|likes| likes.id.partition())));
            self.tally.one(Told::Unheard);
        }
    }
}

fn change(changed: Changed) -> Change {
    let Changed { subject, created, comments, .. } = changed;
    let mut lists: Vec<ListChange> = Vec::new();
    for ChangedComment { comment, was_listed, .. } in &comments {
        if comment.listed == *was_listed {
            continue;
        }
        let root = comment.root_id;
        let place = lists.iter().position(|list| list.root == root).unwrap_or_else(|| {
            lists.push(ListChange { root, came: Vec::new(), went: Vec::new() });
            lists.len() - 1
        });
        if comment.listed {
            lists[place].came.push((comment.floor, comment.id));
        } else {
            lists[place].went.push(comment.floor);
        }
    }
    let patch = |ChangedComment { comment, content, .. }| Patch { comment, content };
    Change { subject, created, lists, patches: comments.into_iter().map(patch).collect() }
}
