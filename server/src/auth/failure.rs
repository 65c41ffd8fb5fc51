//! Why nobody is known by what a call shows. Callers are told CALLER_UNKNOWN alone: whoever guesses learns nothing from
//! the answer. Operators see the reason in a metric, and in the log at `debug`, never with what was shown.

/// What was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuthFailure {
    /// Neither a token nor a certificate.
    Nothing,
    /// `authorization` that is no `Bearer …`.
    Scheme,
    /// A token that is no JWT, or one where no keys for JWTs are configured, and whose hash nobody has.
    Token,
    /// A certificate whose identity nobody has.
    Identity,
    /// A certificate whose time is over.
    Certificate,
    /// A JWT that cannot be read, or of another kind.
    Malformed,
    /// A JWT that names no key, or one that is not in the key set.
    Key,
    /// Another algorithm than its key's.
    Algorithm,
    /// A signature that is not of its key.
    Signature,
    /// A claim that is missing, or of another type than it must be.
    Claim,
    /// Another issuer.
    Issuer,
    /// Meant for others.
    Audience,
    /// Its time is over.
    Expired,
    /// Its time has not begun.
    Early,
    /// All of it holds, and its subject is nobody's.
    Subject,
}

impl AuthFailure {
    /// The label of the metric.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Scheme => "scheme",
            Self::Token => "token",
            Self::Identity => "identity",
            Self::Certificate => "certificate_expired",
            Self::Malformed => "jwt_malformed",
            Self::Key => "jwt_key",
            Self::Algorithm => "jwt_algorithm",
            Self::Signature => "jwt_signature",
            Self::Claim => "jwt_claim",
            Self::Issuer => "jwt_issuer",
            Self::Audience => "jwt_audience",
            Self::Expired => "jwt_expired",
            Self::Early => "jwt_early",
            Self::Subject => "jwt_subject",
        }
    }
}
