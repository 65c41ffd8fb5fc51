//! The door: every call goes through it.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use http::{HeaderMap, header::AUTHORIZATION};
use riposte_core::ports::Clock;
use riposte_core::{Caller, Error};

use super::TokenHash;
use super::access::{Access, needed};
use super::callers::Callers;
use super::jwt::Jwt;
use super::why::Why;
use crate::telemetry::Metrics;

/// Who stands at the other end of a connection, as its certificate says; nothing over plaintext or without one.
#[derive(Debug, Clone, Default)]
pub struct Peer {
    /// The SPIFFE id of the certificate, which was verified against the trusted authorities.
    pub identity: Option<Arc<str>>,
}

/// Lets calls in. Clones share what is known, which may be exchanged while calls run.
#[derive(Debug, Clone)]
pub struct Guard(Arc<Known>);

#[derive(Debug)]
struct Known {
    callers: ArcSwap<Callers>,
    jwt: ArcSwapOption<Jwt>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

impl Guard {
    /// A door that these callers pass; by JWTs too, where there are keys for them.
    #[must_use]
    pub fn new(callers: Callers, jwt: Option<Jwt>, clock: Arc<dyn Clock>, metrics: Metrics) -> Self {
        let (callers, jwt) = (ArcSwap::from_pointee(callers), ArcSwapOption::from_pointee(jwt));
        Self(Arc::new(Known { callers, jwt, clock, metrics }))
    }

    /// From now on these callers.
    pub fn exchange(&self, callers: Callers) {
        self.0.callers.store(Arc::new(callers));
    }

    /// From now on these keys.
    pub fn exchange_keys(&self, jwt: Jwt) {
        self.0.jwt.store(Some(Arc::new(jwt)));
    }

    /// Who makes a call of this path; `None` for what anybody may ask.
    ///
    /// A token that is sent is the one thing that counts: one that is not known is refused, whatever the certificate says.
    ///
    /// # Errors
    /// [`Error::CallerUnknown`]; [`Error::CallerNotAllowed`] for a known one without the role that the method needs.
    pub(crate) fn admit(&self, path: &str, headers: &HeaderMap, peer: Option<&Peer>) -> Result<Option<Caller>, Error> {
        let access = needed(path);
        if access == Access::Anybody {
            return Ok(None);
        }
        let callers = self.0.callers.load();
        let caller = match self.known(&callers, headers, peer) {
            Ok(caller) => caller,
            Err(why) => {
                self.0.metrics.caller_refused(why.label());
                tracing::debug!(why = why.label(), path, "a caller is not known");
                return Err(Error::CallerUnknown);
            }
        };
        match access {
            Access::Role(role) if !caller.has(role) => Err(Error::CallerNotAllowed),
            Access::Role(_) | Access::Known | Access::Anybody => Ok(Some(caller)),
        }
    }

    fn known(&self, callers: &Callers, headers: &HeaderMap, peer: Option<&Peer>) -> Result<Caller, Why> {
        let shown = bearer(headers)?;
        if let Some(open) = &callers.open {
            return Ok(open.clone());
        }
        let Some(token) = shown else {
            let identity = peer.and_then(|peer| peer.identity.as_deref()).ok_or(Why::Nothing)?;
            return callers.by_identity(identity).cloned().ok_or(Why::Identity);
        };
        let hash = TokenHash::of(token);
        if let Some(caller) = callers.by_token(&hash) {
            return Ok(caller.clone());
        }
        let jwt = self.0.jwt.load();
        let jwt = jwt.as_ref().filter(|_| Jwt::looks_like(token)).ok_or(Why::Token)?;
        let subject = jwt.subject(token, hash, self.0.clock.now())?;
        callers.by_subject(&subject).cloned().ok_or(Why::Subject)
    }
}

/// The token of a call, if it sends one.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Why> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| Why::Scheme)?;
    let (scheme, token) = text.split_once(' ').ok_or(Why::Scheme)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Why::Scheme);
    }
    Ok(Some(token.trim()))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use riposte_core::Error;

    use super::{Callers, Guard, Metrics, Peer};
    use crate::clock::SystemClock;

    const READ: &str = "/riposte.v1.CommentService/GetComment";
    const WRITE: &str = "/riposte.v1.CommentService/CreateComment";

    fn guard(callers: Callers) -> Guard {
        Guard::new(callers, None, std::sync::Arc::new(SystemClock), Metrics::new().unwrap())
    }

    fn sent(authorization: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::header::AUTHORIZATION, HeaderValue::from_str(authorization).unwrap())])
    }

    #[test]
    fn where_everybody_is_admitted_a_token_changes_nothing() {
        let guard = guard(Callers::everybody());
        for headers in [HeaderMap::new(), sent("Bearer whatever")] {
            assert_eq!(guard.admit(WRITE, &headers, None).unwrap().unwrap().name(), "open");
        }
        assert_eq!(guard.admit(WRITE, &sent("Basic eA=="), None), Err(Error::CallerUnknown));
    }

    #[test]
    fn where_nobody_is_known_only_health_is_told() {
        let guard = guard(Callers::default());
        let peer = Peer { identity: Some("spiffe://a/b".into()) };
        assert_eq!(guard.admit(READ, &sent("Bearer x"), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(guard.admit(READ, &HeaderMap::new(), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(guard.admit("/grpc.health.v1.Health/Watch", &HeaderMap::new(), None), Ok(None));
        guard.exchange(Callers::everybody());
        assert!(guard.admit(READ, &HeaderMap::new(), None).is_ok());
    }
}
