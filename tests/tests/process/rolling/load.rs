//! Callers that write, read and walk without a pause, and record every call that failed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::Client;
use riposte_sdk::v1::{
    Comment, CommentSort, CreateCommentRequest, GetSubjectRequest, LikeValue, ListCommentsRequest, SetLikeRequest,
    SubjectKey,
};
use riposte_tests::{real, say::content};
use tokio::task::JoinHandle;
use tonic::{Request, Status};

/// The number of subjects that are written to.
pub(super) const SUBJECTS: usize = 20;
/// The deadline of each call. It is long, because the test checks whether calls fail, and not their
/// latency. The settings of the servers allow as much.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Running callers.
#[derive(Debug)]
pub(super) struct Load {
    shared: Arc<Shared>,
    callers: Vec<JoinHandle<()>>,
}

/// The results of the callers.
#[derive(Debug)]
pub(super) struct Done {
    /// The number of calls made.
    pub(super) calls: u64,
    /// The error messages of the failed calls.
    pub(super) failures: Vec<String>,
    /// The floors of each subject from the responses, in no order.
    pub(super) floors: Vec<Vec<i32>>,
}

#[derive(Debug)]
struct Shared {
    client: Client,
    stop: AtomicBool,
    calls: AtomicU64,
    failures: Mutex<Vec<String>>,
    floors: Mutex<Vec<Vec<i32>>>,
}

/// Returns the subject of a number.
pub(super) fn subject(number: usize) -> SubjectKey {
    real::key("article", &format!("rolling-{}", number % SUBJECTS))
}

impl Load {
    /// Starts `callers` concurrent callers.
    pub(super) fn by(client: &Client, callers: usize) -> Self {
        let floors = Mutex::new(vec![Vec::new(); SUBJECTS]);
        let (client, stop, calls, failures) =
            (client.clone(), AtomicBool::default(), AtomicU64::default(), Mutex::default());
        let shared = Arc::new(Shared { client, stop, calls, failures, floors });
        let caller = |number| tokio::spawn(call(Arc::clone(&shared), number));
        Self { callers: (0..callers).map(caller).collect(), shared }
    }

    /// Returns the number of calls made so far.
    pub(super) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::Relaxed)
    }

    /// Stops the callers and returns their results.
    pub(super) async fn stop(self) -> Result<Done> {
        self.shared.stop.store(true, Ordering::Relaxed);
        try_join_all(self.callers).await?;
        let failures = std::mem::take(&mut *locked(&self.shared.failures));
        let floors = std::mem::take(&mut *locked(&self.shared.floors));
        Ok(Done { calls: self.shared.calls.load(Ordering::Relaxed), failures, floors })
    }
}

impl Done {
    /// Checks that every comment was created once: the floors of the responses run from 1 without a
    /// gap.
    pub(super) fn are_dense(&mut self) -> Result<()> {
        for (subject, floors) in self.floors.iter_mut().enumerate() {
            floors.sort_unstable();
            let dense = floors.iter().zip(1..).all(|(floor, expected)| *floor == expected);
            ensure!(dense, "subject {subject}: {floors:?}");
        }
        Ok(())
    }
}

/// Runs one caller, until it is stopped.
async fn call(shared: Arc<Shared>, number: usize) {
    let mut last = None;
    for step in number.. {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        let outcome = match step % 4 {
            0 => shared.write(step, &mut last).await,
            1 => shared.walk(step).await,
            2 => shared.like(last.as_ref(), number).await,
            _ => shared.get(step).await,
        };
        if let Err(status) = outcome {
            locked(&shared.failures).push(format!("{}: {status:?}", ["write", "walk", "like", "get"][step % 4]));
        }
    }
}

impl Shared {
    fn ask<T>(&self, message: T) -> Request<T> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut request = Request::new(message);
        request.set_timeout(TIMEOUT);
        request
    }

    async fn write(&self, step: usize, last: &mut Option<Comment>) -> Result<(), Status> {
        let request = CreateCommentRequest {
            subject: Some(subject(step / 4)),
            member_id: "m".to_owned(),
            content: content("while servers come and go"),
            ..CreateCommentRequest::default()
        };
        let made = self.client.comments().create_comment(self.ask(request)).await?.into_inner().comment;
        let comment = made.ok_or_else(|| Status::unknown("no comment in the answer"))?;
        locked(&self.floors)[step / 4 % SUBJECTS].push(comment.floor);
        *last = Some(comment);
        Ok(())
    }

    /// Reads two pages. The second page is usually read at another server, by the token of the
    /// first.
    async fn walk(&self, step: usize) -> Result<(), Status> {
        let sort = if step % 8 < 4 { CommentSort::Hot } else { CommentSort::Newest };
        let first = ListCommentsRequest {
            subject: Some(subject(step / 4)),
            sort: sort.into(),
            page_size: 5,
            ..ListCommentsRequest::default()
        };
        let token = self.client.comments().list_comments(self.ask(first.clone())).await?.into_inner().next_page_token;
        if !token.is_empty() {
            let second = ListCommentsRequest { page_token: token, ..first };
            self.client.comments().list_comments(self.ask(second)).await?;
        }
        Ok(())
    }

    async fn like(&self, last: Option<&Comment>, number: usize) -> Result<(), Status> {
        let Some(comment) = last else { return Ok(()) };
        let request = SetLikeRequest {
            comment_id: comment.id,
            member_id: format!("m{number}"),
            value: LikeValue::Like.into(),
            ..SetLikeRequest::default()
        };
        self.client.likes().set_like(self.ask(request)).await.map(drop)
    }

    async fn get(&self, step: usize) -> Result<(), Status> {
        let request = GetSubjectRequest { key: Some(subject(step / 4)), ..GetSubjectRequest::default() };
        self.client.subjects().get_subject(self.ask(request)).await.map(drop)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
