//! The client for programs without an async runtime, which the module `blocking` re-exports.
//!
//! It runs the asynchronous client on a thread of its own. A program that has a tokio runtime
//! should use the asynchronous client: blocking within a runtime stops one of its threads, and
//! tokio panics.

use crate::{Error, Follow, List, Options};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tonic::Status;

/// A client for all services of one address; see [`crate::Client`]. Cloning is cheap; threads may
/// share it.
#[derive(Debug, Clone)]
pub struct Client {
    inner: crate::Client,
    runtime: Arc<Runtime>,
}

impl Client {
    /// Creates a client from the variables that [`Options::from_env`] reads.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if a variable is unusable; UNAVAILABLE if no thread can be started.
    pub fn from_env() -> Result<Self, Error> {
        Self::open(Options::from_env()?)
    }

    /// Creates a client for one address, without a token; see [`crate::Client::connect`].
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the address is malformed; UNAVAILABLE if no thread can be started.
    pub fn connect(target: impl Into<String>) -> Result<Self, Error> {
        Self::open(Options { target: target.into(), ..Default::default() })
    }

    /// Creates a client from options. The client does not connect before the first call.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if an option is unusable; UNAVAILABLE if no thread can be started.
    pub fn open(options: Options) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("riposte").enable_all().build();
        let runtime = runtime.map_err(|error| Status::unavailable(format!("no thread for the client: {error}")))?;
        let inner = runtime.block_on(async { crate::Client::open(options) })?;
        Ok(Self { inner, runtime: Arc::new(runtime) })
    }

    /// Waits until an address accepts connections; no call needs this.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED when the timeout ends, with the last failure.
    pub fn wait_ready(&self, timeout: Duration) -> Result<(), Error> {
        self.wait(self.inner.wait_ready(timeout))
    }

    /// Returns the asynchronous client, whose generated clients make every call of the contract:
    /// `client.wait(client.asynchronous().comments().get_comment(request))`.
    pub fn asynchronous(&self) -> &crate::Client {
        &self.inner
    }

    /// Runs a future of the asynchronous client to its end.
    pub fn wait<F: Future>(&self, work: F) -> F::Output {
        self.runtime.block_on(work)
    }

    /// Returns the pages of a list, from the one that the request names to the end.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the request is wrong in itself; see [`crate::Client::list`].
    pub fn list<R: List>(&self, request: R) -> Result<Pages<R>, Error> {
        Ok(Pages::new(self.clone(), self.inner.list(request)?, |_, item| item))
    }

    /// Follows the changes that the request names; see [`crate::Client::follow`].
    ///
    /// # Errors
    /// A refusal, at once; UNAVAILABLE if no service opens the stream in time.
    pub fn follow<R: Follow>(&self, request: R) -> Result<Watch<R>, Error> {
        Ok(Watch::new(self.clone(), self.wait(self.inner.follow(request))?))
    }
}

/// The pages of a list, as an iterator; their items become `B`s. After an error, the next call
/// repeats the same request.
#[derive(Debug)]
pub struct Pages<R: List, T = <R as List>::Item, B = T> {
    client: Client,
    walk: crate::Pages<R, T>,
    hold: fn(&Client, T) -> B,
}

/// The items of a list, as an iterator. After an error, the next call repeats the same request.
#[derive(Debug)]
pub struct Items<R: List, T = <R as List>::Item, B = T> {
    client: Client,
    walk: crate::Items<R, T>,
    hold: fn(&Client, T) -> B,
}

/// A stream of changes without an end, which resumes by itself.
#[derive(Debug)]
pub struct Watch<R: Follow> {
    client: Client,
    walk: crate::Watch<R>,
}

impl<R: List, T, B> Pages<R, T, B> {
    pub(crate) fn new(client: Client, walk: crate::Pages<R, T>, hold: fn(&Client, T) -> B) -> Self {
        Self { client, walk, hold }
    }

    /// Converts the walk over pages into a walk over items.
    pub fn items(self) -> Items<R, T, B> {
        Items { client: self.client, walk: self.walk.items(), hold: self.hold }
    }
}

impl<R: List, T, B> Iterator for Pages<R, T, B> {
    type Item = Result<R::Page, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.client.wait(self.walk.next()).transpose()
    }
}

impl<R: List, T, B> Iterator for Items<R, T, B> {
    type Item = Result<B, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.client.wait(self.walk.next()).transpose();
        item.map(|item| item.map(|item| (self.hold)(&self.client, item)))
    }
}

impl<R: Follow> Watch<R> {
    pub(crate) fn new(client: Client, walk: crate::Watch<R>) -> Self {
        Self { client, walk }
    }
}

impl<R: Follow> Iterator for Watch<R> {
    type Item = Result<R::Event, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.client.wait(self.walk.next()))
    }
}
