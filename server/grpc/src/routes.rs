//! The routes of the services, and the methods of the contract.

use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet, ServiceDescriptorProto};
use riposte_sdk::v1::admin_service_server::{self, AdminServiceServer};
use riposte_sdk::v1::comment_service_server::{self, CommentServiceServer};
use riposte_sdk::v1::event_service_server::{self, EventServiceServer};
use riposte_sdk::v1::like_service_server::{self, LikeServiceServer};
use riposte_sdk::v1::moderation_service_server::{self, ModerationServiceServer};
use riposte_sdk::v1::policy_service_server::{self, PolicyServiceServer};
use riposte_sdk::v1::reply_service_server::{self, ReplyServiceServer};
use riposte_sdk::v1::report_service_server::{self, ReportServiceServer};
use riposte_sdk::v1::subject_service_server::{self, SubjectServiceServer};
use tonic::service::RoutesBuilder;

use crate::context::{MessageLimits, Services};
use crate::generated::services;

/// Builds the routes to services over one [`Services`], each with the same size limits.
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
    report_service_server::SERVICE_NAME,
    event_service_server::SERVICE_NAME,
];

/// The names of the services for operators and moderators.
pub const ADMIN: &[&str] =
    &[admin_service_server::SERVICE_NAME, moderation_service_server::SERVICE_NAME, policy_service_server::SERVICE_NAME];

/// Returns the routes of the six public services.
#[must_use]
pub fn public(services: &Services) -> RoutesBuilder {
    routes!(services:
        SubjectServiceServer(services::subject::SubjectHandlers),
        CommentServiceServer(services::comment::CommentHandlers),
        ReplyServiceServer(services::reply::ReplyHandlers),
        LikeServiceServer(services::like::LikeHandlers),
        ReportServiceServer(services::report::ReportHandlers),
        EventServiceServer(services::event::EventHandlers),
    )
}

/// Returns every method of the contract, as in `riposte.v1.CommentService/CreateComment`.
#[must_use]
pub fn methods() -> Vec<String> {
    let contract = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap_or_default();
    let methods_of = |file: &FileDescriptorProto| {
        let of_service = |service: &ServiceDescriptorProto| {
            let name = format!("{}.{}", file.package(), service.name());
            service.method.iter().map(move |method| format!("{name}/{}", method.name())).collect::<Vec<_>>()
        };
        file.service.iter().flat_map(of_service).collect::<Vec<_>>()
    };
    contract.file.iter().flat_map(methods_of).collect()
}

/// Returns the files of the types that stand in the details of errors, under the names by which
/// other files import them. No method names these types.
#[must_use]
pub fn error_details() -> FileDescriptorSet {
    let mut details = FileDescriptorSet::decode(tonic_types::pb::FILE_DESCRIPTOR_SET).unwrap_or_default();
    for file in details.file.iter_mut().filter(|file| file.package() == "google.rpc") {
        let name = file.name().rsplit('/').next().unwrap_or_default().to_owned();
        file.name = Some(format!("google/rpc/{name}"));
    }
    details
}

/// Returns the routes of the services for operators and moderators, which have a port of their own.
#[must_use]
pub fn admin(services: &Services) -> RoutesBuilder {
    routes!(services:
        AdminServiceServer(services::admin::AdminHandlers),
        ModerationServiceServer(services::moderation::ModerationHandlers),
        PolicyServiceServer(services::policy::PolicyHandlers),
    )
}
