//! Page tokens: opaque, authenticated, bound to the request for which they were issued.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{CommentSort, ErrorReason, GetThreadRequest, ListCommentsRequest, ListRepliesRequest};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_changed_token_is_refused_wherever_it_was_changed,
    a_token_of_other_arguments_is_a_mismatch,
    garbage_is_no_token,
];

async fn given(fixture: &Fixture) -> Result<(Say, ListCommentsRequest)> {
    let say = Say::on(&fixture.client, "article");
    for n in 0..5 {
        say.comment("m", &n.to_string()).await?;
    }
    let page = say.page(CommentSort::Oldest, 2).await?;
    let request = ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Oldest.into(),
        page_size: 2,
        page_token: page.next_page_token,
        ..ListCommentsRequest::default()
    };
    Ok((say, request))
}

async fn list(say: &Say, request: ListCommentsRequest) -> Result<(Code, ErrorReason)> {
    refused(say.client.comments().list_comments(request).await)
}

async fn a_changed_token_is_refused_wherever_it_was_changed(fixture: Fixture) -> Result<()> {
    let (say, request) = given(&fixture).await?;
    let token = request.page_token.clone();
    for at in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(bytes)?;
        if forged == token {
            continue;
        }
        let (code, reason) = list(&say, ListCommentsRequest { page_token: forged, ..request.clone() }).await?;
        ensure!(
            code == Code::InvalidArgument && reason == ErrorReason::PageTokenInvalid,
            "at {at}: {code:?} {reason:?}"
        );
    }
    Ok(())
}

async fn a_token_of_other_arguments_is_a_mismatch(fixture: Fixture) -> Result<()> {
    let (say, request) = given(&fixture).await?;
    let other = Say::on(&fixture.client, "article");
    other.comment("m", "x").await?;
    let mismatch = (Code::InvalidArgument, ErrorReason::PageTokenMismatch);
    let sorted = ListCommentsRequest { sort: CommentSort::Newest.into(), ..request.clone() };
    ensure!(list(&say, sorted).await? == mismatch, "another sort");
    let elsewhere = ListCommentsRequest { subject: Some(other.key.clone()), ..request.clone() };
    ensure!(list(&say, elsewhere).await? == mismatch, "another subject");
    let root = say.comment("m", "root").await?.id;
    let page_token = request.page_token.clone();
    let replies = ListRepliesRequest { root_id: root, page_token: page_token.clone(), ..Default::default() };
    ensure!(refused(say.client.replies().list_replies(replies).await)? == mismatch, "another method");
    let thread = GetThreadRequest { comment_id: root, page_token, ..Default::default() };
    ensure!(refused(say.client.replies().get_thread(thread).await)? == mismatch, "another method");
    let resized = ListCommentsRequest { page_size: 3, ..request };
    ensure!(say.client.comments().list_comments(resized).await.is_ok(), "the page size may change");
    Ok(())
}

async fn garbage_is_no_token(fixture: Fixture) -> Result<()> {
    let (say, request) = given(&fixture).await?;
    let long = "A".repeat(6_000);
    for garbage in ["x", "====", "楼", "\u{0}", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &long] {
        let request = ListCommentsRequest { page_token: garbage.to_owned(), ..request.clone() };
        ensure!(list(&say, request).await? == (Code::InvalidArgument, ErrorReason::PageTokenInvalid), "{garbage:.9}");
    }
    let request = ListCommentsRequest { page_token: "A".repeat(60_000), ..request };
    ensure!(list(&say, request).await? == (Code::InvalidArgument, ErrorReason::MessageTooLarge));
    Ok(())
}
