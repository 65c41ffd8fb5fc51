//! The edge: gRPC in, the domain asked, gRPC out. A handler is three steps: parse, ask, answer.
//!
//! Types of the contract end here; what goes down is domain types, and what comes back as an error becomes a status in
//! `status` and nowhere else.

pub mod page_token;
pub mod rpc_error;
pub mod status;

mod admin;
mod call;
mod comments;
mod convert;
mod error_metadata;
mod likes;
mod parse;
mod replies;
mod response_cache;
mod subjects;
mod token_scope;
mod write_context;

use std::sync::Arc;

use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet, ServiceDescriptorProto};
use riposte_cache::CachedReader;
use riposte_core::Comments;
use riposte_core::ports::Clock;
use riposte_sdk::v1;
use riposte_sdk::v1::admin_service_server::{self, AdminServiceServer};
use riposte_sdk::v1::comment_service_server::{self, CommentServiceServer};
use riposte_sdk::v1::like_service_server::{self, LikeServiceServer};
use riposte_sdk::v1::reply_service_server::{self, ReplyServiceServer};
use riposte_sdk::v1::subject_service_server::{self, SubjectServiceServer};
use tokio::time::Instant;
use tonic::service::RoutesBuilder;

use page_token::{TokenContext, TokenCursor};
use parse::Violations;

use crate::admission::Admission;
use crate::audit::AuditLog;
use crate::response_cache::ResponseCache;
use crate::telemetry::Metrics;
use crate::write::watch::WatchHub;

pub use convert::ListPageRenderer;
pub use page_token::PageTokenCodec;
pub use response_cache::ResponseCacheLayer;
pub use status::{NOT_EXECUTED, REQUEST_ID, status};

/// What every handler stands on.
#[derive(Debug, Clone)]
pub struct Services {
    /// The domain.
    pub comments: Comments,
    /// The same, which reads the rows themselves and never a copy.
    pub rows: Comments,
    /// Seals and opens page tokens.
    pub tokens: Arc<PageTokenCodec>,
    /// The present, for the age of page tokens.
    pub clock: Arc<dyn Clock>,
    /// Sizes of messages.
    pub limits: MessageLimits,
    /// Who watches subjects.
    pub hub: WatchHub,
    /// The reader before the copies; `None` where none are kept.
    pub copies: Option<CachedReader>,
    /// The pages of hot subjects.
    pub pages: ResponseCache,
    /// What is measured.
    pub metrics: Metrics,
    /// Who did what.
    pub audit: AuditLog,
    /// Rooms and rates.
    pub admission: Admission,
}

/// The id of one call, in the extensions of its request: the caller's own, or made by a layer. Errors carry it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallId(pub String);

/// When a call ends by its caller's own deadline, in the extensions of its request; `None` if the caller gave none.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallerDeadline(pub Option<Instant>);

/// Sizes of messages, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct MessageLimits {
    /// A larger request is not decoded.
    pub max_request: usize,
    /// A larger answer is not sent.
    pub max_response: usize,
}

/// Routes to services over one [`Services`], each within the same limits.
macro_rules! routes {
    ($services:ident: $($server:ident($handlers:path)),+ $(,)?) => {{
        let MessageLimits { max_request, max_response } = $services.limits;
        let mut routes = RoutesBuilder::default();
        $(
            let server = $server::new($handlers($services.clone())).max_decoding_message_size(max_request);
            routes.add_service(server.max_encoding_message_size(max_response));
        )+
        routes
    }};
}

/// The names of the public services.
pub const PUBLIC: &[&str] = &[
    subject_service_server::SERVICE_NAME,
    comment_service_server::SERVICE_NAME,
    reply_service_server::SERVICE_NAME,
    like_service_server::SERVICE_NAME,
];

/// The name of the service of operators and moderators.
pub const ADMIN: &[&str] = &[admin_service_server::SERVICE_NAME];

/// The four public services.
#[must_use]
pub fn public(services: &Services) -> RoutesBuilder {
    routes!(services:
        SubjectServiceServer(subjects::SubjectHandlers),
        CommentServiceServer(comments::CommentHandlers),
        ReplyServiceServer(replies::ReplyHandlers),
        LikeServiceServer(likes::LikeHandlers),
    )
}

/// Every method of the contract, as in `riposte.v1.CommentService/CreateComment`.
#[must_use]
pub fn methods() -> Vec<String> {
    let contract = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap_or_default();
    let named = |file: &FileDescriptorProto| {
        let of = |service: &ServiceDescriptorProto| {
            let name = format!("{}.{}", file.package(), service.name());
            service.method.iter().map(move |method| format!("{name}/{}", method.name())).collect::<Vec<_>>()
        };
        file.service.iter().flat_map(of).collect::<Vec<_>>()
    };
    contract.file.iter().flat_map(named).collect()
}

/// The service of operators and moderators, for a port of its own.
#[must_use]
pub fn admin(services: &Services) -> RoutesBuilder {
    routes!(services: AdminServiceServer(admin::AdminHandlers))
}

impl Services {
    /// What answers a read: the rows for one that asks to be fresh.
    fn answering(&self, fresh: bool) -> &Comments {
        if fresh { &self.rows } else { &self.comments }
    }

    /// What an answer of a read says when the copies cannot be asked: it is whole, and cost more than usual.
    fn degraded(&self) -> Vec<v1::Degradation> {
        let away = self.copies.as_ref().is_some_and(CachedReader::is_degraded);
        let (part, reason) = (v1::DegradedPart::Cache.into(), v1::DegradedReason::Unavailable.into());
        away.then_some(v1::Degradation { part, reason }).into_iter().collect()
    }

    /// Where a walk goes on, as `pick` knows it; `None` at its start. Without a walk, which a fault elsewhere in the
    /// request leaves unknown, the token is not judged.
    fn cursor<T>(
        &self,
        v: &mut Violations,
        token: &str,
        walk: Option<&TokenContext>,
        pick: impl FnOnce(TokenCursor) -> Option<T>,
    ) -> Option<Option<T>> {
        let Some(walk) = walk else { return Some(None) };
        parse::page_token(v, ("page_token", token), |token| self.tokens.open(walk, token), pick)
    }

    /// The token for the rest of a walk; empty where nothing is left.
    fn seal(&self, walk: &TokenContext, cursor: Option<TokenCursor>) -> riposte_core::Result<String> {
        cursor.map_or_else(|| Ok(String::new()), |cursor| self.tokens.seal(walk, &cursor, self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_method_of_the_contract_is_named() {
        let methods = super::methods();
        assert!(methods.len() >= 38, "{methods:?}");
        assert!(methods.contains(&"riposte.v1.CommentService/ListComments".to_owned()), "{methods:?}");
    }
}
