//! Batch reads through gRPC: a hundred subjects, or two hundred comments, whose rows lie in all
//! tables.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::prepare;
use crate::raw::Raw;
use crate::report::Report;
use anyhow::{Result, ensure};
use bytes::Bytes;
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;

/// The number of subjects of one call, and of those that the calls take them from.
pub(crate) const SUBJECTS: usize = 100;
const ALL_SUBJECTS: usize = 10 * SUBJECTS;
/// The number of comments of one call, and of those that the calls take them from: two to a
/// subject.
pub(crate) const COMMENTS: usize = 200;
const ALL_COMMENTS: usize = 10 * COMMENTS;
const BATCH_GET_SUBJECTS: &str = "/riposte.v1.SubjectService/BatchGetSubjects";
const BATCH_GET_COMMENTS: &str = "/riposte.v1.CommentService/BatchGetComments";

/// The load of batch reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 1)]
    callers: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares a thousand subjects, then measures.
pub(crate) async fn subjects(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    let keys = prepare::subjects(&clients, &args.target, ALL_SUBJECTS).await?;
    let request = |keys: &[v1::SubjectKey]| v1::BatchGetSubjectsRequest { keys: keys.to_vec(), ..Default::default() };
    let requests: Vec<_> = keys.chunks(SUBJECTS).map(request).collect();
    let found = clients.of(0).subjects().batch_get_subjects(requests[0].clone()).await?.into_inner().subjects.len();
    ensure!(found == SUBJECTS, "{found} subjects");
    args.measure(BATCH_GET_SUBJECTS, requests.iter().map(Message::encode_to_vec)).await
}

/// Prepares two thousand comments, then measures.
pub(crate) async fn comments(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    let ids = prepare::comments(&clients, &args.target, ALL_COMMENTS, ALL_SUBJECTS).await?;
    let request = |ids: &[i64]| v1::BatchGetCommentsRequest { ids: ids.to_vec(), ..Default::default() };
    let requests: Vec<_> = ids.chunks(COMMENTS).map(request).collect();
    let found = clients.of(0).comments().batch_get_comments(requests[0].clone()).await?.into_inner().comments.len();
    ensure!(found == COMMENTS, "{found} comments");
    args.measure(BATCH_GET_COMMENTS, requests.iter().map(Message::encode_to_vec)).await
}

impl Args {
    async fn measure(&self, method: &'static str, requests: impl Iterator<Item = Vec<u8>>) -> Result<Report> {
        let connections = self.target.open_raw()?;
        let requests: Arc<Vec<Bytes>> = Arc::new(requests.map(Bytes::from).collect());
        let caller = |number: usize| Batches {
            connection: connections[number % connections.len()].clone(),
            method,
            requests: Arc::clone(&requests),
        };
        self.span.closed((0..self.callers).map(caller).collect()).await
    }
}

struct Batches {
    connection: Raw,
    method: &'static str,
    /// The requests from which each call takes one at random.
    requests: Arc<Vec<Bytes>>,
}

impl Caller for Batches {
    async fn call(&mut self) -> Result<()> {
        let request = &self.requests[rand::random_range(0..self.requests.len())];
        let found = self.connection.call(self.method, request.clone()).await?;
        ensure!(!found.is_empty(), "an empty response");
        Ok(())
    }
}
