//! The upper limit for a cached page: a server of the same library that returns constant bytes for
//! every call, and does nothing else.

use crate::clients::TargetArgs;
use crate::page;
use crate::raw::{AsBytes, LIST_COMMENTS};
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use prost::Message;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{self, Poll};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tower::Service;

/// The page to serve.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
}

/// Reads the page once, and serves it until the process ends. It writes its address to standard
/// error, in the words of `riposte serve`.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let mut connection = args.target.open_raw()?.pop().context("no connection")?;
    let key = args.target.keys(1).pop().context("no subject")?;
    let page = connection.call(LIST_COMMENTS, page::request(key).encode_to_vec().into()).await?;
    ensure!(!page.is_empty(), "an empty page");
    let bytes = page.len();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    eprintln!("{}", serde_json::json!({ "message": "listening", "grpc": address.to_string(), "bytes": bytes }));
    eprintln!("{}", serde_json::json!({ "message": "serving" }));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    tonic::transport::Server::builder().add_service(Constant(page)).serve_with_incoming(incoming).await?;
    Ok(String::new())
}

/// The response to every call.
#[derive(Debug, Clone)]
struct Constant(Bytes);

impl NamedService for Constant {
    const NAME: &'static str = "riposte.v1.CommentService";
}

impl UnaryService<Bytes> for Constant {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        ready(Ok(Response::new(self.0.clone())))
    }
}

impl Service<http::Request<Body>> for Constant {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    /// Handles a call as the library's generated services do.
    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(Grpc::new(AsBytes).unary(service, request).await) })
    }
}
