//! One operation, sent until it is answered or given up.
//!
//! The generated clients are used on a bare channel: the SDK's own retries would merge several
//! attempts into one result, and here each attempt counts.

use std::time::{Duration, Instant};

use anyhow::Result;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::like_service_client::LikeServiceClient;
use riposte_sdk::v1::reply_service_client::ReplyServiceClient;
use riposte_sdk::v1::{
    Comment, CreateCommentRequest, CreateReplyRequest, DeleteCommentRequest, SetLikeRequest, UndeleteCommentRequest,
    UpdateCommentRequest,
};
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::fleet::{Doors, SERVERS};
use super::ground;
use super::history::{Act, Answer, Op, Outcome};
use super::verdict::Failure;
use crate::say::content;

/// Timeout of an attempt.
const ATTEMPT: Duration = Duration::from_secs(3);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// An operation to send.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) client: usize,
    pub(super) act: Act,
    pub(super) request_id: String,
    /// The server to call; `None` selects any server, another one at each attempt.
    pub(super) door: Option<usize>,
    /// Timeout of the first attempt; it is so short that the call is cancelled in the middle of its
    /// work.
    pub(super) hurry: Option<Duration>,
    /// Period in which attempts are repeated; zero allows one attempt.
    pub(super) patience: Duration,
}

impl Ask {
    /// Repeats the call until it is answered or the period ends. Times count from `start`.
    pub(super) async fn run(self, doors: &Doors, start: Instant) -> Op {
        let begun = start.elapsed();
        let (mut attempts, mut unclear) = (0, None);
        let outcome = loop {
            attempts += 1;
            let channel = doors.channel(self.door.unwrap_or_else(|| rand::random_range(0..SERVERS)));
            let limit = self.hurry.filter(|_| attempts == 1).unwrap_or(ATTEMPT);
            let failure = match attempt(channel, &self.act, &self.request_id, limit).await {
                Ok(answer) => break Outcome::Acknowledged(answer),
                Err(status) => Failure::of(status),
            };
            if !failure.effectless {
                unclear = Some(failure.words.clone());
            }
            if !failure.passing || start.elapsed() - begun >= self.patience {
                // A refusal covers its own attempt only; an earlier attempt may still be in flight.
                break unclear.map_or(Outcome::Refused(failure.words), Outcome::Unknown);
            }
            tokio::time::sleep(PAUSE.mul_f64(rand::random())).await;
        };
        let Self { client, act, request_id, .. } = self;
        Op { client, act, request_id, begun, ended: start.elapsed(), attempts, outcome }
    }
}

async fn attempt(channel: Channel, act: &Act, id: &str, limit: Duration) -> Result<Answer, Status> {
    let sent = tokio::time::timeout(limit + Duration::from_millis(200), send(channel, act, id.to_owned(), limit));
    sent.await.map_err(|_| Status::deadline_exceeded("no answer in time"))?
}

async fn send(channel: Channel, act: &Act, request_id: String, limit: Duration) -> Result<Answer, Status> {
    let mut comments = CommentServiceClient::new(channel.clone());
    match act.clone() {
        Act::Root { subject, member: member_id, text } => {
            let (subject, content) = (Some(ground::key(subject)), content(&text));
            let request = CreateCommentRequest { subject, member_id, content, client: None, request_id };
            let made = comments.create_comment(within(limit, request)).await?.into_inner();
            Ok(answer(made.comment, made.subject_revision))
        }
        Act::Reply { parent: parent_id, member: member_id, text } => {
            let content = content(&text);
            let request = CreateReplyRequest { parent_id, member_id, content, client: None, request_id };
            let made = ReplyServiceClient::new(channel).create_reply(within(limit, request)).await?.into_inner();
            Ok(answer(made.reply, made.subject_revision))
        }
        Act::Like { comment: comment_id, member: member_id, value } => {
            let request = SetLikeRequest { comment_id, member_id, value: value.into(), request_id };
            LikeServiceClient::new(channel).set_like(within(limit, request)).await?;
            Ok(Answer { id: comment_id, ..Answer::default() })
        }
        Act::Delete { comment: id, member: member_id } => {
            let request = DeleteCommentRequest { id, member_id, request_id, ..DeleteCommentRequest::default() };
            let gone = comments.delete_comment(within(limit, request)).await?.into_inner();
            Ok(answer(gone.comment, gone.subject_revision))
        }
        Act::Undelete { comment: id, member: member_id } => {
            let request = UndeleteCommentRequest { id, member_id, request_id };
            let back = comments.undelete_comment(within(limit, request)).await?.into_inner();
            Ok(answer(back.comment, back.subject_revision))
        }
        Act::Edit { comment: id, member: member_id, text } => {
            let (content, etag) = (content(&text), String::new());
            let request = UpdateCommentRequest { id, member_id, content, etag, request_id };
            let edited = comments.update_comment(within(limit, request)).await?.into_inner();
            Ok(answer(edited.comment, edited.subject_revision))
        }
    }
}

fn within<T>(limit: Duration, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    request
}

fn answer(comment: Option<Comment>, revision: i64) -> Answer {
    let comment = comment.unwrap_or_default();
    Answer { id: comment.id, root: comment.root_id, floor: comment.floor, revision }
}
