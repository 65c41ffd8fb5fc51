//! The requests of an import: read ahead, and taken in batches.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures::{Stream, StreamExt};
use prost::Message;
use riposte_core::ids::Partition;
use riposte_sdk::v1::ImportCommentsRequest;
use riposte_sdk::v1::import_item::Kind;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tonic::Status;

/// The maximum number of items in one batch, and of those that are read ahead. The batches of four
/// streams leave a quarter of the usual write queues of a data source to other writes.
pub(crate) const BATCH: usize = 768;
/// The maximum number of items of one partition in a batch: those of four streams are as many as
/// its usual write queue holds.
const PARTITION_BATCH: usize = 256;
/// The maximum size of the requests of a stream that are read ahead or imported, in bytes. One
/// larger request is taken alone.
const BYTES_AHEAD: usize = 4 << 20;

/// A request with its part of [`BYTES_AHEAD`], which is free when it is dropped.
type QueuedRequest = (Result<ImportCommentsRequest, Status>, OwnedSemaphorePermit);

/// The requests that arrived and are not imported yet.
#[derive(Debug)]
pub(crate) struct RequestsAhead {
    receiver: mpsc::Receiver<QueuedRequest>,
    waiting: VecDeque<QueuedRequest>,
}

impl RequestsAhead {
    /// Begins to read requests.
    pub(crate) fn read(requests: impl Stream<Item = Result<ImportCommentsRequest, Status>> + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel(BATCH);
        tokio::spawn(async move {
            let (mut requests, bytes) = (Box::pin(requests), Arc::new(Semaphore::new(BYTES_AHEAD)));
            while let Some(request) = requests.next().await {
                let size = request.as_ref().map_or(0, Message::encoded_len).min(BYTES_AHEAD);
                let permit = Arc::clone(&bytes).acquire_many_owned(u32::try_from(size).unwrap_or(u32::MAX)).await;
                let Ok(permit) = permit else { return };
                if sender.send((request, permit)).await.is_err() {
                    return;
                }
            }
        });
        Self { receiver, waiting: VecDeque::new() }
    }

    /// Takes what has arrived, in its order and at least one request; nothing at the end.
    pub(crate) async fn batch(&mut self) -> Vec<QueuedRequest> {
        let mut arrived = Vec::new();
        if self.waiting.is_empty() {
            // Unlike a stream, which ends a turn of its task after 128 items.
            self.receiver.recv_many(&mut arrived, BATCH).await;
        }
        self.waiting.extend(arrived);
        while self.waiting.len() < BATCH
            && let Ok(request) = self.receiver.try_recv()
        {
            self.waiting.push_back(request);
        }
        let mut sizes: HashMap<Option<Partition>, usize> = HashMap::new();
        let fits = |(request, _): &&QueuedRequest| {
            let size = sizes.entry(request.as_ref().ok().and_then(partition)).or_default();
            *size += 1;
            *size <= PARTITION_BATCH
        };
        let count = self.waiting.iter().take_while(fits).count();
        self.waiting.drain(..count).collect()
    }
}

/// Returns the partition of an item; `None` for one without a subject.
fn partition(request: &ImportCommentsRequest) -> Option<Partition> {
    let key = match request.item.as_ref()?.kind.as_ref()? {
        Kind::Subject(subject) => subject.key.as_ref(),
        Kind::Comment(comment) => comment.subject.as_ref(),
        Kind::Like(like) => like.subject.as_ref(),
    };
    key.map(|key| Partition::of(&key.object_type, &key.object_id))
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use riposte_sdk::v1::{ImportItem, ImportedSubject, SubjectKey};

    use super::*;

    fn request(object_id: &str) -> ImportCommentsRequest {
        let key = SubjectKey { object_type: "t".to_owned(), object_id: object_id.to_owned() };
        let subject = ImportedSubject { key: Some(key), ..ImportedSubject::default() };
        ImportCommentsRequest { item: Some(ImportItem { kind: Some(Kind::Subject(subject)), ..ImportItem::default() }) }
    }

    #[tokio::test]
    async fn a_batch_has_no_more_items_of_a_partition_than_its_write_queue_holds() {
        let requests: Vec<_> = (0..600).map(|_| Ok(request("1"))).chain([Ok(request("2"))]).collect();
        let mut ahead = RequestsAhead::read(stream::iter(requests));
        let mut sizes = Vec::new();
        loop {
            let batch = ahead.batch().await;
            if batch.is_empty() {
                break;
            }
            sizes.push(batch.len());
        }
        assert!(sizes.iter().all(|size| *size <= PARTITION_BATCH + 1), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), 601);
    }

    #[tokio::test]
    async fn the_bytes_ahead_are_limited_and_free_with_their_batch() {
        let large = request(&"x".repeat(BYTES_AHEAD / 2));
        let mut ahead = RequestsAhead::read(stream::iter((0..3).map(move |_| Ok(large.clone()))));
        for _ in 0..3 {
            assert_eq!(ahead.batch().await.len(), 1, "two are larger than the limit");
        }
        assert!(ahead.batch().await.is_empty());
    }
}
