//! SetLike through gRPC, in closed loops.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::members::Members;
use crate::prepare;
use crate::report::Report;
use anyhow::{Result, ensure};
use riposte_sdk::{Connection, v1};
use std::sync::Arc;
use v1::like_service_client::LikeServiceClient;

/// The maximum number of comments on a subject.
const COMMENTS_PER_SUBJECT: usize = 100;

/// The comments to like.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Comments that the likes are spread over at random; 1 is a hot one. A subject has at most
    /// 100 of them
    #[arg(long, default_value_t = 1)]
    comments: usize,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 256)]
    callers: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares the comments, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.comments > 0, "at least one comment");
    let clients = args.target.open()?;
    let subjects = args.comments.div_ceil(COMMENTS_PER_SUBJECT);
    let comments = Arc::new(prepare::comments(&clients, &args.target, args.comments, subjects).await?);
    let members = Arc::new(Members::default());
    let caller = |number| Likes {
        likes: clients.of(number).likes(),
        comments: Arc::clone(&comments),
        members: Arc::clone(&members),
    };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

/// One caller.
pub(crate) struct Likes {
    pub(crate) likes: LikeServiceClient<Connection>,
    pub(crate) comments: Arc<Vec<i64>>,
    pub(crate) members: Arc<Members>,
}

impl Caller for Likes {
    async fn call(&mut self) -> Result<()> {
        let request = v1::SetLikeRequest {
            comment_id: self.comments[rand::random_range(0..self.comments.len())],
            member_id: self.members.next(),
            value: v1::LikeValue::Like.into(),
            ..Default::default()
        };
        let response = self.likes.set_like(request).await?.into_inner();
        ensure!(response.changed, "a new member's like changed nothing");
        Ok(())
    }
}
