//! First pages in print: each thread encoded once for every caller, but for the token in it, which is bound to one.
//!
//! Processes take each other's prints, so the messages here are what lies in Redis; `form` tells apart what differs.

use std::fmt::Write;

use hyper::body::Bytes;
use prost::Message;
use prost::encoding::string;
use riposte_cache::PageRenderer;
use riposte_core::page::{Page, RootPage, Thread};
use riposte_core::{CommentId, Result};
use riposte_sdk::v1;
use sha2::{Digest, Sha256};

use super::page::PositionedItem;

/// Raised whenever the messages here change, or what is printed of a page: other editions' prints are none.
const EDITION: u32 = 1;
/// Of reply_page_token in CommentThread: the last one, so that its place is behind all that was printed.
const TOKEN: u32 = 3;

/// A first page without what its caller or its subject's row adds.
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
    /// The root, where the thread has a token; else 0.
    #[prost(int64, tag = "2")]
    walks: i64,
    /// A CommentThread.
    #[prost(bytes = "bytes", tag = "3")]
    thread: Bytes,
}

/// ListCommentsResponse, its threads encoded already.
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
}

/// Prints pages as ListComments answers them.
#[derive(Debug)]
pub struct ListPageRenderer(String);

impl ListPageRenderer {
    /// The printer of this version of the service and its contract.
    #[must_use]
    pub fn new() -> Self {
        let mut form = format!("{EDITION}-{}-", env!("CARGO_PKG_VERSION"));
        for byte in Sha256::digest(riposte_sdk::FILE_DESCRIPTOR_SET).iter().take(6) {
            // Writing to a String cannot fail.
            let _ = write!(form, "{byte:02x}");
        }
        Self(form)
    }
}

impl Default for ListPageRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl PageRenderer for ListPageRenderer {
    fn form(&self) -> &str {
        &self.0
    }

    fn rendered(&self, page: RootPage) -> Vec<u8> {
        let RootPage { threads, pinned, .. } = page.redacted();
        let more_after = threads.more_after;
        let all = |threads: Vec<Thread>| threads.into_iter().map(RenderedThread::of).collect();
        RenderedBody { threads: all(threads.items), pinned: all(pinned), more_after }.encode_to_vec()
    }
}

impl RenderedBody {
    /// The page, and the pinned threads.
    pub(crate) fn read(rendered: Bytes) -> Option<(Page<RenderedThread>, Vec<RenderedThread>)> {
        let Self { threads, pinned, more_after } = Self::decode(rendered).ok()?;
        Some((Page { items: threads, more_before: false, more_after }, pinned))
    }
}

impl RenderedThread {
    fn of(thread: Thread) -> Self {
        let (floor, root) = (thread.root.comment.floor, thread.root.comment.id);
        let walks = if thread.more_replies { root.get() } else { 0 };
        let replies = thread.replies.into_iter().map(super::comment).collect();
        let comment = Some(super::comment(thread.root));
        let thread = v1::CommentThread { comment, replies, reply_page_token: String::new() };
        Self { floor, walks, thread: thread.encode_to_vec().into() }
    }

    /// The thread, with what `token` makes where it has a token.
    pub(crate) fn whole(self, token: impl FnOnce(CommentId) -> Result<String>) -> Result<Bytes> {
        let Some(root) = CommentId::new(self.walks) else { return Ok(self.thread) };
        let token = token(root)?;
        let mut whole = Vec::with_capacity(self.thread.len() + string::encoded_len(TOKEN, &token));
        whole.extend_from_slice(&self.thread);
        string::encode(TOKEN, &token, &mut whole);
        Ok(whole.into())
    }
}

impl PositionedItem for RenderedThread {
    fn floor(&self) -> i32 {
        self.floor
    }

    // Only pages around a comment look for one, and none of them is printed.
    fn holds(&self, id: CommentId) -> bool {
        self.walks == id.get()
    }
}
