//! Shorthands for the calls that tests make most often.

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::{
    Comment, CommentSort, Content, CreateCommentRequest, CreateReplyRequest, ErrorReason, LikeValue,
    ListCommentsRequest, ListCommentsResponse, ListRepliesRequest, ReportCommentRequest, SetLikeRequest,
    SetLikeResponse, SubjectKey,
};
use riposte_sdk::{Client, Error, List, Pages};
use tonic::{Code, Status};

/// The number of repeats of a call that exceeded its deadline. These tests do not check latency;
/// benchmarks do.
const REPEATS: usize = 5;

/// Repeats a call that exceeded its deadline. A write has a request id, so that it takes effect
/// once.
pub(crate) async fn patiently<T, F>(ask: impl Fn() -> F) -> Result<T, Status>
where
    F: Future<Output = Result<T, Status>>,
{
    for _ in 0..REPEATS {
        match ask().await {
            Err(late) if late.code() == Code::DeadlineExceeded => {}
            outcome => return outcome,
        }
    }
    ask().await
}

pub(crate) fn request_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// One subject and a client that calls it.
#[derive(Debug, Clone)]
pub struct Say {
    /// The client.
    pub client: Client,
    /// The subject.
    pub key: SubjectKey,
}

/// Returns a text as content.
#[must_use]
pub fn content(text: &str) -> Option<Content> {
    Some(Content { text: text.to_owned(), ..Content::default() })
}

impl Say {
    /// Creates a subject key that is not used elsewhere.
    #[must_use]
    pub fn on(client: &Client, object_type: &str) -> Self {
        let object_id = uuid::Uuid::now_v7().to_string();
        Self { client: client.clone(), key: SubjectKey { object_type: object_type.to_owned(), object_id } }
    }

    /// Creates a root.
    ///
    /// # Errors
    /// The server's.
    pub async fn comment(&self, member: &str, text: &str) -> Result<Comment, Status> {
        let request = CreateCommentRequest {
            subject: Some(self.key.clone()),
            member_id: member.to_owned(),
            content: content(text),
            request_id: request_id(),
            ..CreateCommentRequest::default()
        };
        let (client, request) = (&self.client, &request);
        let ask = || async { client.comments().create_comment(request.clone()).await };
        let made = patiently(ask).await?.into_inner();
        made.comment.ok_or_else(|| Status::unknown("no comment in the answer"))
    }

    /// Creates a reply to a comment.
    ///
    /// # Errors
    /// The server's.
    pub async fn reply(&self, parent: i64, member: &str, text: &str) -> Result<Comment, Status> {
        let request = CreateReplyRequest {
            parent_id: parent,
            member_id: member.to_owned(),
            content: content(text),
            request_id: request_id(),
            ..CreateReplyRequest::default()
        };
        let (client, request) = (&self.client, &request);
        let made = patiently(|| async { client.replies().create_reply(request.clone()).await }).await?.into_inner();
        made.reply.ok_or_else(|| Status::unknown("no reply in the answer"))
    }

    /// Sets a like.
    ///
    /// # Errors
    /// The server's.
    pub async fn like(&self, comment: i64, member: &str, value: LikeValue) -> Result<SetLikeResponse, Status> {
        let request = SetLikeRequest {
            comment_id: comment,
            member_id: member.to_owned(),
            value: value.into(),
            request_id: request_id(),
        };
        let (client, request) = (&self.client, &request);
        Ok(patiently(|| async { client.likes().set_like(request.clone()).await }).await?.into_inner())
    }

    /// Reports a comment, and returns whether it was the member's first report of it. The request
    /// has a request id.
    ///
    /// # Errors
    /// The server's.
    pub async fn report(&self, request: ReportCommentRequest) -> Result<bool, Status> {
        let (client, request) = (&self.client, &request);
        let ask = || async { client.reports().report_comment(request.clone()).await };
        Ok(patiently(ask).await?.into_inner().first)
    }

    /// Returns a page of this subject's roots for `request`.
    ///
    /// # Errors
    /// Those of ListComments.
    pub async fn list(&self, request: ListCommentsRequest) -> Result<ListCommentsResponse, Status> {
        let request = &ListCommentsRequest { subject: Some(self.key.clone()), ..request };
        let client = &self.client;
        Ok(patiently(|| async { client.comments().list_comments(request.clone()).await }).await?.into_inner())
    }

    /// Returns the page for `request`, and the floors of all pages before it, of the page itself
    /// and of all pages after it, in order.
    ///
    /// # Errors
    /// Those of ListComments.
    pub async fn both_ways(&self, request: ListCommentsRequest) -> Result<(ListCommentsResponse, Vec<i32>), Status> {
        let page = self.list(request.clone()).await?;
        let mut seen = floors(&page);
        let follow = ListCommentsRequest { around_comment_id: 0, around_floor: 0, ..request };
        for forward in [true, false] {
            let mut at = page.clone();
            loop {
                let token = if forward { at.next_page_token } else { at.previous_page_token };
                if token.is_empty() {
                    break;
                }
                at = self.list(ListCommentsRequest { page_token: token, ..follow.clone() }).await?;
                let more = floors(&at);
                seen = if forward { [seen, more].concat() } else { [more, seen].concat() };
            }
        }
        Ok((page, seen))
    }

    /// Returns the first page in a sort order.
    ///
    /// # Errors
    /// The server's.
    pub async fn page(&self, sort: CommentSort, page_size: i32) -> Result<ListCommentsResponse, Status> {
        let request = ListCommentsRequest { sort: sort.into(), page_size, ..ListCommentsRequest::default() };
        self.list(request).await
    }

    /// Returns all listed roots, read page by page.
    ///
    /// # Errors
    /// The server's.
    pub async fn roots(&self, sort: CommentSort, page_size: i32) -> Result<Vec<Comment>> {
        let request = ListCommentsRequest {
            subject: Some(self.key.clone()),
            sort: sort.into(),
            page_size,
            reply_preview_size: Some(0),
            ..ListCommentsRequest::default()
        };
        let mut pages = self.client.list(request)?;
        let mut all = Vec::new();
        while let Some(page) = next(&mut pages).await? {
            for thread in page.threads {
                all.push(thread.comment.context("a thread without its root")?);
            }
        }
        Ok(all)
    }

    /// Returns all listed replies of a root, read page by page.
    ///
    /// # Errors
    /// The server's.
    pub async fn replies(&self, root: i64, sort: CommentSort, page_size: i32) -> Result<Vec<Comment>> {
        let request =
            ListRepliesRequest { root_id: root, sort: sort.into(), page_size, ..ListRepliesRequest::default() };
        let mut pages = self.client.list(request)?;
        let mut all = Vec::new();
        while let Some(page) = next(&mut pages).await? {
            all.extend(page.replies);
        }
        Ok(all)
    }
}

/// Returns the next page of a walk, with the same repeats.
async fn next<R: List>(pages: &mut Pages<R>) -> Result<Option<R::Page>, Error> {
    for _ in 0..REPEATS {
        match pages.next().await {
            Err(late) if late.code() == Code::DeadlineExceeded => {}
            outcome => return outcome,
        }
    }
    pages.next().await
}

/// Returns the floors of a page's roots, in order.
#[must_use]
pub fn floors(page: &ListCommentsResponse) -> Vec<i32> {
    page.threads.iter().filter_map(|thread| thread.comment.as_ref()).map(|comment| comment.floor).collect()
}

/// Returns the code and the reason of a rejected call.
///
/// # Errors
/// If the call was not rejected.
pub fn refused<T: std::fmt::Debug>(outcome: Result<T, Status>) -> Result<(tonic::Code, ErrorReason)> {
    match outcome {
        Ok(response) => bail!("not refused: {response:?}"),
        Err(status) => {
            let error = Error::from(status);
            Ok((error.code(), error.reason()))
        }
    }
}
