//! Walks over pages, against a server of this process.

use crate::local::{listener, serve};
use riposte_sdk::v1::reply_service_server::{ReplyService, ReplyServiceServer};
use riposte_sdk::{Client, Error, v1};
use std::sync::{Arc, Mutex};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// Three pages; the second is refused once.
#[derive(Debug, Clone, Default)]
struct ThreePages(Arc<Mutex<Vec<v1::ListRepliesRequest>>>);

#[tonic::async_trait]
impl ReplyService for ThreePages {
    async fn list_replies(
        &self,
        request: Request<v1::ListRepliesRequest>,
    ) -> Result<Response<v1::ListRepliesResponse>, Status> {
        let request = request.into_inner();
        let token = request.page_token.clone();
        let mut requests = self.0.lock().unwrap();
        requests.push(request);
        let next_page_token = match (token.as_str(), requests.len()) {
            ("", _) => "second",
            ("second", 2) => return Err(Status::internal("once")),
            ("second", _) => "third",
            _ => "",
        };
        Ok(Response::new(v1::ListRepliesResponse { next_page_token: next_page_token.into(), ..Default::default() }))
    }

    async fn create_reply(
        &self,
        _: Request<v1::CreateReplyRequest>,
    ) -> Result<Response<v1::CreateReplyResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn get_thread(&self, _: Request<v1::GetThreadRequest>) -> Result<Response<v1::GetThreadResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn list_conversation(
        &self,
        _: Request<v1::ListConversationRequest>,
    ) -> Result<Response<v1::ListConversationResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }
}

#[tokio::test]
async fn a_walk_continues_until_the_token_is_empty_and_keeps_its_place_when_a_page_fails() {
    let (listener, address) = listener().await;
    let service = ThreePages::default();
    serve(Routes::new(ReplyServiceServer::new(service.clone())), listener);

    let first = v1::ListRepliesRequest { root_id: 7, page_size: 2, around_comment_id: 9, ..Default::default() };
    let mut pages = Client::connect(address.to_string()).unwrap().list(first.clone()).unwrap();
    assert_eq!(pages.next().await.unwrap().unwrap().next_page_token, "second");
    let refused: Error = pages.next().await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Internal);
    assert_eq!(pages.next().await.unwrap().unwrap().next_page_token, "third");
    assert_eq!(pages.next().await.unwrap().unwrap().next_page_token, "");
    assert!(pages.next().await.unwrap().is_none());

    let later =
        |token: &str| v1::ListRepliesRequest { page_token: token.into(), around_comment_id: 0, ..first.clone() };
    let expected = [first.clone(), later("second"), later("second"), later("third")];
    assert_eq!(*service.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_walk_that_is_wrong_in_itself_is_refused_before_anything_is_sent() {
    let (listener, address) = listener().await;
    let service = ThreePages::default();
    serve(Routes::new(ReplyServiceServer::new(service.clone())), listener);

    let client = Client::connect(address.to_string()).unwrap();
    let wrong = v1::ListRepliesRequest { sort: v1::CommentSort::Hot.into(), page_size: -1, ..Default::default() };
    let error = client.list(wrong).unwrap_err();
    assert_eq!((error.code(), error.reason()), (tonic::Code::InvalidArgument, v1::ErrorReason::FieldInvalid));
    let fields: Vec<&str> = error.violations().iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(fields, ["root_id", "sort", "page_size"]);
    let handles = [client.comment(0).replies(None).err(), client.member("article", "").comments().err()];
    assert!(handles.iter().all(Option::is_some), "{handles:?}");
    assert!(service.0.lock().unwrap().is_empty());
}
