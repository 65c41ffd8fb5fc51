//! The Rust SDK of Riposte: the types of `riposte.v1`, generated and checked in, and a thin client over them.
//! Building it needs neither protoc nor buf.
//!
//! Features: `client` (default) for callers; `server` adds the service traits, for servers and for stubs in tests.
//!
//! ```no_run
//! # async fn demo() -> Result<(), riposte_sdk::Error> {
//! use riposte_sdk::{Client, v1};
//!
//! let client = Client::from_env()?;
//! let request = v1::CreateCommentRequest {
//!     subject: Some(v1::SubjectKey { object_type: "article".into(), object_id: "42".into() }),
//!     member_id: "m7".into(),
//!     content: Some(v1::Content { text: "Hi".into(), ..Default::default() }),
//!     ..Default::default()
//! };
//! let made = client.comments().create_comment(request).await?.into_inner();
//! println!("floor {}", made.comment.unwrap_or_default().floor);
//! # Ok(())
//! # }
//! ```
//!
//! This crate must never depend on another crate of the workspace, nor hold a rule of the domain: it is what every
//! caller compiles in.

#[cfg(feature = "client")]
mod client;

#[cfg(feature = "client")]
pub use client::{Client, CommentPages, Connection, Error, Options, ReplyPages, RequestIds, Violation};

/// The contract `riposte.v1`: its messages, enums, clients and service traits.
pub mod v1 {
    #![allow(
        clippy::all,
        clippy::allow_attributes,
        clippy::clone_on_ref_ptr,
        missing_docs,
        rustdoc::all,
        unreachable_pub,
        reason = "generated code; its style is that of prost and tonic"
    )]

    include!("gen/riposte.v1.rs");
}

/// The descriptors of `riposte.v1` and of what it imports, encoded as a `google.protobuf.FileDescriptorSet`; for gRPC
/// reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/riposte.v1.descriptors.bin");
