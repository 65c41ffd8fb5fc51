//! Calls by their path and a request in JSON, for tests that make every call there is.

use std::time::Duration;

use anyhow::{Context, Result};
use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};

use super::table::Row;

/// A connection, and the token of its calls.
pub(super) struct Raw {
    channel: Channel,
    token: Option<String>,
}

fn contract() -> Result<DescriptorPool> {
    Ok(DescriptorPool::decode(riposte_sdk::FILE_DESCRIPTOR_SET)?)
}

/// Every method of the contract, as `Service/Method`.
pub(super) fn methods() -> Vec<String> {
    let pool = contract().unwrap_or_default();
    let of = |service: prost_reflect::ServiceDescriptor| {
        let name = service.name().to_owned();
        service.methods().map(|method| format!("{name}/{}", method.name())).collect::<Vec<_>>()
    };
    pool.services().flat_map(of).collect()
}

impl Raw {
    pub(super) fn to(target: &str, token: Option<&str>) -> Result<Self> {
        let channel = Endpoint::from_shared(target.to_owned())?.connect_lazy();
        Ok(Self { channel, token: token.map(str::to_owned) })
    }

    /// Makes a call with the row's request, and reads its answers, if it has any.
    pub(super) async fn call(&self, row: &Row, object_type: &str, id: i64) -> Result<(), Status> {
        let broken = |error: anyhow::Error| Status::internal(format!("the test's request: {error:#}"));
        let request = request(row, object_type, id).map_err(broken)?;
        let path = format!("/riposte.v1.{}", row.method);
        // A watch answers when something happens; what is asked is whether it is let in.
        let watches = row.method.ends_with("WatchSubject");
        self.send(&path, request, !watches).await.map(drop)
    }

    /// The names that reflection tells.
    pub(super) async fn services(&self) -> Result<Vec<u8>, Status> {
        // list_services = 7, a text.
        self.send("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", vec![0x3a, 0x01, b'*'], true).await
    }

    async fn send(&self, path: &str, message: Vec<u8>, reads: bool) -> Result<Vec<u8>, Status> {
        let mut client = tonic::client::Grpc::new(self.channel.clone());
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let mut request = tonic::Request::new(tokio_stream::once(message));
        request.set_timeout(Duration::from_secs(10));
        if let Some(token) = &self.token {
            let value = format!("Bearer {token}").parse().map_err(|_| Status::internal("the test's token"))?;
            request.metadata_mut().insert("authorization", value);
        }
        let path = path.parse().map_err(|_| Status::internal("the test's path"))?;
        // Over the wire every kind of call is the same: messages one way, messages and a status the other.
        let mut answers = client.streaming(request, path, Bytes).await?.into_inner();
        let first = if reads { answers.message().await? } else { return Ok(Vec::new()) };
        while answers.message().await?.is_some() {}
        Ok(first.unwrap_or_default())
    }
}

fn request(row: &Row, object_type: &str, id: i64) -> Result<Vec<u8>> {
    let (service, method) = row.method.split_once('/').context("Service/Method")?;
    let service = contract()?.get_service_by_name(&format!("riposte.v1.{service}")).context("no such service")?;
    let input = service.methods().find(|found| found.name() == method).context("no such method")?.input();
    let json = row.request.replace("TYPE", object_type).replace("ID", &id.to_string());
    let message = DynamicMessage::deserialize(input, &mut serde_json::Deserializer::from_str(&json))?;
    Ok(message.encode_to_vec())
}

/// Messages as they are.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut message = vec![0; buffer.remaining()];
        buffer.copy_to_slice(&mut message);
        Ok(Some(message))
    }
}
