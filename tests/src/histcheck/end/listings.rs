//! Whole lists at the end: the likers of comments, and the comments of members.

use anyhow::{Context, Result};
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::like_service_client::LikeServiceClient;
use riposte_sdk::v1::{LikeValue, ListLikersRequest, ListMemberCommentsRequest};

use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::Listing;
use crate::histcheck::load::Environment;
use crate::histcheck::names;

/// Size of the pages, so that some lists have several.
const PAGE_SIZE: i32 = 7;

/// Reads the likers of a comment, alternately at each server.
///
/// # Errors
/// Fails when a read fails, since no fault is injected any more.
pub(super) async fn likers(environment: &Environment, comment: i64) -> Result<()> {
    let server = comment.unsigned_abs() as usize % SERVERS;
    let mut service = LikeServiceClient::new(environment.channels.ports(server).public);
    let (mut members, mut page_token) = (Vec::new(), String::new());
    loop {
        let value = LikeValue::Like.into();
        let request = ListLikersRequest { comment_id: comment, value, page_size: PAGE_SIZE, page_token };
        let page = service.list_likers(request).await.with_context(|| format!("the likers of {comment}"))?.into_inner();
        members.extend(page.likers.iter().map(|liker| names::member(&liker.member_id)));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return environment.recorder.listing(Listing::Likers { comment, members });
        }
    }
}

/// Reads the comments of a member in the object type of a subject, alternately at each server.
///
/// # Errors
/// As [`likers`].
pub(super) async fn of_member(environment: &Environment, subject: u32, member: u32) -> Result<()> {
    let server = member as usize % SERVERS;
    let mut service = CommentServiceClient::new(environment.channels.ports(server).public);
    let (mut comments, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListMemberCommentsRequest {
            object_type: names::key(subject).object_type,
            member_id: names::member_id(member),
            include_unlisted: false,
            page_size: PAGE_SIZE,
            page_token,
        };
        let found = service.list_member_comments(request).await;
        let page = found.with_context(|| format!("the comments of member {member}"))?.into_inner();
        comments.extend(page.comments.iter().map(|comment| comment.id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return environment.recorder.listing(Listing::OfMember { subject, member, comments });
        }
    }
}
