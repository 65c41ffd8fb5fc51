//! Calls by path and message bytes, for tests that make every call of the contract and some calls
//! that clients must not make.

use std::time::Duration;

use anyhow::{Context, Result};
use prost::bytes::{Buf, BufMut};
use prost_reflect::{DescriptorPool, MethodDescriptor, ServiceDescriptor};
use riposte_sdk::Error;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};

/// The deadline of a call.
const TIME: Duration = Duration::from_secs(10);

/// A connection and the token of its calls.
#[derive(Debug)]
pub struct Raw {
    channel: Channel,
    token: Option<String>,
}

/// Returns every method of the contract.
///
/// # Errors
/// If the SDK's descriptors cannot be read.
pub fn methods() -> Result<Vec<MethodDescriptor>> {
    let pool = DescriptorPool::decode(riposte_sdk::FILE_DESCRIPTOR_SET)?;
    Ok(pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()).collect())
}

/// Returns the name of a method as `Service/Method`.
#[must_use]
pub fn name(method: &MethodDescriptor) -> String {
    format!("{}/{}", ServiceDescriptor::name(method.parent_service()), method.name())
}

/// Returns true if a method, named as `Service/Method`, is served on the admin port.
#[must_use]
pub fn is_admin(name: &str) -> bool {
    ["AdminService/", "ModerationService/", "PolicyService/"].iter().any(|service| name.starts_with(service))
}

/// Returns the method with this name.
///
/// # Errors
/// The errors of [`methods`], and an unknown name.
pub fn method(name_of: &str) -> Result<MethodDescriptor> {
    methods()?.into_iter().find(|method| name(method) == name_of).with_context(|| format!("there is no {name_of}"))
}

/// Returns true if an error shows a bug in the service, which no request may cause. Deadline and
/// availability errors do not count, because a busy machine causes them.
#[must_use]
pub fn is_broken(error: &Error) -> bool {
    [Code::Internal, Code::Unknown, Code::DataLoss].contains(&error.code())
}

impl Raw {
    /// Creates a connection to `target`, which connects at the first call, for calls with this
    /// token.
    ///
    /// # Errors
    /// If the target is malformed.
    pub fn to(target: &str, token: Option<&str>) -> Result<Self> {
        let channel = Endpoint::from_shared(target.to_owned())?.connect_lazy();
        Ok(Self { channel, token: token.map(str::to_owned) })
    }

    /// Calls a method, given as `Service/Method`, and reads its responses, if it has any.
    ///
    /// # Errors
    /// The status of the call.
    pub async fn call(&self, method: &str, message: Vec<u8>) -> Result<(), Status> {
        // A watch sends events only when something changes; this test only checks whether it is
        // admitted.
        let reads = !method.ends_with("WatchSubject");
        self.send(&format!("/riposte.v1.{method}"), message, reads).await.map(drop)
    }

    /// Returns the names that the reflection service reports.
    ///
    /// # Errors
    /// The status of the call.
    pub async fn services(&self) -> Result<Vec<u8>, Status> {
        // list_services = 7, a text.
        self.send("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", vec![0x3a, 0x01, b'*'], true).await
    }

    async fn send(&self, path: &str, message: Vec<u8>, reads: bool) -> Result<Vec<u8>, Status> {
        let mut responses = self.open(path, message, TIME).await?;
        let first = if reads { responses.message().await? } else { return Ok(Vec::new()) };
        while responses.message().await?.is_some() {}
        Ok(first.unwrap_or_default())
    }

    /// Calls any path with this deadline and returns the stream of responses.
    ///
    /// # Errors
    /// The status of the call.
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
        // The wire format is the same for every kind of call: messages in one direction, messages
        // and a status in the other.
        Ok(client.streaming(request, path, Bytes).await?.into_inner())
    }
}

/// A codec that passes message bytes through unchanged.
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
