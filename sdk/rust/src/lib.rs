//! The Rust SDK of Riposte: the types of `riposte.v1`, generated and checked in, and a thin client
//! over them. Building it needs neither protoc nor buf.
//!
//! Features: `client` (default) for callers; `blocking` adds a client for programs without an async
//! runtime; `json` adds a writer of messages as JSON; `server` adds the service traits, for servers
//! and for stubs in tests; `dev-server` starts a real server for a test; `filter` and `account` add
//! the contracts of the services that the platform calls.
//!
//! ```no_run
//! # async fn demo() -> Result<(), riposte_sdk::Error> {
//! use riposte_sdk::Client;
//! use riposte_sdk::v1::CommentSort::Hot;
//!
//! let client = Client::from_env()?;
//! let subject = client.subject("article", "42");
//! let comment = subject.comment("m7", "Hi").await?;
//! comment.like("m9").await?;
//! let mut all = subject.comments(Hot)?.items();
//! while let Some(thread) = all.next().await? {
//!     println!("{}", thread.comment.content.clone().unwrap_or_default().text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This crate must never depend on another crate of the workspace, nor contain a rule of the
//! domain: every caller compiles it in.

#[cfg(feature = "blocking")]
mod blocking_client;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "dev-server")]
mod dev;
#[cfg(feature = "client")]
#[expect(clippy::needless_update, reason = "generated code, which leaves open how many fields a message has")]
#[path = "gen/handles.rs"]
mod handles;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "client")]
#[path = "gen/services.rs"]
mod services;

#[cfg(feature = "client")]
pub use client::{
    Client, Connection, Dns, Error, Follow, Items, List, Listener, Options, Pages, RequestIds, Resolve, Violation,
    Watch, is_unprocessed,
};
#[cfg(feature = "dev-server")]
pub use dev::{DevServer, Starter};
#[cfg(feature = "blocking")]
pub use handles::blocking;
#[cfg(feature = "client")]
pub use handles::*;
#[cfg(feature = "json")]
pub use json::JsonWriter;
/// The codes of gRPC, of which each [`Error`] has one.
#[cfg(feature = "client")]
pub use tonic::Code;

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

/// The contract of a service that judges texts for the platform.
#[cfg(feature = "filter")]
pub mod filter {
    /// The contract `riposte.filter.v1`: its messages, enums, client and service trait.
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

        include!("gen/riposte.filter.v1.rs");
    }
}

/// The contract of a service that knows the accounts of members.
#[cfg(feature = "account")]
pub mod account {
    /// The contract `riposte.account.v1`: its messages, enums, client and service trait.
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

        include!("gen/riposte.account.v1.rs");
    }
}

/// The descriptors of `riposte.v1` and of its imports, encoded as a
/// `google.protobuf.FileDescriptorSet`; for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("gen/riposte.v1.descriptors.bin");
