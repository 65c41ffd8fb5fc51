//! The client against a server of this process: what it adds to every call, and what it does when
//! calls fail.

use crate::local::{listener, serve};
use riposte_sdk::v1::like_service_server::{LikeService, LikeServiceServer};
use riposte_sdk::v1::{self, ErrorReason, SetLikeRequest, SetLikeResponse};
use riposte_sdk::{Client, Error, Options};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tonic::service::Routes;
use tonic::{Code, Request, Response, Status};

/// A like service that fails the first calls and records all of them.
#[derive(Debug, Clone, Default)]
struct Flaky {
    failures: Arc<Mutex<Vec<Status>>>,
    calls: Arc<Mutex<Vec<SetLikeRequest>>>,
    headers: Arc<Mutex<Vec<(String, String)>>>,
}

impl Flaky {
    fn failing(failures: impl IntoIterator<Item = Status>) -> Self {
        Self { failures: Arc::new(Mutex::new(failures.into_iter().collect())), ..Default::default() }
    }

    fn calls(&self) -> Vec<SetLikeRequest> {
        self.calls.lock().unwrap().clone()
    }
}

#[tonic::async_trait]
impl LikeService for Flaky {
    async fn set_like(&self, request: Request<SetLikeRequest>) -> Result<Response<SetLikeResponse>, Status> {
        let header = |name: &str| request.metadata().get(name).map(|value| value.to_str().unwrap().to_owned());
        let seen = (header("authorization").unwrap_or_default(), header("grpc-timeout").unwrap_or_default());
        self.headers.lock().unwrap().push(seen);
        self.calls.lock().unwrap().push(request.into_inner());
        match self.failures.lock().unwrap().pop() {
            Some(failure) => Err(failure),
            None => Ok(Response::new(SetLikeResponse { like_count: 1, ..Default::default() })),
        }
    }

    async fn batch_get_like_states(
        &self,
        _: Request<v1::BatchGetLikeStatesRequest>,
    ) -> Result<Response<v1::BatchGetLikeStatesResponse>, Status> {
        // There is no response; the caller's deadline ends the call.
        std::future::pending().await
    }

    async fn batch_list_likers(
        &self,
        _: Request<v1::BatchListLikersRequest>,
    ) -> Result<Response<v1::BatchListLikersResponse>, Status> {
        Err(Status::unavailable("a read that never comes"))
    }

    async fn list_likers(&self, _: Request<v1::ListLikersRequest>) -> Result<Response<v1::ListLikersResponse>, Status> {
        Err(Status::unavailable("a read that never comes"))
    }

    async fn list_member_likes(
        &self,
        _: Request<v1::ListMemberLikesRequest>,
    ) -> Result<Response<v1::ListMemberLikesResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }
}

async fn client(service: &Flaky) -> Client {
    let (listener, address) = listener().await;
    serve(Routes::new(LikeServiceServer::new(service.clone())), listener);
    Client::open(Options {
        target: address.to_string(),
        token: Some("s3cret".into()),
        insecure_token: true,
        ..Default::default()
    })
    .unwrap()
}

fn like() -> SetLikeRequest {
    SetLikeRequest { comment_id: 7, member_id: "m9".into(), value: v1::LikeValue::Like.into(), ..Default::default() }
}

#[tokio::test]
async fn a_write_is_repeated_on_unavailable_with_the_request_id_of_its_first_attempt() {
    let service = Flaky::failing([Status::unavailable("one"), Status::unavailable("two")]);
    let client = client(&service).await;
    let response = client.likes().set_like(like()).await.unwrap().into_inner();
    assert_eq!(response.like_count, 1);
    let calls = service.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0].request_id.len(), 36);
    assert!(calls.iter().all(|call| *call == calls[0]));
    let headers = service.headers.lock().unwrap().clone();
    assert!(headers.iter().all(|(token, timeout)| token == "Bearer s3cret" && timeout.ends_with('m')));
}

#[tokio::test]
async fn a_request_id_of_the_caller_is_kept() {
    let service = Flaky::default();
    let client = client(&service).await;
    let request_id = client.request_ids().next();
    client.likes().set_like(SetLikeRequest { request_id: request_id.clone(), ..like() }).await.unwrap();
    assert_eq!(service.calls()[0].request_id, request_id);
}

#[tokio::test]
async fn the_third_failure_is_the_callers_and_no_other_code_is_repeated() {
    let service = Flaky::failing((0..3).map(|_| Status::unavailable("still")));
    let error = Error::from(client(&service).await.likes().set_like(like()).await.unwrap_err());
    assert!(error.is_retryable() && error.reason() == ErrorReason::Unspecified);
    assert_eq!(service.calls().len(), 3);

    let service = Flaky::failing([Status::internal("a fault")]);
    let status = client(&service).await.likes().set_like(like()).await.unwrap_err();
    assert_eq!((status.code(), service.calls().len()), (Code::Internal, 1));
}

#[tokio::test]
async fn a_call_is_marked_as_not_executed_only_if_no_attempt_can_have_had_an_effect() {
    let refused = || {
        let mut status = Status::resource_exhausted("full");
        status.metadata_mut().insert("riposte-not-executed", "true".parse().unwrap());
        status
    };
    // A call that is refused without a retry delay is not repeated.
    for (first, says, calls) in [(refused(), true, 1), (Status::unavailable("the connection broke"), false, 2)] {
        let service = Flaky::failing([refused(), refused(), first]);
        let status = client(&service).await.likes().set_like(like()).await.unwrap_err();
        assert_eq!((status.code(), service.calls().len()), (Code::ResourceExhausted, calls));
        assert_eq!(status.metadata().contains_key("riposte-not-executed"), says, "{status:?}");
    }
}

#[tokio::test]
async fn a_call_to_an_unresponsive_server_ends_at_the_deadline() {
    let client = client(&Flaky::default()).await;
    let started = Instant::now();
    let status = client.likes().batch_get_like_states(v1::BatchGetLikeStatesRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!((1400..2500).contains(&started.elapsed().as_millis()));

    let mut request = Request::new(v1::BatchGetLikeStatesRequest::default());
    request.set_timeout(Duration::from_millis(100));
    let started = Instant::now();
    let status = client.likes().batch_get_like_states(request).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_connection_that_breaks_is_replaced_within_the_call() {
    let (listener, address) = listener().await;
    let service = Flaky::default();
    let serving = service.clone();
    tokio::spawn(async move {
        drop(listener.accept().await.unwrap());
        serve(Routes::new(LikeServiceServer::new(serving)), listener);
    });
    let client = Client::connect(format!("http://{address}")).unwrap();
    client.likes().set_like(like()).await.unwrap();
    assert_eq!(service.calls().len(), 1);
}

#[tokio::test]
async fn a_client_of_a_dead_address_is_made_and_its_first_call_is_unavailable() {
    let (listener, address) = listener().await;
    drop(listener);
    let client = Client::connect(address.to_string()).unwrap();
    let status = client.likes().list_likers(v1::ListLikersRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}

#[tokio::test]
async fn an_invalid_address_or_token_is_rejected() {
    assert!(Client::connect("http://no host").is_err());
    assert!(Client::open(Options { token: Some("line\nbreak".into()), ..Default::default() }).is_err());
}

#[tokio::test]
async fn the_address_of_admin_service_is_never_guessed_beside_another_target() {
    for target in ["127.0.0.1:7171", "http://localhost:7171/", "dns:///127.0.0.1:7171"] {
        Client::connect(target).unwrap().admin().unwrap();
    }
    for target in ["127.0.0.1:1", "https://127.0.0.1:7171"] {
        let error = Client::connect(target).unwrap().admin().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("RIPOSTE_ADMIN_TARGET"), "{error}");
        let options = Options { target: target.into(), admin_target: "h:1".into(), ..Options::default() };
        Client::open(options).unwrap().admin().unwrap();
    }
}
