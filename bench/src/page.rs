//! First pages through gRPC.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::held::HeldCreates;
use crate::raw::{LIST_COMMENTS, Raw};
use crate::report::Report;
use anyhow::{Result, ensure};
use bytes::Bytes;
use prost::Message;
use riposte_sdk::v1;
use std::sync::Arc;

/// The pages to read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Subjects that the reads are spread over at random; they must exist
    #[arg(long, default_value_t = 1)]
    subjects: usize,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 64)]
    callers: usize,
    /// Creates per second beside the reads on the first subject, each of which waits for review;
    /// above 0 the subject's mode is PRE from then on
    #[arg(long, default_value_t = 0)]
    held_creates: u32,
    #[command(flatten)]
    span: MeasureTime,
}

/// Measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.subjects > 0, "at least one subject");
    let connections = args.target.open_raw()?;
    let keys = args.target.keys(args.subjects);
    let requests: Arc<Vec<Bytes>> = Arc::new(keys.into_iter().map(|key| request(key).encode_to_vec().into()).collect());
    let caller = |number: usize| Pages {
        connection: connections[number % connections.len()].clone(),
        requests: Arc::clone(&requests),
    };
    let callers = (0..args.callers).map(caller).collect();
    if args.held_creates == 0 {
        return args.span.closed(callers).await;
    }
    let beside = HeldCreates::begin(&args.target, args.held_creates).await?;
    let report = args.span.closed(callers).await?;
    beside.end().await?;
    Ok(report)
}

/// Returns the request of a first page: 20 roots with 3 replies each.
pub(crate) fn request(key: v1::SubjectKey) -> v1::ListCommentsRequest {
    v1::ListCommentsRequest { subject: Some(key), ..Default::default() }
}

/// One caller.
pub(crate) struct Pages {
    pub(crate) connection: Raw,
    /// The requests from which each call takes one at random.
    pub(crate) requests: Arc<Vec<Bytes>>,
}

impl Caller for Pages {
    async fn call(&mut self) -> Result<()> {
        let request = &self.requests[rand::random_range(0..self.requests.len())];
        let page = self.connection.call(LIST_COMMENTS, request.clone()).await?;
        ensure!(!page.is_empty(), "an empty page");
        Ok(())
    }
}
