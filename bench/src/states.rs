//! One member's like states of a hundred comments, through gRPC.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::prepare;
use crate::raw::Raw;
use crate::report::Report;
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use prost::Message;
use riposte_sdk::v1;

/// The number of comments of one call.
const COMMENTS: usize = 100;
/// The member.
pub(crate) const MEMBER: &str = "reader";
const BATCH_GET_LIKE_STATES: &str = "/riposte.v1.LikeService/BatchGetLikeStates";

/// The load of like states.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 16)]
    callers: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares a hundred comments, half of them liked, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    let comment_ids = prepare::comments(&clients, &args.target, COMMENTS, 1).await?;
    for (number, comment_id) in comment_ids.iter().enumerate().filter(|(number, _)| number % 2 == 0) {
        let value = v1::LikeValue::Like.into();
        let like =
            v1::SetLikeRequest { comment_id: *comment_id, member_id: MEMBER.into(), value, ..Default::default() };
        clients.of(number).likes().set_like(like).await.context("SetLike")?;
    }
    let subject = args.target.keys(1).pop();
    let member_id = MEMBER.to_owned();
    let request = v1::BatchGetLikeStatesRequest { subject, member_id, comment_ids, ..Default::default() };
    let response = clients.of(0).likes().batch_get_like_states(request.clone()).await?.into_inner();
    ensure!(response.states.len() == COMMENTS, "{} states", response.states.len());
    let connections = args.target.open_raw()?;
    let request = Bytes::from(request.encode_to_vec());
    let caller = |number: usize| States {
        connection: connections[number % connections.len()].clone(),
        request: request.clone(),
    };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

struct States {
    connection: Raw,
    request: Bytes,
}

impl Caller for States {
    async fn call(&mut self) -> Result<()> {
        let states = self.connection.call(BATCH_GET_LIKE_STATES, self.request.clone()).await?;
        ensure!(!states.is_empty(), "no states");
        Ok(())
    }
}
