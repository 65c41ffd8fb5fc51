//! Calls for checks: measured, and with requests that the client of the platform would not make.

use std::time::Duration;

use http::uri::PathAndQuery;
use tokio::time::{Instant, timeout};
use tonic::client::Grpc;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::breach::Breach;
use crate::endpoint::Connection;
use crate::filter::MAX_BYTES;

/// The longest wait for a response that is late already.
const LATE: Duration = Duration::from_secs(5);

/// A method of a service.
#[derive(Debug, Clone)]
pub(super) struct ServiceMethod {
    pub(super) connection: Connection,
    pub(super) path: &'static str,
    pub(super) deadline: Duration,
}

impl ServiceMethod {
    /// Makes a call. Returns the response, if one came, and the time until then, and adds a call
    /// that failed or was late to the breaches.
    pub(super) async fn call<M, R>(&self, message: M, breaches: &mut Vec<Breach>) -> (Option<R>, Duration)
    where
        M: prost::Message + Send + Sync + 'static,
        R: prost::Message + Default + Send + Sync + 'static,
    {
        let began = Instant::now();
        let result = timeout(self.deadline + LATE, self.unary(message)).await;
        let took = began.elapsed();
        let mut add = |what: String, change: &str| breaches.push(Breach::new("", what, change));
        match result {
            Ok(Ok(response)) => {
                if took > self.deadline {
                    let (took, deadline) = (took.as_millis(), self.deadline.as_millis());
                    let change = "respond in time; leave items UNSPECIFIED that are not judged by then";
                    add(format!("the response took {took} ms, and the deadline is {deadline} ms"), change);
                }
                (Some(response), took)
            }
            Ok(Err(failure)) => {
                add(failure, "respond to every request of the contract with OK");
                (None, took)
            }
            Err(_elapsed) => {
                add(format!("no response came within {} s", took.as_secs()), "respond within the deadline");
                (None, took)
            }
        }
    }

    /// Makes a call without a deadline.
    ///
    /// # Errors
    /// The failure, in words.
    async fn unary<M, R>(&self, message: M) -> Result<R, String>
    where
        M: prost::Message + Send + Sync + 'static,
        R: prost::Message + Default + Send + Sync + 'static,
    {
        let mut client = Grpc::new(self.connection.clone()).max_decoding_message_size(MAX_BYTES);
        client.ready().await.map_err(|error| format!("the connection failed: {error}"))?;
        let (path, codec) = (PathAndQuery::from_static(self.path), ProstCodec::<M, R>::default());
        let result = client.unary(Request::new(message), path, codec).await;
        let failure = |status: Status| format!("the call failed with {:?}: {}", status.code(), status.message());
        result.map(Response::into_inner).map_err(failure)
    }
}
