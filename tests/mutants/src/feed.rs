//! Mutants of the feed of events.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{Notice, NoticeReason};
use riposte_core::feed::{EventFilter, EventKind, EventScope, FeedEvent, FeedPosition};
use riposte_core::ports::{EventSubscription, EventSubscriptions, FeedItem, FeedTimes};
use riposte_core::{CommentId, MemberId, Result};

use crate::mutant::{Mutant, one_of};

/// The subscriptions of a process, with a mutant.
#[derive(Debug)]
pub(crate) struct MutantFeed {
    inner: Arc<dyn EventSubscriptions>,
    mutant: Mutant,
}

impl MutantFeed {
    pub(crate) fn new(inner: Arc<dyn EventSubscriptions>, mutant: Mutant) -> Self {
        Self { inner, mutant }
    }
}

#[async_trait]
impl EventSubscriptions for MutantFeed {
    async fn open(&self, filter: EventFilter, from: Option<FeedPosition>) -> Result<Box<dyn EventSubscription>> {
        let (mutant, scope) = (self.mutant, filter.scope);
        let read = if mutant == Mutant::FeedShowsHidden { EventScope::Moderation } else { scope };
        let inner = self.inner.open(EventFilter { scope: read, ..filter }, from).await?;
        Ok(Box::new(MutantSubscription { inner, mutant, scope, notices: HashMap::new() }))
    }
}

/// One subscription, with a mutant.
#[derive(Debug)]
struct MutantSubscription {
    inner: Box<dyn EventSubscription>,
    mutant: Mutant,
    /// The scope that the subscriber requested.
    scope: EventScope,
    /// The notices of the comments that were published.
    notices: HashMap<CommentId, Vec<Notice>>,
}

impl MutantSubscription {
    /// Returns the item that the subscriber receives in place of this one, if any.
    fn change(&mut self, item: FeedItem) -> Option<FeedItem> {
        match item {
            FeedItem::Event(event) => self.change_event(event).map(FeedItem::Event),
            FeedItem::Gap(_) if self.mutant == Mutant::GapUnreported => None,
            item @ (FeedItem::Gap(_) | FeedItem::Progress(_)) => Some(item),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all other mutants leave the feed as it is")]
    fn change_event(&mut self, event: Arc<FeedEvent>) -> Option<Arc<FeedEvent>> {
        let mut changed = FeedEvent::clone(&event);
        let derived = &mut changed.event;
        let is_held = derived.kind == EventKind::CommentHeld;
        match self.mutant {
            Mutant::FeedSkipsOne if one_of(50) => return None,
            Mutant::FeedShowsHidden if derived.scope > self.scope && is_held => {
                (derived.kind, derived.moderation) = (EventKind::CommentPublished, None);
            }
            Mutant::FeedShowsHidden if derived.scope > self.scope => return None,
            Mutant::NoticeBeforeApproval if is_held => {
                derived.notices = vec![Notice { member: MemberId::stored("m1".into()), reason: NoticeReason::Mention }];
            }
            Mutant::NoticeTwice if derived.kind == EventKind::CommentPublished => {
                self.notices.extend(derived.comment.map(|id| (id, derived.notices.clone())));
            }
            Mutant::NoticeTwice if derived.kind == EventKind::CommentRestored => {
                let stored = derived.comment.and_then(|id| self.notices.get(&id));
                derived.notices.extend(stored.into_iter().flatten().cloned());
            }
            _unaffected => return Some(event),
        }
        Some(Arc::new(changed))
    }
}

#[async_trait]
impl EventSubscription for MutantSubscription {
    async fn times(&self) -> Result<FeedTimes> {
        self.inner.times().await
    }

    fn position(&self) -> &FeedPosition {
        self.inner.position()
    }

    async fn next_known(&mut self) -> Result<Option<FeedItem>> {
        while let Some(item) = self.inner.next_known().await? {
            if let Some(changed) = self.change(item) {
                return Ok(Some(changed));
            }
        }
        Ok(None)
    }

    async fn next(&mut self) -> Result<FeedItem> {
        loop {
            let item = self.inner.next().await?;
            if let Some(changed) = self.change(item) {
                return Ok(changed);
            }
        }
    }
}
