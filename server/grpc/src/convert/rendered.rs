//! Rendered first pages: each thread is encoded once for all callers, except the token in it, which
//! is bound to one caller.
//!
//! Processes read each other's rendered pages, so the messages here are a format stored in Redis;
//! `format` distinguishes incompatible formats.

use std::fmt::Write;

use hyper::body::Bytes;
use prost::Message;
use prost::encoding::string;
use riposte_core::page::{Page, RootPage, Thread};
use riposte_core::ports::PageRenderer;
use riposte_core::{CommentId, Result};
use riposte_sdk::v1;
use sha2::{Digest, Sha256};

use super::page::PositionedItem;

/// The version of the format. It is raised whenever these messages, or the content of a rendered
/// page, change: rendered pages of other versions are ignored.
const FORMAT_VERSION: u32 = 1;
/// The field number of reply_page_token in CommentThread. It is the last field, so the token is
/// appended to the rendered bytes.
const TOKEN_FIELD: u32 = 3;

/// A first page without the data that depends on its caller or on the subject's row.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RenderedBody {
    #[prost(message, repeated, tag = "1")]
    threads: Vec<RenderedThread>,
    #[prost(message, repeated, tag = "2")]
    pinned: Vec<RenderedThread>,
    #[prost(bool, tag = "3")]
    more_after: bool,
}

/// A thread without its token.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RenderedThread {
    /// The floor of the root.
    #[prost(int32, tag = "1")]
    floor: i32,
    /// The id of the root if the thread has a token; else 0.
    #[prost(int64, tag = "2")]
    token_root: i64,
    /// An encoded CommentThread.
    #[prost(bytes = "bytes", tag = "3")]
    thread: Bytes,
}

/// A ListCommentsResponse whose threads are already encoded.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RenderedResponse {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(crate) threads: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub(crate) pinned: Vec<Bytes>,
    #[prost(string, tag = "3")]
    pub(crate) next_page_token: String,
    #[prost(string, tag = "4")]
    pub(crate) previous_page_token: String,
    #[prost(message, optional, tag = "5")]
    pub(crate) subject: Option<v1::Subject>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) degraded: Vec<v1::Degradation>,
    #[prost(int64, tag = "7")]
    pub(crate) subject_revision: i64,
}

/// Renders pages as ListComments returns them.
#[derive(Debug)]
pub struct ListPageRenderer(String);

impl ListPageRenderer {
    /// Creates the renderer of this version of the service and its contract.
    #[must_use]
    pub fn new() -> Self {
        let mut format = format!("{FORMAT_VERSION}-{}-", env!("CARGO_PKG_VERSION"));
        for byte in Sha256::digest(riposte_sdk::FILE_DESCRIPTOR_SET).iter().take(6) {
            // Writing to a String cannot fail.
            let _ = write!(format, "{byte:02x}");
        }
        Self(format)
    }
}

impl Default for ListPageRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl PageRenderer for ListPageRenderer {
    fn format(&self) -> &str {
        &self.0
    }

    fn render(&self, page: RootPage) -> Vec<u8> {
        let RootPage { threads, pinned, .. } = page.redacted();
        let more_after = threads.more_after;
        let rendered = |threads: Vec<Thread>| threads.into_iter().map(RenderedThread::of).collect();
        RenderedBody { threads: rendered(threads.items), pinned: rendered(pinned), more_after }.encode_to_vec()
    }
}

impl RenderedBody {
    /// Decodes the page and the pinned threads; `None` if the bytes are not readable.
    pub(crate) fn read(rendered: Bytes) -> Option<(Page<RenderedThread>, Vec<RenderedThread>)> {
        let Self { threads, pinned, more_after } = Self::decode(rendered).ok()?;
        Some((Page { items: threads, more_before: false, more_after }, pinned))
    }
}

impl RenderedThread {
    fn of(thread: Thread) -> Self {
        let (floor, root) = (thread.root.comment.reference.floor, thread.root.comment.reference.id);
        let token_root = if thread.more_replies { root.get() } else { 0 };
        let replies = thread.replies.into_iter().map(super::comment).collect();
        let comment = Some(super::comment(thread.root));
        let thread = v1::CommentThread { comment, replies, reply_page_token: String::new() };
        Self { floor, token_root, thread: thread.encode_to_vec().into() }
    }

    /// Returns the encoded thread, with the token made by `token` if the thread has one.
    pub(crate) fn complete(self, token: impl FnOnce(CommentId) -> Result<String>) -> Result<Bytes> {
        let Some(root) = CommentId::new(self.token_root) else { return Ok(self.thread) };
        let token = token(root)?;
        let mut complete = Vec::with_capacity(self.thread.len() + string::encoded_len(TOKEN_FIELD, &token));
        complete.extend_from_slice(&self.thread);
        string::encode(TOKEN_FIELD, &token, &mut complete);
        Ok(complete.into())
    }
}

impl PositionedItem for RenderedThread {
    fn floor(&self) -> i32 {
        self.floor
    }

    // Only pages around a comment call this, and those are never rendered.
    fn contains(&self, id: CommentId) -> bool {
        self.token_root == id.get()
    }
}
