//! Replacements of single parts of a server, for test programs that start a whole one.

use std::sync::Arc;

use riposte_cache::Cache;
use riposte_core::CommandLog;
use riposte_core::ports::{
    ContentPolicy, EventSubscriptions, EventTopic, FilterClient, Reader, Reports, Reviews, Standings, SubjectWatches,
};

use riposte_grpc::page_token::TokenBinding;

/// Wraps the implementation of a port.
pub type Decorator<P> = Arc<dyn Fn(Arc<P>) -> Arc<P> + Send + Sync>;

/// Replacements for parts of a server. The shipped binary replaces nothing ([`Default`]).
#[derive(Clone, Default)]
pub struct Decorators {
    /// Wraps the reader of the use cases.
    pub reader: Option<Decorator<dyn Reader>>,
    /// Wraps the command log of the use cases.
    pub log: Option<Decorator<dyn CommandLog>>,
    /// Wraps the queue of open reviews that moderators use.
    pub reviews: Option<Decorator<dyn Reviews>>,
    /// Wraps the reports of members.
    pub reports: Option<Decorator<dyn Reports>>,
    /// Wraps the watches of subjects.
    pub watches: Option<Decorator<dyn SubjectWatches>>,
    /// Wraps the subscriptions of the feed of events.
    pub events: Option<Decorator<dyn EventSubscriptions>>,
    /// Wraps the topic that receives the public events.
    pub topic: Option<Decorator<dyn EventTopic>>,
    /// Wraps the standings that writes ask.
    pub standings: Option<Decorator<dyn Standings>>,
    /// Wraps the policy of texts that writes ask.
    pub content: Option<Decorator<dyn ContentPolicy>>,
    /// Wraps the client of the filter.
    pub filter: Option<Decorator<dyn FilterClient>>,
    /// Wraps the cache, below its readers and writers.
    pub cache: Option<Decorator<dyn Cache>>,
    /// Replaces the list to which page tokens are bound.
    pub token_binding: Option<TokenBinding>,
    /// Replaces the library of Redis functions ([`riposte_cache::REDIS_LIBRARY`]).
    pub lua: Option<Arc<str>>,
}

impl std::fmt::Debug for Decorators {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decorators")
            .field("reader", &self.reader.is_some())
            .field("log", &self.log.is_some())
            .field("reviews", &self.reviews.is_some())
            .field("reports", &self.reports.is_some())
            .field("watches", &self.watches.is_some())
            .field("events", &self.events.is_some())
            .field("topic", &self.topic.is_some())
            .field("standings", &self.standings.is_some())
            .field("content", &self.content.is_some())
            .field("filter", &self.filter.is_some())
            .field("cache", &self.cache.is_some())
            .field("token_binding", &self.token_binding.is_some())
            .field("lua", &self.lua.is_some())
            .finish()
    }
}

/// Applies a decorator, if it is given.
pub(crate) fn decorate<P: ?Sized>(decorator: &Option<Decorator<P>>, inner: Arc<P>) -> Arc<P> {
    match decorator {
        Some(decorator) => decorator(inner),
        None => inner,
    }
}
