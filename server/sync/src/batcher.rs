//! Combines requests that arrive while others are in progress.
//!
//! A few workers serve the requests. A worker takes all waiting requests as one batch, responds to
//! them together, and repeats this until no request waits. A single request is therefore served at
//! once; under load the batches become larger, not more numerous. The requests of a batch are in
//! the order of their arrival.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The waiting requests, and the number of workers that serve them.
#[derive(Debug)]
pub struct Batcher<Q, A> {
    queue: Mutex<Queue<Q, A>>,
    max_workers: usize,
}

#[derive(Debug)]
struct Queue<Q, A> {
    waiting: Vec<BatchedRequest<Q, A>>,
    workers: usize,
}

/// A request of a batch, with the channel for its response.
#[derive(Debug)]
pub struct BatchedRequest<Q, A> {
    /// The request.
    pub request: Q,
    reply: oneshot::Sender<A>,
}

/// A worker. The task that runs it responds to the batches of [`BatchWorker::next_batch`] until
/// that method returns `None`.
#[derive(Debug)]
pub struct BatchWorker<Q, A> {
    batcher: Arc<Batcher<Q, A>>,
    is_counted: bool,
}

impl<Q, A> Batcher<Q, A> {
    /// Creates a batcher that has at most `max_workers` workers at a time.
    #[must_use]
    pub fn new(max_workers: usize) -> Arc<Self> {
        Arc::new(Self { queue: Mutex::new(Queue { waiting: Vec::new(), workers: 0 }), max_workers })
    }

    /// Adds a request. Returns the channel of its response, and, if fewer than the maximum of
    /// workers exist, a new worker, which the caller must run in a task of its own. The channel
    /// closes without a response if the worker that took the request is dropped, or if the last
    /// worker is dropped before any worker took the request.
    pub fn add(self: &Arc<Self>, request: Q) -> (oneshot::Receiver<A>, Option<BatchWorker<Q, A>>) {
        let (reply, response) = oneshot::channel();
        let mut queue = self.queue();
        queue.waiting.push(BatchedRequest { request, reply });
        if queue.workers >= self.max_workers {
            return (response, None);
        }
        queue.workers += 1;
        (response, Some(BatchWorker { batcher: Arc::clone(self), is_counted: true }))
    }

    fn queue(&self) -> MutexGuard<'_, Queue<Q, A>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q, A> BatchWorker<Q, A> {
    /// Takes all waiting requests. Returns `None` if no request waits; the worker has then ended.
    pub fn next_batch(&mut self) -> Option<Vec<BatchedRequest<Q, A>>> {
        let mut queue = self.batcher.queue();
        if queue.waiting.is_empty() {
            queue.workers -= usize::from(std::mem::take(&mut self.is_counted));
            return None;
        }
        Some(std::mem::take(&mut queue.waiting))
    }
}

/// A worker that is dropped before its end, for example by a panic, no longer counts, so the next
/// request gets a new worker. If it was the last one, the channels of the waiting requests close:
/// no worker would take them before the next request arrives.
impl<Q, A> Drop for BatchWorker<Q, A> {
    fn drop(&mut self) {
        if !self.is_counted {
            return;
        }
        let mut queue = self.batcher.queue();
        queue.workers -= 1;
        let abandoned = if queue.workers == 0 { std::mem::take(&mut queue.waiting) } else { Vec::new() };
        // Dropped without the lock, since a request may run code of its owner.
        drop(queue);
        drop(abandoned);
    }
}

impl<Q, A> BatchedRequest<Q, A> {
    /// Sends the response. If the caller no longer waits, the response is dropped.
    pub fn respond(self, response: A) {
        let _ = self.reply.send(response);
    }
}

#[cfg(test)]
mod tests {
    use super::{BatchWorker, Batcher};

    fn serve(worker: &mut BatchWorker<u8, u8>) -> Vec<u8> {
        let batch = worker.next_batch().unwrap_or_default();
        let requests = batch.iter().map(|waiting| waiting.request).collect();
        batch.into_iter().for_each(|waiting| {
            let response = waiting.request * 10;
            waiting.respond(response);
        });
        requests
    }

    #[tokio::test]
    async fn requests_that_arrive_while_the_workers_are_busy_are_one_batch() {
        let batcher = Batcher::new(2);
        let (first, one) = batcher.add(1);
        let mut one = one.expect("the first worker");
        let (second, two) = batcher.add(2);
        assert_eq!(serve(&mut one), [1, 2], "the second worker has not started yet");
        let later: Vec<_> = (3..6).map(|n| batcher.add(n)).collect();
        assert!(later.iter().all(|(_, worker)| worker.is_none()), "two workers are enough");
        assert_eq!(serve(&mut two.expect("the second worker")), [3, 4, 5]);
        assert_eq!((first.await, second.await), (Ok(10), Ok(20)));
        for (n, (response, _)) in (3..6).zip(later) {
            assert_eq!(response.await, Ok(n * 10));
        }
        assert!(one.next_batch().is_none() && one.next_batch().is_none());
        assert_eq!(batcher.queue().workers, 0);
    }

    #[tokio::test]
    async fn a_worker_that_is_lost_is_replaced_by_the_next_one() {
        let batcher = Batcher::new(1);
        let (lost, worker) = batcher.add(1);
        let mut worker = worker.expect("a worker");
        assert_eq!(worker.next_batch().map(|batch| batch.len()), Some(1));
        let (waiting, _) = batcher.add(3);
        drop(worker);
        assert!(lost.await.is_err(), "its request has no response");
        let waited = tokio::time::timeout(std::time::Duration::from_secs(5), waiting).await;
        assert!(waited.is_ok_and(|response| response.is_err()), "no worker would take the request that waited");
        let (response, worker) = batcher.add(2);
        assert_eq!(serve(&mut worker.expect("a worker again")), [2]);
        assert_eq!(response.await, Ok(20));
    }
}
