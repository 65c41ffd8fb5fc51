//! Calls by their path and the bytes of a message, for tests that make every call there is, and some that nobody should make.

use std::time::Duration;

use anyhow::{Context, Result};
use prost::bytes::{Buf, BufMut};
use prost_reflect::{DescriptorPool, MethodDescriptor, ServiceDescriptor};
use riposte_sdk::Error;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};

/// How long a call may take.
const TIME: Duration = Duration::from_secs(10);

/// A connection, and the token of its calls.
#[derive(Debug)]
pub struct Raw {
    channel: Channel,
    token: Option<String>,
}

/// Every method of the contract.
///
/// # Errors
/// When the SDK's descriptors cannot be read.
pub fn methods() -> Result<Vec<MethodDescriptor>> {
    let pool = DescriptorPool::decode(riposte_sdk::FILE_DESCRIPTOR_SET)?;
    Ok(pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()).collect())
}

/// A method as `Service/Method`.
#[must_use]
pub fn name(method: &MethodDescriptor) -> String {
    format!("{}/{}", ServiceDescriptor::name(method.parent_service()), method.name())
}

/// The method of this name.
///
/// # Errors
/// As [`methods`], and when there is none.
pub fn method(name_of: &str) -> Result<MethodDescriptor> {
    methods()?.into_iter().find(|method| name(method) == name_of).with_context(|| format!("there is no {name_of}"))
}

/// Whether an answer tells of a fault of the service: none to any request may. What is late or away is a busy machine's.
#[must_use]
pub fn is_broken(error: &Error) -> bool {
    [Code::Internal, Code::Unknown, Code::DataLoss].contains(&error.code())
}

impl Raw {
    /// A connection to `target`, made when it is needed, for calls with this token.
    ///
    /// # Errors
    /// When the target makes no sense.
    pub fn to(target: &str, token: Option<&str>) -> Result<Self> {
        let channel = Endpoint::from_shared(target.to_owned())?.connect_lazy();
        Ok(Self { channel, token: token.map(str::to_owned) })
    }

    /// Makes a call of a method, as `Service/Method`, and reads its answers, if it has any.
    ///
    /// # Errors
    /// What it is answered with.
    pub async fn call(&self, method: &str, message: Vec<u8>) -> Result<(), Status> {
        // A watch answers when something happens; what is asked is whether it is let in.
        let reads = !method.ends_with("WatchSubject");
        self.send(&format!("/riposte.v1.{method}"), message, reads).await.map(drop)
    }

    /// The names that reflection tells.
    ///
    /// # Errors
    /// What it is answered with.
    pub async fn services(&self) -> Result<Vec<u8>, Status> {
        // list_services = 7, a text.
        self.send("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", vec![0x3a, 0x01, b'*'], true).await
    }

    async fn send(&self, path: &str, message: Vec<u8>, reads: bool) -> Result<Vec<u8>, Status> {
        let mut answers = self.open(path, message, TIME).await?;
        let first = if reads { answers.message().await? } else { return Ok(Vec::new()) };
        while answers.message().await?.is_some() {}
        Ok(first.unwrap_or_default())
    }

    /// Makes a call of any path within this time; its answers are to be read.
    ///
    /// # Errors
    /// What it is answered with.
    pub async fn open(&self, path: &str, message: Vec<u8>, time: Duration) -> Result<Streaming<Vec<u8>>, Status> {
        let mut client = tonic::client::Grpc::new(self.channel.clone());
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let mut request = tonic::Request::new(tokio_stream::once(message));
        request.set_timeout(time);
        if let Some(token) = &self.token {
            let value = format!("Bearer {token}").parse().map_err(|_| Status::internal("the test's token"))?;
            request.metadata_mut().insert("authorization", value);
        }
        let path = path.parse().map_err(|_| Status::internal("the test's path"))?;
        // Over the wire every kind of call is the same: messages one way, messages and a status the other.
        Ok(client.streaming(request, path, Bytes).await?.into_inner())
    }
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
