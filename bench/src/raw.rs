//! Messages as bytes: calls whose responses are not decoded, so that the load costs little compared
//! with the service.

use anyhow::Result;
use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use std::time::Duration;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

/// The method of a page.
pub(crate) const LIST_COMMENTS: &str = "/riposte.v1.CommentService/ListComments";

/// A codec that leaves messages as they are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AsBytes;

impl Codec for AsBytes {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for AsBytes {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(message);
        Ok(())
    }
}

impl Decoder for AsBytes {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// A connection for messages as bytes.
#[derive(Debug, Clone)]
pub(crate) struct Raw(Grpc<Channel>);

impl Raw {
    /// Creates a connection to an endpoint, which connects at its first call.
    pub(crate) fn open(endpoint: &str) -> Result<Self> {
        let endpoint = Endpoint::from_shared(endpoint.to_owned())?.tcp_nodelay(true);
        Ok(Self(Grpc::new(endpoint.connect_lazy())))
    }

    /// Makes one call with a deadline, by the client's clock. An error contains the status of the
    /// rejection.
    pub(crate) async fn call_within(
        &mut self,
        method: &'static str,
        message: Bytes,
        time: Duration,
    ) -> Result<Bytes, Status> {
        let mut request = Request::new(message);
        request.set_timeout(time);
        let call = async {
            self.0.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
            Ok(self.0.unary(request, PathAndQuery::from_static(method), AsBytes).await?.into_inner())
        };
        tokio::time::timeout(time, call).await.unwrap_or_else(|_| Err(Status::deadline_exceeded("the client's")))
    }

    /// Makes one call.
    pub(crate) async fn call(&mut self, method: &'static str, message: Bytes) -> Result<Bytes> {
        self.0.ready().await?;
        let path = PathAndQuery::from_static(method);
        Ok(self.0.unary(Request::new(message), path, AsBytes).await?.into_inner())
    }
}
