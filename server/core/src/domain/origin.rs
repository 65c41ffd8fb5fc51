//! The identity of an imported comment in the system that it comes from.

/// The source in which an export of a server names comments that were not imported: the external id
/// is then the comment's id.
pub const EXPORT_SOURCE: &str = "riposte";

/// The source and the external id of an imported comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOrigin {
    /// The name of the source: 1–64 bytes.
    pub source: String,
    /// The id of the comment at the source: 1–128 bytes.
    pub external_id: String,
}
