//! Identifies the caller of each call by its credentials.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use http::{HeaderMap, header::AUTHORIZATION};
use riposte_core::ports::{CallerGrants, Clock};
use riposte_core::{Caller, Error, Policies};
use riposte_telemetry::Metrics;

use super::TokenHash;
use super::access::{MethodAccess, required_access};
use super::callers::Callers;
use super::failure::AuthFailure;
use super::jwt::JwtVerifier;
use crate::admission::ConnectionBuffer;

/// The identity of the peer of a connection.
#[derive(Debug, Clone, Default)]
pub struct PeerIdentity {
    /// The SPIFFE id of the certificate, which was verified against the trusted authorities; `None`
    /// over plaintext or without a certificate.
    pub identity: Option<Arc<str>>,
    /// The end of the certificate's validity, in seconds since 1970. A connection may outlive it,
    /// and a resumed session is not verified again.
    pub valid_until: Option<u64>,
    /// The send buffer of the connection.
    pub buffer: Option<ConnectionBuffer>,
}

/// Authenticates calls. Clones share the callers and keys, which may be replaced while calls run.
#[derive(Debug, Clone)]
pub struct Authenticator(Arc<AuthState>);

#[derive(Debug)]
struct AuthState {
    callers: ArcSwap<Callers>,
    jwt: ArcSwapOption<JwtVerifier>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

impl Authenticator {
    /// Creates an authenticator for these callers; JWTs are accepted if there are keys for them.
    #[must_use]
    pub fn new(callers: Callers, jwt: Option<JwtVerifier>, clock: Arc<dyn Clock>, metrics: Metrics) -> Self {
        let (callers, jwt) = (ArcSwap::from_pointee(callers), ArcSwapOption::from_pointee(jwt));
        Self(Arc::new(AuthState { callers, jwt, clock, metrics }))
    }

    /// Replaces the callers.
    pub fn replace_callers(&self, callers: Callers) {
        self.0.callers.store(Arc::new(callers));
    }

    /// Returns, as text, the object types that callers were granted and that these policies do not
    /// have.
    #[must_use]
    pub fn ungranted(&self, policies: &Policies) -> Vec<String> {
        self.0.callers.load().ungranted(policies)
    }

    /// Replaces the keys.
    pub fn replace_keys(&self, jwt: JwtVerifier) {
        self.0.jwt.store(Some(Arc::new(jwt)));
    }

    /// Returns the caller of a call to this path and the requirement of the path; `None` for paths
    /// open to every client. The requirement is checked separately, because the call counts towards
    /// the caller's rate before that.
    ///
    /// A token takes precedence: a call with an unknown token is rejected, regardless of its
    /// certificate.
    ///
    /// # Errors
    /// [`Error::CallerUnknown`].
    pub(crate) fn identify(
        &self,
        path: &str,
        headers: &HeaderMap,
        peer: Option<&PeerIdentity>,
    ) -> Result<Option<(Caller, MethodAccess)>, Error> {
        let access = required_access(path);
        if access == MethodAccess::Open {
            return Ok(None);
        }
        let callers = self.0.callers.load();
        let caller = self.authenticate(&callers, headers, peer).map_err(|failure| {
            self.0.metrics.authentication_failed(failure.label());
            tracing::debug!(reason = failure.label(), path, "authentication failed");
            Error::CallerUnknown
        })?;
        Ok(Some((caller, access)))
    }

    fn authenticate(
        &self,
        callers: &Callers,
        headers: &HeaderMap,
        peer: Option<&PeerIdentity>,
    ) -> Result<Caller, AuthFailure> {
        let token = bearer(headers)?;
        if let Some(open) = &callers.open {
            return Ok(open.clone());
        }
        let Some(token) = token else {
            let identity = peer.and_then(|peer| peer.identity.as_deref()).ok_or(AuthFailure::Missing)?;
            let now = u64::try_from(self.0.clock.now().0 / 1_000).unwrap_or_default();
            if peer.and_then(|peer| peer.valid_until).is_some_and(|until| until < now) {
                return Err(AuthFailure::Certificate);
            }
            return callers.by_identity(identity).cloned().ok_or(AuthFailure::Identity);
        };
        let hash = TokenHash::of(token);
        if let Some(caller) = callers.by_token(&hash) {
            return Ok(caller.clone());
        }
        let jwt = self.0.jwt.load();
        let jwt = jwt.as_ref().filter(|_| JwtVerifier::is_jwt(token)).ok_or(AuthFailure::Token)?;
        let subject = jwt.subject(token, hash, self.0.clock.now())?;
        callers.by_subject(&subject).cloned().ok_or(AuthFailure::Subject)
    }
}

impl CallerGrants for Authenticator {
    fn present(&self, caller: &Caller) -> Option<Caller> {
        self.0.callers.load().by_name(caller.name()).cloned()
    }
}

/// Returns the bearer token of a call, if it sends one.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, AuthFailure> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(AuthFailure::Scheme);
    }
    let text = value.to_str().map_err(|_| AuthFailure::Scheme)?;
    let (scheme, token) = text.split_once(' ').ok_or(AuthFailure::Scheme)?;
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(AuthFailure::Scheme);
    }
    Ok(Some(token))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use riposte_core::Error;

    use super::{Authenticator, Callers, Metrics, PeerIdentity};
    use riposte_conformance::stores::StepClock;

    const READ: &str = "/riposte.v1.CommentService/GetComment";
    const WRITE: &str = "/riposte.v1.CommentService/CreateComment";

    fn authenticator(callers: Callers) -> Authenticator {
        Authenticator::new(callers, None, StepClock::at(StepClock::START), Metrics::new().unwrap())
    }

    fn headers(authorization: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::header::AUTHORIZATION, HeaderValue::from_str(authorization).unwrap())])
    }

    #[test]
    fn a_token_changes_nothing_if_every_caller_is_admitted() {
        let authenticator = authenticator(Callers::unrestricted());
        for headers in [HeaderMap::new(), headers("Bearer whatever")] {
            let (caller, access) = authenticator.identify(WRITE, &headers, None).unwrap().unwrap();
            assert_eq!((caller.name(), access.allows(&caller)), ("open", Ok(())));
        }
        let mut both = headers("Bearer a");
        both.append(http::header::AUTHORIZATION, HeaderValue::from_static("Bearer b"));
        for headers in [headers("Basic eA=="), headers("Bearer "), both] {
            assert_eq!(authenticator.identify(WRITE, &headers, None), Err(Error::CallerUnknown));
        }
    }

    #[test]
    fn an_expired_certificate_admits_no_caller() {
        let text = "[web]\nspiffe_ids = ['spiffe://a/b']\nroles = ['reader']\nobject_types = ['article']";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let authenticator = authenticator(Callers::read(file.path()).unwrap());
        for (valid_until, is_known) in [(Some(u64::MAX), true), (Some(1_700_000_000), false)] {
            let peer = PeerIdentity { identity: Some("spiffe://a/b".into()), valid_until, ..PeerIdentity::default() };
            let admitted = authenticator.identify(READ, &HeaderMap::new(), Some(&peer));
            assert_eq!(admitted.map(|caller| caller.is_some()).unwrap_or_default(), is_known, "{valid_until:?}");
        }
    }

    #[test]
    fn without_known_callers_only_health_is_served() {
        let authenticator = authenticator(Callers::default());
        let peer = PeerIdentity { identity: Some("spiffe://a/b".into()), ..PeerIdentity::default() };
        assert_eq!(authenticator.identify(READ, &headers("Bearer x"), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(authenticator.identify(READ, &HeaderMap::new(), Some(&peer)), Err(Error::CallerUnknown));
        assert_eq!(authenticator.identify("/grpc.health.v1.Health/Watch", &HeaderMap::new(), None), Ok(None));
        authenticator.replace_callers(Callers::unrestricted());
        assert!(authenticator.identify(READ, &HeaderMap::new(), None).is_ok());
    }
}
