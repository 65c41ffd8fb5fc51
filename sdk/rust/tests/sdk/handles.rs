//! The handles, against a real server and against one that fails on request.

use crate::local::{listener, serve};
use riposte_sdk::v1::comment_service_server::{CommentService, CommentServiceServer};
use riposte_sdk::v1::like_service_server::{LikeService, LikeServiceServer};
use riposte_sdk::v1::{self, CommentSort, CommentState, DeletedBy, LikeValue};
use riposte_sdk::{
    Client, Comment, CommentPageOptions, DevServer, JsonWriter, MemberPageOptions, ReplySort, SubjectPageOptions,
    Thread, blocking,
};
use std::sync::{Arc, Mutex};
use tonic::service::Routes;
use tonic::{Code, Request, Response, Status};

/// Returns a server; `None`, with a message, if none was built.
#[expect(clippy::disallowed_methods, reason = "the caller of the tests names the server")]
async fn server() -> Option<DevServer> {
    if std::env::var("RIPOSTE_DEV_BINARY").is_err() {
        println!("SKIPPED: the handles: RIPOSTE_DEV_BINARY is not set");
        return None;
    }
    Some(DevServer::start().await.unwrap())
}

#[tokio::test]
async fn a_wrong_viewer_is_the_error_of_the_call() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    let full = client.subject("article", "viewed");
    let id = full.comment("m7", "Hi").await.unwrap().id;
    for viewer in ["", &"m".repeat(65), &"é".repeat(33), "m\t1", "m\u{85}1"] {
        let options = || SubjectPageOptions { viewer: Some(viewer.to_owned()), ..Default::default() };
        let of_replies = CommentPageOptions { viewer: Some(viewer.to_owned()), ..Default::default() };
        // What does not exist is never requested.
        for error in [
            client.subject("article", "absent").page(options()).await.unwrap_err(),
            client.comment(1).page(of_replies).await.unwrap_err(),
            full.page(options()).await.unwrap_err(),
            client.comments_by_id([id], viewer).await.unwrap_err(),
        ] {
            assert_eq!((error.code(), error.reason_name()), (Code::InvalidArgument, "FIELD_INVALID"));
            assert_eq!((error.violations()[0].field.as_str(), error.violations().len()), ("viewer", 1));
            assert_eq!(error.request_id(), None);
        }
    }
}

#[tokio::test]
async fn a_page_has_handles_its_cursor_and_what_its_viewer_likes() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    let subject = client.subject("article", "paged");
    assert!(subject.ensure().await.unwrap() && !subject.ensure().await.unwrap());
    let mut roots = Vec::new();
    for text in ["0", "1", "2"] {
        roots.push(subject.comment("m7", text).await.unwrap());
    }
    let reply = client.comment(roots[0].id).reply("m8", "Welcome").await.unwrap();
    client.comment(reply.id).like("m9").await.unwrap();
    roots[0].dislike("m9").await.unwrap();
    let options = SubjectPageOptions {
        sort: Some(CommentSort::Oldest),
        page_size: Some(2),
        reply_preview_size: Some(1),
        ..Default::default()
    };
    let page = subject.page(SubjectPageOptions { viewer: Some("m9".into()), ..options.clone() }).await.unwrap();
    let likes: Vec<LikeValue> = page.threads.iter().map(|thread| thread.comment.own_like).collect();
    assert_eq!(likes, [LikeValue::Dislike, LikeValue::None]);
    assert_eq!(page.threads[0].replies[0].own_like, LikeValue::Like);
    let page_token = Some(page.next_page_token.clone());
    let last = subject.page(SubjectPageOptions { page_token, ..options.clone() }).await.unwrap();
    assert_eq!((last.threads.len(), last.threads[0].comment.id), (1, roots[2].id));
    assert_eq!(last.threads[0].comment.own_like, LikeValue::Unspecified);
    let min_revision = Some(page.subject_revision);
    let one = SubjectPageOptions { page_size: Some(1), min_revision, ..options };
    for options in [
        SubjectPageOptions { around_comment_id: Some(roots[2].id), ..one.clone() },
        SubjectPageOptions { around_floor: Some(roots[2].floor), ..one.clone() },
    ] {
        let around = subject.page(options).await.unwrap();
        assert!(around.threads.iter().any(|thread| thread.comment.id == roots[2].id));
        assert!(!around.previous_page_token.is_empty());
    }
    let options = CommentPageOptions { sort: Some(ReplySort::Top), viewer: Some("m9".into()), ..Default::default() };
    let replies = client.comment(roots[0].id).page(options).await.unwrap();
    assert_eq!((replies.replies.len(), replies.replies[0].own_like), (1, LikeValue::Like));

    let handed = [&roots[2], &roots[1], &reply, &roots[2]].map(Comment::clone);
    let shown = |thread: &Thread| (thread.comment.id, thread.comment.own_like);
    let above: Vec<_> = page.with_just_made(handed.clone()).iter().map(shown).collect();
    let likes = [LikeValue::Unspecified, LikeValue::None, LikeValue::Dislike];
    assert_eq!(above, [(roots[2].id, likes[0]), (roots[1].id, likes[1]), (roots[0].id, likes[2])]);
    let messages = handed.map(Comment::into_message);
    assert_eq!((page.threads.len(), last.with_just_made(messages).len()), (2, 0));
    assert_eq!(JsonWriter::default().write(&*reply)["id"], reply.id.to_string());
}

#[tokio::test]
async fn what_is_unlisted_stands_above_the_first_page_of_its_author() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    let subject = client.subject("article", "unlisted");
    let comment = subject.comment("m7", "waits").await.unwrap();
    let ids = v1::GetModeratedCommentsRequest { ids: vec![comment.id], ..Default::default() };
    let seen = client.moderation().unwrap().get_moderated_comments(ids).await.unwrap().into_inner();
    let withhold = v1::SubmitVerdictsRequest {
        action: v1::ModerationAction::Withhold.into(),
        grounds: Some(v1::Grounds { code: "to-be-checked".into(), ..Default::default() }),
        targets: vec![v1::VerdictTarget { comment_id: comment.id, etag: seen.comments[0].etag.clone() }],
        moderator_id: "mod".into(),
        ..Default::default()
    };
    client.moderation().unwrap().submit_verdicts(withhold).await.unwrap();
    let subject_key = comment.subject.clone();
    let own = v1::ListUnlistedCommentsRequest { subject: subject_key, member_id: "m7".into(), ..Default::default() };
    let own = client.comments().list_unlisted_comments(own).await.unwrap().into_inner().comments;
    let page = subject.page(SubjectPageOptions { page_size: Some(1), ..Default::default() }).await.unwrap();
    assert!(page.threads.is_empty());
    let above = page.with_just_made(own);
    let shown: Vec<_> = above.iter().map(|thread| (thread.comment.id, thread.comment.state())).collect();
    assert_eq!(shown, [(comment.id, CommentState::Pending)]);
}

#[tokio::test]
async fn a_moderator_hides_shows_and_deletes() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    let comment = client.subject("article", "moderated").comment("m7", "Hi").await.unwrap();
    let state = |comment: Option<v1::Comment>| comment.unwrap().state();
    assert_eq!(state(comment.hide("mod", "spam").await.unwrap().comment), CommentState::Hidden);
    assert_eq!(state(comment.unhide("mod", "fine").await.unwrap().comment), CommentState::Active);
    let deleted = comment.moderator_delete("mod", "spam").await.unwrap().comment.unwrap();
    assert_eq!(deleted.deleted_by(), DeletedBy::Moderator);
    let page = client.member("article", "m0").page(MemberPageOptions::default()).await.unwrap();
    assert!(page.comments.is_empty());
}

/// Lists 60 threads of 11 comments, and fails when it is asked for the likes of more than 60.
#[derive(Debug, Clone, Default)]
struct FailingLikes(Arc<Mutex<Vec<usize>>>);

fn not_here<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("not here"))
}

#[tonic::async_trait]
impl CommentService for FailingLikes {
    async fn list_comments(
        &self,
        _: Request<v1::ListCommentsRequest>,
    ) -> Result<Response<v1::ListCommentsResponse>, Status> {
        let comment = |id| v1::Comment { id, ..Default::default() };
        let thread = |at: i64| v1::CommentThread {
            comment: Some(comment(at * 11 + 1)),
            replies: (2..12).map(|reply| comment(at * 11 + reply)).collect(),
            ..Default::default()
        };
        let threads = (0..60).map(thread).collect();
        Ok(Response::new(v1::ListCommentsResponse { threads, ..Default::default() }))
    }

    async fn create_comment(
        &self,
        _: Request<v1::CreateCommentRequest>,
    ) -> Result<Response<v1::CreateCommentResponse>, Status> {
        not_here()
    }

    async fn get_comment(&self, _: Request<v1::GetCommentRequest>) -> Result<Response<v1::GetCommentResponse>, Status> {
        not_here()
    }

    async fn batch_get_comments(
        &self,
        _: Request<v1::BatchGetCommentsRequest>,
    ) -> Result<Response<v1::BatchGetCommentsResponse>, Status> {
        not_here()
    }

    async fn update_comment(
        &self,
        _: Request<v1::UpdateCommentRequest>,
    ) -> Result<Response<v1::UpdateCommentResponse>, Status> {
        not_here()
    }

    async fn list_comment_revisions(
        &self,
        _: Request<v1::ListCommentRevisionsRequest>,
    ) -> Result<Response<v1::ListCommentRevisionsResponse>, Status> {
        not_here()
    }

    async fn delete_comment(
        &self,
        _: Request<v1::DeleteCommentRequest>,
    ) -> Result<Response<v1::DeleteCommentResponse>, Status> {
        not_here()
    }

    async fn undelete_comment(
        &self,
        _: Request<v1::UndeleteCommentRequest>,
    ) -> Result<Response<v1::UndeleteCommentResponse>, Status> {
        not_here()
    }

    async fn pin_comment(&self, _: Request<v1::PinCommentRequest>) -> Result<Response<v1::PinCommentResponse>, Status> {
        not_here()
    }

    async fn unpin_comment(
        &self,
        _: Request<v1::UnpinCommentRequest>,
    ) -> Result<Response<v1::UnpinCommentResponse>, Status> {
        not_here()
    }

    async fn list_unlisted_comments(
        &self,
        _: Request<v1::ListUnlistedCommentsRequest>,
    ) -> Result<Response<v1::ListUnlistedCommentsResponse>, Status> {
        not_here()
    }

    async fn list_member_comments(
        &self,
        _: Request<v1::ListMemberCommentsRequest>,
    ) -> Result<Response<v1::ListMemberCommentsResponse>, Status> {
        not_here()
    }
}

#[tonic::async_trait]
impl LikeService for FailingLikes {
    async fn batch_get_like_states(
        &self,
        request: Request<v1::BatchGetLikeStatesRequest>,
    ) -> Result<Response<v1::BatchGetLikeStatesResponse>, Status> {
        let ids = request.into_inner().comment_ids;
        self.0.lock().unwrap().push(ids.len());
        if ids.len() > 60 {
            return Err(Status::internal("too many"));
        }
        let like = |comment_id| v1::LikeState { comment_id, value: LikeValue::Like.into() };
        let states = ids.into_iter().map(like).collect();
        Ok(Response::new(v1::BatchGetLikeStatesResponse { states, ..Default::default() }))
    }

    async fn set_like(&self, _: Request<v1::SetLikeRequest>) -> Result<Response<v1::SetLikeResponse>, Status> {
        not_here()
    }

    async fn batch_list_likers(
        &self,
        _: Request<v1::BatchListLikersRequest>,
    ) -> Result<Response<v1::BatchListLikersResponse>, Status> {
        not_here()
    }

    async fn list_likers(&self, _: Request<v1::ListLikersRequest>) -> Result<Response<v1::ListLikersResponse>, Status> {
        not_here()
    }

    async fn list_member_likes(
        &self,
        _: Request<v1::ListMemberLikesRequest>,
    ) -> Result<Response<v1::ListMemberLikesResponse>, Status> {
        not_here()
    }
}

#[tokio::test]
async fn own_likes_that_cannot_be_requested_are_unknown() {
    let (listener, address) = listener().await;
    let service = FailingLikes::default();
    let routes = Routes::new(CommentServiceServer::new(service.clone()));
    serve(routes.add_service(LikeServiceServer::new(service.clone())), listener);
    let client = Client::connect(address.to_string()).unwrap();
    let options = SubjectPageOptions { viewer: Some("m9".into()), ..Default::default() };
    let page = client.subject("article", "1").page(options).await.unwrap();
    let known: Vec<bool> = page.threads.iter().map(|thread| thread.comment.own_like == LikeValue::Like).collect();
    assert_eq!(known, (0..60).map(|at| at >= 55).collect::<Vec<_>>());
    let mut sizes = service.0.lock().unwrap().clone();
    sizes.sort_unstable();
    assert_eq!(sizes, [60, 200, 200, 200]);
}

#[test]
fn a_page_of_the_client_that_waits_has_the_same_handles() {
    let client = blocking::Client::connect("127.0.0.1:1").unwrap();
    let page = client.subject("article", "1").page(SubjectPageOptions::default());
    assert_eq!(page.unwrap_err().code(), Code::Unavailable);
    assert_eq!(client.comment(7).id, 7);
}
