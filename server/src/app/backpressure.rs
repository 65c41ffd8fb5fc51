//! Scheduler backpressure. A call that its client resets at once frees its slot among the streams
//! of its connection, while its task stays until it has been polled. Clients that open and reset
//! streams faster than tasks are polled would exhaust the memory, over any number of connections.
//! So connections are not read while too many tasks wait for a processor; the data stays in the
//! socket, and the client waits too.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeMetrics};
use tokio::time::Sleep;

/// The maximum number of tasks that wait outside the local queues of the workers, beyond one for
/// each connection: a few hundredths of a second of work and some tens of MiB.
const WAITING_TASKS_MAX: usize = 4_096;
/// The pause of a connection in milliseconds: random, so that connections do not resume together,
/// at least `PAUSE_MIN` and less than a bound. The bound doubles with each pause in a row, since
/// paused connections are tasks too.
const PAUSE_MIN: u64 = 2;
const PAUSE_BOUND: std::ops::RangeInclusive<u64> = 20..=200;

/// The view of one connection on the load of its runtime.
pub(super) struct SchedulerBackpressure {
    runtime: RuntimeMetrics,
    pause: Option<Pin<Box<Sleep>>>,
    bound: u64,
}

impl SchedulerBackpressure {
    /// Observes the runtime in which this is called.
    pub(super) fn observe_current() -> Self {
        Self { runtime: Handle::current().metrics(), pause: None, bound: *PAUSE_BOUND.start() }
    }

    /// Returns ready when the connection, one of `connections`, may be read.
    pub(super) fn poll_ready(&mut self, connections: usize, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            if self.runtime.global_queue_depth() < WAITING_TASKS_MAX + connections {
                self.bound = *PAUSE_BOUND.start();
                return Poll::Ready(());
            }
            let pause = Duration::from_millis(rand::random_range(PAUSE_MIN..self.bound));
            self.bound = (2 * self.bound).min(*PAUSE_BOUND.end());
            self.pause = Some(Box::pin(tokio::time::sleep(pause)));
        }
    }
}

impl fmt::Debug for SchedulerBackpressure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerBackpressure").field("pauses", &self.pause.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::{Arc, Barrier};

    use super::{SchedulerBackpressure, WAITING_TASKS_MAX};

    #[test]
    fn a_connection_pauses_while_too_many_tasks_wait_and_continues_when_they_were_polled() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (busy, free) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        // The only worker is blocked while tasks queue up to the limit.
        let held = [Arc::clone(&busy), Arc::clone(&free)];
        runtime.spawn(async move {
            for barrier in held {
                barrier.wait();
            }
        });
        busy.wait();
        let mut backpressure = {
            let _inside = runtime.enter();
            SchedulerBackpressure::observe_current()
        };
        let mut check = || {
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            let _inside = runtime.enter();
            [1, 0].map(|connections| backpressure.poll_ready(connections, &mut context).is_ready())
        };
        assert_eq!(check(), [true; 2], "no task waits");
        let waiting: Vec<_> = (0..WAITING_TASKS_MAX).map(|_| runtime.spawn(async {})).collect();
        assert_eq!(check(), [true, false], "more tasks wait than the limit, but one for each connection may wait");
        free.wait();
        runtime.block_on(async {
            for task in waiting {
                task.await.unwrap();
            }
            poll_fn(|cx| backpressure.poll_ready(0, cx)).await;
        });
    }
}
