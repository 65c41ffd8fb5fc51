//! Calls over the addresses of one name: 127.0.0.1, 127.0.0.2 … on one port, found by a resolver of
//! the test's own.

use crate::local::{listener, serve};
use riposte_sdk::v1::subject_service_server::{SubjectService, SubjectServiceServer};
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{self, GetSubjectRequest, GetSubjectResponse};
use riposte_sdk::{Client, Options, Resolve};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// A name whose addresses the test chooses.
#[derive(Debug, Clone, Default)]
struct Names(Arc<Mutex<Vec<u8>>>);

impl Resolve for Names {
    fn resolve(&self, host: &str, port: u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
        assert_eq!(host, "riposte.test");
        let address = |last: &u8| SocketAddr::from((Ipv4Addr::new(127, 0, 0, *last), port));
        let found = self.0.lock().unwrap().iter().map(address).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

/// A server that counts its calls.
#[derive(Debug, Clone, Default)]
struct Counting(Arc<AtomicUsize>);

#[tonic::async_trait]
impl SubjectService for Counting {
    async fn get_subject(&self, _: Request<GetSubjectRequest>) -> Result<Response<GetSubjectResponse>, Status> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Response::new(GetSubjectResponse::default()))
    }

    async fn batch_get_subjects(
        &self,
        _: Request<v1::BatchGetSubjectsRequest>,
    ) -> Result<Response<v1::BatchGetSubjectsResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn create_subject(
        &self,
        _: Request<v1::CreateSubjectRequest>,
    ) -> Result<Response<v1::CreateSubjectResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn update_subject(
        &self,
        _: Request<v1::UpdateSubjectRequest>,
    ) -> Result<Response<v1::UpdateSubjectResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn delete_subject(
        &self,
        _: Request<v1::DeleteSubjectRequest>,
    ) -> Result<Response<v1::DeleteSubjectResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn undelete_subject(
        &self,
        _: Request<v1::UndeleteSubjectRequest>,
    ) -> Result<Response<v1::UndeleteSubjectResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    type WatchSubjectStream = ReceiverStream<Result<v1::WatchSubjectResponse, Status>>;

    /// Each watch returns the revision after the requested one, and then breaks off.
    async fn watch_subject(
        &self,
        request: Request<v1::WatchSubjectRequest>,
    ) -> Result<Response<Self::WatchSubjectStream>, Status> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        let change = v1::SubjectChange { revision: request.into_inner().after_revision + 1, ..Default::default() };
        let event = v1::WatchSubjectResponse { event: Some(Event::Change(change)) };
        sender.try_send(Ok(event)).unwrap();
        sender.try_send(Err(Status::unavailable("stopping"))).unwrap();
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

/// Servers on 127.0.0.1 and the following, all on one port, with what each counts and how to end
/// it.
async fn servers(count: u8) -> (u16, Vec<Counting>, Vec<JoinHandle<()>>) {
    // A port that is free at the first address is nearly always free at the others; if not, another
    // is tried.
    loop {
        let (first, address) = listener().await;
        let port = address.port();
        let mut listeners = vec![first];
        for last in 2..=count {
            listeners.extend(TcpListener::bind((Ipv4Addr::new(127, 0, 0, last), port)).await.ok());
        }
        if listeners.len() == usize::from(count) {
            let counters: Vec<Counting> = listeners.iter().map(|_| Counting::default()).collect();
            let pairs = listeners.into_iter().zip(counters.clone());
            let serve = |(listener, counting)| serve(Routes::new(SubjectServiceServer::new(counting)), listener);
            return (port, counters, pairs.map(serve).collect());
        }
    }
}

fn client(port: u16, names: &Names) -> Client {
    let resolver = Arc::new(names.clone());
    Client::open(Options { target: format!("dns:///riposte.test:{port}"), resolver, ..Default::default() }).unwrap()
}

async fn call(client: &Client, times: usize) {
    for _ in 0..times {
        client.subject("article", "1").get().await.unwrap();
    }
}

#[tokio::test]
async fn calls_go_to_all_addresses_in_turn() {
    let (port, counters, _servers) = servers(8).await;
    let names = Names(Arc::new(Mutex::new((1..=8).collect())));
    call(&client(port, &names), 800).await;
    let counts: Vec<usize> = counters.iter().map(|counting| counting.0.load(Ordering::Relaxed)).collect();
    assert_eq!(counts, [100; 8]);
}

#[tokio::test]
async fn a_dead_address_costs_no_call_and_is_left_out() {
    let (port, counters, mut servers) = servers(3).await;
    // Nothing listens at 127.0.0.9.
    let names = Names(Arc::new(Mutex::new(vec![1, 2, 3, 9])));
    let client = client(port, &names);
    call(&client, 20).await;
    let dead = servers.remove(1);
    dead.abort();
    dead.await.unwrap_err();
    let before = counters[1].0.load(Ordering::Relaxed);
    call(&client, 100).await;
    let counts: Vec<usize> = counters.iter().map(|counting| counting.0.load(Ordering::Relaxed)).collect();
    // The server of the connection that is open may respond until the connection is closed.
    assert!(counts[1] <= before + 34 && counts[0] + counts[1] + counts[2] == 120, "{counts:?}");
}

#[tokio::test]
async fn a_name_without_addresses_is_unavailable_and_a_new_address_takes_calls() {
    let (port, counters, _servers) = servers(1).await;
    let names = Names::default();
    let client = client(port, &names);
    let refused = client.subject("article", "1").get().await.unwrap_err();
    assert!(refused.to_string().contains("has no address"), "{refused}");
    names.0.lock().unwrap().push(1);
    call(&client, 2).await;
    assert_eq!(counters[0].0.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_watch_resumes_after_the_last_revision_seen() {
    let (port, counters, _servers) = servers(2).await;
    let names = Names(Arc::new(Mutex::new(vec![1, 2])));
    let mut watch = client(port, &names).subject("article", "1").watch(41).await.unwrap();
    for revision in 42..46 {
        match watch.next().await.unwrap().event.unwrap() {
            Event::Change(change) => assert_eq!(change.revision, revision),
            other @ (Event::Gap(_) | Event::Opened(_)) => panic!("{other:?}"),
        }
    }
    let counts: Vec<usize> = counters.iter().map(|counting| counting.0.load(Ordering::Relaxed)).collect();
    assert_eq!(counts, [2, 2]);
}
