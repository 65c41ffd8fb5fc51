//! The components that every handler uses.

use std::sync::Arc;

use riposte_core::ports::{CachedPages, CallerGrants, Clock, EventSubscriptions, SubjectWatches};
use riposte_core::read::{PolicyEvaluations, ReviewQueue, TextChecks};
use riposte_core::{Caller, Comments, Maintenance, MemberReports, ModerationControl, Mutations, StandingControl};
use riposte_sdk::v1;
use riposte_telemetry::Metrics;
use tokio::sync::{Semaphore, watch};

use crate::admission::Admission;
use crate::audit::AuditLog;
use crate::convert::ModeratorConverter;
use crate::page_token::{PageTokenCodec, TokenContext, TokenCursor};
use crate::parse::{self, Violations};
use crate::response_cache::ResponseCache;

/// The components that every handler uses.
#[derive(Debug, Clone)]
pub struct Services {
    /// The use cases that read.
    pub comments: Comments,
    /// The use cases that read, with a reader of the primary, which never uses the cache.
    pub primary: Comments,
    /// The use cases of moderators.
    pub reviews: ReviewQueue,
    /// The use cases of members about moderation.
    pub reports: MemberReports,
    /// The standings of members.
    pub standings: StandingControl,
    /// Tries the policy on texts.
    pub texts: TextChecks,
    /// Tries policies on stored comments.
    pub evaluations: Evaluations,
    /// The use cases that write.
    pub mutations: Mutations,
    /// Turns moderation off and on.
    pub moderation: ModerationControl,
    /// The maintenance of counts and derived rows.
    pub maintenance: Maintenance,
    /// Seals and opens page tokens.
    pub tokens: Arc<PageTokenCodec>,
    /// The clock, for the age of page tokens.
    pub clock: Arc<dyn Clock>,
    /// The size limits of messages.
    pub limits: MessageLimits,
    /// The subscriptions to events.
    pub events: Arc<dyn EventSubscriptions>,
    /// Has the present grants of callers.
    pub callers: Arc<dyn CallerGrants>,
    /// The watches of subjects.
    pub watches: Arc<dyn SubjectWatches>,
    /// The cached pages; `None` without a cache.
    pub cached_pages: Option<Arc<dyn CachedPages>>,
    /// The response cache for pages of hot subjects.
    pub response_cache: ResponseCache,
    /// The metrics.
    pub metrics: Metrics,
    /// The audit log.
    pub audit: AuditLog,
    /// Admission pools and rate limits.
    pub admission: Admission,
    /// True once streams without an end of their own have to end, because the process stops.
    pub stopping: watch::Sender<bool>,
}

/// The evaluations of policies. One of the process runs at a time.
#[derive(Debug, Clone)]
pub struct Evaluations {
    pub(crate) prepared: PolicyEvaluations,
    pub(crate) running: Arc<Semaphore>,
}

impl Evaluations {
    /// Creates them from what prepares each.
    #[must_use]
    pub fn new(prepared: PolicyEvaluations) -> Self {
        Self { prepared, running: Arc::new(Semaphore::new(1)) }
    }
}

/// The size limits of messages, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct MessageLimits {
    /// The largest request; a larger one is not decoded.
    pub max_request: usize,
    /// The largest response; a larger one is not sent.
    pub max_response: usize,
}

impl Services {
    /// Waits until long streams have to end, because the process stops.
    pub(crate) async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as these services.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }

    /// Returns the use cases for a read: those over the primary if the request sets `fresh`.
    pub(crate) fn reads(&self, fresh: bool) -> &Comments {
        if fresh { &self.primary } else { &self.comments }
    }

    /// Returns the degradations that a response reports. While the cache is unavailable, a response
    /// is complete but costs more than usual.
    pub(crate) fn degraded(&self) -> Vec<v1::Degradation> {
        let is_degraded = self.cached_pages.as_ref().is_some_and(|cache| cache.is_degraded());
        let (part, reason) = (v1::DegradedPart::Cache.into(), v1::DegradedReason::Unavailable.into());
        is_degraded.then_some(v1::Degradation { part, reason }).into_iter().collect()
    }

    /// Returns the cursor of a page token, converted by `convert`; `Some(None)` at the start of a
    /// list. `context` is `None` if another violation of the request leaves the scope of the token
    /// unknown; then the token is not checked.
    pub(crate) fn cursor<T>(
        &self,
        v: &mut Violations,
        token: &str,
        context: Option<&TokenContext>,
        convert: impl FnOnce(TokenCursor) -> Option<T>,
    ) -> Option<Option<T>> {
        let Some(context) = context else { return Some(None) };
        parse::page_token(v, ("page_token", token), |token| self.tokens.open(context, token), convert)
    }

    /// Returns the conversion of what moderators read.
    pub(crate) fn for_moderators<'s>(&'s self, caller: &'s Caller) -> ModeratorConverter<'s> {
        ModeratorConverter { comments: &self.comments, tokens: &self.tokens, caller }
    }

    /// Returns the token that continues a list; empty at its end.
    pub(crate) fn seal(&self, context: &TokenContext, cursor: Option<TokenCursor>) -> riposte_core::Result<String> {
        cursor.map_or_else(|| Ok(String::new()), |cursor| self.tokens.seal(context, &cursor, self.clock.now()))
    }
}
