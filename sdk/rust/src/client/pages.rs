use super::Client;
use super::error::Error;
use crate::v1::{ListCommentsRequest, ListCommentsResponse, ListRepliesRequest, ListRepliesResponse};

/// A walk over the pages of [`ListComments`](crate::v1::comment_service_client::CommentServiceClient::list_comments).
/// One page at a time is held; dropping the walk ends it.
#[derive(Debug)]
pub struct CommentPages {
    client: Client,
    next: Option<ListCommentsRequest>,
}

/// A walk over the pages of [`ListReplies`](crate::v1::reply_service_client::ReplyServiceClient::list_replies).
/// One page at a time is held; dropping the walk ends it.
#[derive(Debug)]
pub struct ReplyPages {
    client: Client,
    next: Option<ListRepliesRequest>,
}

impl Client {
    /// The pages of a subject's root comments, from the page that the request names to the end.
    pub fn comment_pages(&self, request: ListCommentsRequest) -> CommentPages {
        CommentPages { client: self.clone(), next: Some(request) }
    }

    /// The pages of a root's replies, from the page that the request names to the end.
    pub fn reply_pages(&self, request: ListRepliesRequest) -> ReplyPages {
        ReplyPages { client: self.clone(), next: Some(request) }
    }
}

impl CommentPages {
    /// The next page; `None` after the last.
    ///
    /// # Errors
    /// Those of ListComments. The walk stays where it is: calling again asks for the same page.
    pub async fn next(&mut self) -> Result<Option<ListCommentsResponse>, Error> {
        let Some(request) = self.next.clone() else { return Ok(None) };
        let page = self.client.comments().list_comments(request.clone()).await?.into_inner();
        let token = page.next_page_token.clone();
        self.next = (!token.is_empty()).then_some(ListCommentsRequest {
            page_token: token,
            around_comment_id: 0,
            around_floor: 0,
            ..request
        });
        Ok(Some(page))
    }
}

impl ReplyPages {
    /// The next page; `None` after the last.
    ///
    /// # Errors
    /// Those of ListReplies. The walk stays where it is: calling again asks for the same page.
    pub async fn next(&mut self) -> Result<Option<ListRepliesResponse>, Error> {
        let Some(request) = self.next.clone() else { return Ok(None) };
        let page = self.client.replies().list_replies(request.clone()).await?.into_inner();
        let token = page.next_page_token.clone();
        self.next =
            (!token.is_empty()).then_some(ListRepliesRequest { page_token: token, around_comment_id: 0, ..request });
        Ok(Some(page))
    }
}
