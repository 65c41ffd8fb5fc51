//! The tokens of the feed: positions of one caller and filter. Subscribe and ListEvents read the
//! same events, so a token is not bound to a method.

use riposte_core::feed::{EventFilter, EventScope, FeedPosition};
use riposte_core::{Caller, Error, ObjectType, Result};

use crate::Services;
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::{self, Violations};

/// The caller and the filter to which tokens are bound.
#[derive(Debug)]
pub(crate) struct EventToken {
    context: TokenContext,
    filter: EventFilter,
}

impl EventToken {
    /// Creates the context of the tokens of a caller and a filter.
    pub(crate) fn new(caller: &Caller, filter: &EventFilter) -> Self {
        let EventFilter { object_types, kinds, scope } = filter;
        let types: Vec<&str> = object_types.iter().map(ObjectType::as_str).collect();
        let kinds: Vec<String> = kinds.iter().map(|kind| kind.number().to_string()).collect();
        let context = TokenContext::new(caller, "events").argument(scope_name(*scope));
        let context = context.argument(kinds.join(",")).argument(types.join(","));
        Self { context, filter: filter.clone() }
    }

    /// Returns the position of a token; `Some(None)` without one. `this` is `None` if the filter is
    /// invalid; then the token is not checked.
    pub(crate) fn open(
        this: Option<&Self>,
        services: &Services,
        v: &mut Violations,
        token: &str,
    ) -> Option<Option<FeedPosition>> {
        let Some(Self { context, .. }) = this else { return Some(None) };
        let position = |cursor| if let TokenCursor::Events(position) = cursor { Some(position) } else { None };
        parse::page_token(v, ("token", token), |token| services.tokens.open(context, token), position)
    }

    /// Returns the token of a position.
    pub(crate) fn seal(&self, services: &Services, position: &FeedPosition) -> Result<String> {
        services.seal(&self.context, Some(TokenCursor::Events(position.clone())))
    }

    /// Checks that the caller may still receive these events: its grants may have changed since
    /// the call began.
    pub(crate) fn check_grants(&self, services: &Services, caller: &Caller) -> Result<()> {
        let caller = services.callers.present(caller).ok_or(Error::CallerNotAllowed)?;
        self.filter.check(&caller)
    }
}

/// The name of a scope in tokens. It never changes.
fn scope_name(scope: EventScope) -> &'static str {
    match scope {
        EventScope::Public => "public",
        EventScope::Moderation => "moderation",
    }
}
