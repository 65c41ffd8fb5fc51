//! Calls for checks: measured, and with requests that the client of the platform would not make.

use std::time::Duration;

use http::uri::PathAndQuery;
use tokio::time::{Instant, timeout};
use tonic::client::Grpc;
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::endpoint::Connection;
use crate::fault::AnswerFault;
use crate::filter::MAX_BYTES;

/// The longest wait for an answer that is late already.
const LATE: Duration = Duration::from_secs(5);

/// A method of a service.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) connection: Connection,
    pub(super) path: &'static str,
    pub(super) deadline: Duration,
}

impl Target {
    /// Makes a call. Returns the answer, if one came, and the time until then, and adds a call that
    /// failed or was late to the breaches.
    pub(super) async fn ask<M, A>(&self, message: M, faults: &mut Vec<AnswerFault>) -> (Option<A>, Duration)
    where
        M: prost::Message + Send + Sync + 'static,
        A: prost::Message + Default + Send + Sync + 'static,
    {
        let began = Instant::now();
        let answer = timeout(self.deadline + LATE, self.unary(message)).await;
        let took = began.elapsed();
        let fault = |what: String, change: &str| AnswerFault::new("", what, change);
        match answer {
            Ok(Ok(answer)) => {
                if took > self.deadline {
                    let (took, deadline) = (took.as_millis(), self.deadline.as_millis());
                    let change = "answer in time; leave items UNSPECIFIED that are not judged by then";
                    faults.push(fault(format!("the answer took {took} ms, and the deadline is {deadline} ms"), change));
                }
                (Some(answer), took)
            }
            Ok(Err(status)) => {
                let what = format!("the call failed with {:?}: {}", status.code(), status.message());
                faults.push(fault(what, "answer every request of the contract with OK"));
                (None, took)
            }
            Err(_elapsed) => {
                faults.push(fault(format!("no answer came within {} s", took.as_secs()), "answer within the deadline"));
                (None, took)
            }
        }
    }

    async fn unary<M, A>(&self, message: M) -> Result<A, Status>
    where
        M: prost::Message + Send + Sync + 'static,
        A: prost::Message + Default + Send + Sync + 'static,
    {
        let mut client = Grpc::new(self.connection.clone()).max_decoding_message_size(MAX_BYTES);
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let (path, codec) = (PathAndQuery::from_static(self.path), ProstCodec::<M, A>::default());
        Ok(client.unary(Request::new(message), path, codec).await?.into_inner())
    }
}
