//! ExportSubject: streams the subject, its comments with parents first, then its likes.

use std::collections::HashMap;

use riposte_core::ports::{ExportedComment, ExportedLike};
use riposte_core::{CommentId, Error, SubjectKey};
use riposte_sdk::v1;
use riposte_sdk::v1::export_subject_response::Item;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::call::{Call, ResponseStream};
use crate::parse::{self, Violations};
use crate::{Services, convert};

/// The number of rows that an export reads at a time.
const CHUNK: usize = 200;

type Sender = mpsc::Sender<Result<v1::ExportSubjectResponse, Status>>;

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::ExportSubjectRequest,
) -> Result<ResponseStream<v1::ExportSubjectResponse>, Status> {
    let mut v = Violations::default();
    let key = v.take(parse::subject_key("key", request.key.as_ref()));
    let (key,) = v.all((key,)).map_err(|error| call.status(error))?;
    let found = services.comments.subjects(&call.caller, std::slice::from_ref(&key), 0).await;
    let found = found.map_err(|error| call.status(error))?.pop().flatten().filter(|subject| subject.version > 0);
    let subject = found.ok_or_else(|| call.status(Error::SubjectNotFound))?;
    let (responses, receiver) = mpsc::channel(CHUNK);
    let stopping = services.clone();
    tokio::spawn(async move {
        let subject = v1::ExportedSubject { subject: Some(convert::subject(&subject)) };
        let mut export = Export { services, call, responses };
        if !export.send(Item::Subject(subject)).await {
            return;
        }
        let done = tokio::select! {
            biased;
            () = stopping.stopped() => Err(Error::ServerStopping),
            done = export.send_comments_and_likes(&key) => done,
        };
        if let Err(error) = done {
            let status = export.call.status(error);
            let _ = export.responses.send(Err(status)).await;
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

/// A comment with the number of its likes and dislikes.
struct LikedComment {
    id: CommentId,
    likes: usize,
}

struct Export {
    services: Services,
    call: Call,
    responses: Sender,
}

impl Export {
    /// Sends an item. Returns false if the reader has disconnected.
    async fn send(&mut self, item: Item) -> bool {
        self.responses.send(Ok(v1::ExportSubjectResponse { item: Some(item) })).await.is_ok()
    }

    async fn send_comments_and_likes(&mut self, key: &SubjectKey) -> Result<(), Error> {
        let mut after = None;
        // Parents come first, so a child finds the external id under which its parent was exported.
        let mut external_ids: HashMap<CommentId, String> = HashMap::new();
        let mut liked = Vec::new();
        loop {
            let chunk = self.services.comments.export_comments(&self.call.caller, key, after, CHUNK).await?;
            let is_last = chunk.len() < CHUNK;
            after = chunk.last().map(|last| last.view.comment.reference.id);
            for exported in chunk {
                let comment = &exported.view.comment;
                let likes = i64::from(comment.counts.like_count) + i64::from(comment.counts.dislike_count);
                if let Some(likes) = usize::try_from(likes).ok().filter(|likes| *likes > 0) {
                    liked.push(LikedComment { id: comment.reference.id, likes });
                }
                if let Some(origin) = &exported.origin {
                    external_ids.insert(comment.reference.id, origin.external_id.clone());
                }
                let item = Item::Comment(exported_comment(&exported, &external_ids));
                if !self.send(item).await {
                    return Ok(());
                }
            }
            if is_last {
                break;
            }
        }
        for ids in groups(liked) {
            if !self.send_likes(&ids).await? {
                break;
            }
        }
        Ok(())
    }

    async fn send_likes(&mut self, ids: &[CommentId]) -> Result<bool, Error> {
        let mut after = None;
        loop {
            let chunk = self.services.comments.export_likes(ids, after.as_ref(), CHUNK).await?;
            let is_last = chunk.len() < CHUNK;
            after = chunk.last().cloned();
            for ExportedLike { comment, liker } in chunk {
                let like = v1::ExportedLike {
                    comment_id: comment.get(),
                    member_id: liker.member.as_str().to_owned(),
                    value: convert::like_value(liker.value).into(),
                    time: Some(convert::time(liker.time)),
                };
                if !self.send(Item::Like(like)).await {
                    return Ok(false);
                }
            }
            if is_last {
                return Ok(true);
            }
        }
    }
}

/// Divides comments into groups with fewer than [`CHUNK`] likes, so that one read has all likes of
/// a group. A comment with at least [`CHUNK`] likes is a group of its own, which is read in parts.
fn groups(liked: Vec<LikedComment>) -> Vec<Vec<CommentId>> {
    let (mut groups, mut likes_of_last) = (Vec::<Vec<CommentId>>::new(), 0);
    for LikedComment { id, likes } in liked {
        likes_of_last += likes;
        match groups.last_mut().filter(|_| likes_of_last < CHUNK) {
            Some(group) => group.push(id),
            None => {
                groups.push(vec![id]);
                likes_of_last = likes;
            }
        }
    }
    groups
}

fn exported_comment(exported: &ExportedComment, external_ids: &HashMap<CommentId, String>) -> v1::ExportedComment {
    let ExportedComment { view, client, origin } = exported;
    let (source, external_id) =
        origin.as_ref().map_or_else(Default::default, |origin| (origin.source.clone(), origin.external_id.clone()));
    let parent = view.comment.reference.parent_id.and_then(|parent| external_ids.get(&parent));
    v1::ExportedComment {
        comment: Some(convert::complete_comment(view.clone())),
        client: (!client.is_empty()).then(|| convert::client(client.clone())),
        source,
        external_id,
        parent_external_id: parent.cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_has_the_likes_of_as_many_comments_as_fit() {
        let id = |n| CommentId::new(n).unwrap();
        let groups_of = |likes: &[usize]| {
            let liked = (1..).zip(likes).map(|(n, likes)| LikedComment { id: id(n), likes: *likes });
            groups(liked.collect()).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(groups_of(&[]), [0; 0]);
        assert_eq!(groups_of(&[1; 199]), [199]);
        assert_eq!(groups_of(&[1; 400]), [199, 199, 2]);
        assert_eq!(groups_of(&[150, 60, 100, 5_000, 1, 1]), [1, 2, 1, 2]);
    }
}
