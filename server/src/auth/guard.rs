//! The door: every call goes through it.

use std::sync::Arc;

use arc_swap::ArcSwap;
use http::{HeaderMap, header::AUTHORIZATION};
use riposte_core::{Caller, Error};

use super::access::{Access, needed};
use super::callers::Callers;

/// Who stands at the other end of a connection, as its certificate says; nothing over plaintext or without one.
#[derive(Debug, Clone, Default)]
pub struct Peer {
    /// The SPIFFE id of the certificate, which was verified against the trusted authorities.
    pub identity: Option<Arc<str>>,
}

/// Lets calls in. Clones share what is known, which may be exchanged while calls run.
#[derive(Debug, Clone)]
pub struct Guard(Arc<ArcSwap<Callers>>);

impl Guard {
    /// A door that these callers pass.
    #[must_use]
    pub fn new(callers: Callers) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(callers)))
    }

    /// From now on these.
    pub fn exchange(&self, callers: Callers) {
        self.0.store(Arc::new(callers));
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
        let callers = self.0.load();
        let named = match bearer(headers)? {
            Some(token) => callers.by_token(token),
            None => peer.and_then(|peer| peer.identity.as_deref()).and_then(|identity| callers.by_identity(identity)),
        };
        let caller = named.or(callers.open.as_ref()).ok_or(Error::CallerUnknown)?;
        match access {
            Access::Role(role) if !caller.has(role) => Err(Error::CallerNotAllowed),
            Access::Role(_) | Access::Known | Access::Anybody => Ok(Some(caller.clone())),
        }
    }
}

/// The token of a call, if it sends one.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Error> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| Error::CallerUnknown)?;
    let (scheme, token) = text.split_once(' ').ok_or(Error::CallerUnknown)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Error::CallerUnknown);
    }
    Ok(Some(token.trim()))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use riposte_core::Error;

    use super::{Callers, Guard, Peer};

    const READ: &str = "/riposte.v1.CommentService/GetComment";
    const WRITE: &str = "/riposte.v1.CommentService/CreateComment";

    fn sent(authorization: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::header::AUTHORIZATION, HeaderValue::from_str(authorization).unwrap())])
    }

    #[test]
    fn where_everybody_is_admitted_a_token_changes_nothing() {
        let guard = Guard::new(Callers::everybody());
        for headers in [HeaderMap::new(), sent("Bearer whatever")] {
            assert_eq!(guard.admit(WRITE, &headers, None).unwrap().unwrap().name(), "open");
        }
        assert_eq!(guard.admit(WRITE, &sent("Basic eA=="), None), Err(Error::CallerUnknown));
    }

    #[test]
    fn where_nobody_is_known_only_health_is_told() {
        let guard = Guard::new(Callers::default());
        let peer = Peer { identity: Some("spiffe://a/b".into()) };
        assert_eq!(guard.admit(READ, &sent("Bearer x"), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(guard.admit(READ, &HeaderMap::new(), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(guard.admit("/grpc.health.v1.Health/Watch", &HeaderMap::new(), None), Ok(None));
        guard.exchange(Callers::everybody());
        assert!(guard.admit(READ, &HeaderMap::new(), None).is_ok());
    }
}
