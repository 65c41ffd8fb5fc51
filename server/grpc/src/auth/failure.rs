//! The reason why a call is not authenticated. Clients receive CALLER_UNKNOWN only, so that an
//! attacker learns nothing from the response. Operators see the reason in a metric, and in the log
//! at `debug`, never with the credentials.

/// The fault in the credentials of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuthFailure {
    /// Neither a token nor a certificate.
    Missing,
    /// An `authorization` header other than `Bearer …`.
    Scheme,
    /// A token that is not a JWT, or one without configured keys for JWTs, and whose hash belongs
    /// to no caller.
    Token,
    /// A certificate whose identity belongs to no caller.
    Identity,
    /// A certificate that has expired.
    Certificate,
    /// A JWT that cannot be parsed, or of another type.
    Malformed,
    /// A JWT without a key id, or with one that is not in the key set.
    Key,
    /// An algorithm other than that of the key.
    Algorithm,
    /// A signature by another key.
    Signature,
    /// A claim that is missing, or has the wrong type.
    Claim,
    /// Another issuer.
    Issuer,
    /// Another audience.
    Audience,
    /// A JWT that has expired.
    Expired,
    /// A JWT that is not valid yet.
    NotYetValid,
    /// A valid JWT whose subject belongs to no caller.
    Subject,
}

impl AuthFailure {
    /// Returns the label of the metric.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Missing => "missing",
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
            Self::NotYetValid => "jwt_not_yet_valid",
            Self::Subject => "jwt_subject",
        }
    }
}
