use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::body::Bytes;
use riposte_core::event::{ChangeKind, Changes, CommentChange, Event, SequencedEvent};
use riposte_core::{Caller, Error, Millis, Partition, SubjectId, SubjectKey};
use riposte_telemetry::Metrics;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{PageBytes, ResponseCache, ResponseCacheLimits, invalidation_of};
use crate::response_cache::entry::Invalidation;
use crate::response_cache::{MAX_AGE, SubjectRates};

const LIMITS: ResponseCacheLimits = ResponseCacheLimits {
    enabled: true,
    threshold: 0.0,
    pages: 8,
    bytes: 1 << 20,
    read_timeout: Duration::from_secs(60),
};

fn pages(limits: ResponseCacheLimits) -> ResponseCache {
    ResponseCache::new(limits, SubjectRates::new(Duration::from_secs(60), 64), Metrics::new().expect("sound"))
}

fn caller() -> Caller {
    Caller::unrestricted("team")
}

fn key(id: &str) -> SubjectKey {
    SubjectKey::stored("video".to_owned(), id.to_owned())
}

fn subject() -> SubjectId {
    SubjectId::new(9).expect("positive")
}

/// A primary that returns the number of its reads.
#[derive(Debug, Clone, Default)]
struct Primary(Arc<AtomicUsize>);

impl Primary {
    fn read(self) -> Ready<Result<PageBytes, Error>> {
        let text = (self.0.fetch_add(1, Ordering::SeqCst) + 1).to_string();
        ready(Ok(PageBytes { bytes: text.into(), subject: subject() }))
    }

    fn reads(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn change_of(kind: ChangeKind) -> Changes {
    let id = subject().into();
    Changes { comments: vec![CommentChange { id, root: None, kind }], ..Changes::default() }
}

fn event(changes: Changes) -> SequencedEvent {
    let partition: Partition = subject().partition();
    SequencedEvent {
        number: 1,
        event: Event { partition, subject: subject(), revision: Some(2), changes, time: Millis(0) },
    }
}

#[tokio::test]
async fn a_thousand_concurrent_readers_cause_one_read() {
    let (pages, primary) = (pages(LIMITS), Primary::default());
    let response = pages.admit(&caller(), b"first page", &key("a")).expect("every subject is hot");
    // The primary responds only when all readers wait.
    let (open, gate) = watch::channel(false);
    let mut readers = JoinSet::new();
    for _ in 0..1_000 {
        let (pages, response, primary, gate) = (pages.clone(), response.clone(), primary.clone(), gate.clone());
        readers.spawn(async move {
            let reading = || {
                let (primary, mut gate) = (primary.clone(), gate.clone());
                async move {
                    gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
                    primary.read().await
                }
            };
            pages.read(&response, reading).await
        });
    }
    while pages.0.misses.load(Ordering::SeqCst) < 1_000 {
        tokio::task::yield_now().await;
    }
    open.send_replace(true);
    while let Some(read) = readers.join_next().await {
        assert_eq!(read.expect("no panic"), Ok(Bytes::from_static(b"1")));
    }
    assert_eq!(primary.reads(), 1);
    assert_eq!(pages.read(&response, || primary.clone().read()).await, Ok(Bytes::from_static(b"1")), "cached");
}

#[tokio::test]
async fn concurrent_readers_of_a_page_that_is_not_cached_share_a_read_that_begins_after_them() {
    let (pages, primary) = (pages(LIMITS), Primary::default());
    let (open, gate) = watch::channel(false);
    let request = |caller: Caller| {
        let (pages, primary, mut gate) = (pages.clone(), primary.clone(), gate.clone());
        let reading = move || async move {
            let read = primary.read().await;
            gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
            read
        };
        tokio::spawn(async move { pages.share(caller, Bytes::from_static(b"first page"), reading).await })
    };
    let first = request(caller());
    while primary.reads() == 0 {
        tokio::task::yield_now().await;
    }
    let later: Vec<_> = (0..1_000).map(|_| request(caller())).collect();
    let stranger = request(Caller::unrestricted("others"));
    while primary.reads() < 2 {
        tokio::task::yield_now().await;
    }
    open.send_replace(true);
    assert_eq!(first.await.expect("it ends"), Ok(Bytes::from_static(b"1")));
    assert_eq!(stranger.await.expect("it ends"), Ok(Bytes::from_static(b"2")), "a caller has pages of its own");
    for task in later {
        assert_eq!(task.await.expect("it ends"), Ok(Bytes::from_static(b"3")));
    }
}

#[tokio::test]
async fn a_read_continues_when_its_caller_cancels_and_a_panic_is_an_error() {
    let (pages, primary) = (pages(LIMITS), Primary::default());
    let response = pages.admit(&caller(), b"first page", &key("a")).expect("every subject is hot");
    let panicked = pages.read(&response, || async { panic!("a fault in a handler") });
    assert!(matches!(panicked.await, Err(Error::Internal(_))));
    let (open, gate) = watch::channel(false);
    let reading = || {
        let (primary, mut gate) = (primary.clone(), gate.clone());
        async move {
            gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
            primary.read().await
        }
    };
    {
        let first = std::pin::pin!(pages.read(&response, reading));
        assert!(futures::poll!(first).is_pending());
    }
    open.send_replace(true);
    assert_eq!(pages.read(&response, reading).await, Ok(Bytes::from_static(b"1")));
}

#[tokio::test]
async fn a_page_belongs_to_its_caller_and_its_request() {
    let pages = pages(LIMITS);
    assert!(pages.find(&caller(), b"one").is_none());
    pages.admit(&caller(), b"one", &key("a")).expect("capacity for a page");
    assert!(pages.find(&caller(), b"one").is_some());
    assert!(pages.find(&caller(), b"two").is_none());
    assert!(pages.find(&Caller::unrestricted("others"), b"one").is_none());
}

#[tokio::test]
async fn subjects_become_hot_by_their_reads_and_pages_without_readers_are_removed() {
    let (pages, primary) = (pages(ResponseCacheLimits { threshold: 2.0, ..LIMITS }), Primary::default());
    let read = || {
        pages.count(&key("a"));
        pages.admit(&caller(), b"one", &key("a"))
    };
    // 120 reads in the window of 60 s are 2 reads per second.
    let response = (0..120).find_map(|_| read()).expect("it becomes hot");
    assert_eq!(pages.rates().reads(&key("a")), 2.0);
    assert!(pages.admit(&caller(), b"one", &key("b")).is_none());
    pages.read(&response, || primary.clone().read()).await.expect("a page");
    let begin = Instant::now();
    pages.sweep(begin);
    assert!(pages.find(&caller(), b"one").is_some() && pages.0.budget.used() == 1);
    assert!(pages.rates().reads(&key("a")) > 2.0, "reads that a cached page serves are counted too");
    pages.sweep(begin + MAX_AGE + Duration::from_secs(1));
    assert!(pages.find(&caller(), b"one").is_none() && pages.0.budget.used() == 0);
    let text = pages.0.metrics.text().expect("sound");
    assert!(
        text.contains("riposte_response_cache_loads_total 1") && text.contains("riposte_response_cache_pages 0"),
        "{text}"
    );
}

#[tokio::test]
async fn a_million_subjects_take_the_memory_of_a_few() {
    let pages = pages(LIMITS);
    let mut admitted = 0;
    for n in 0..1_000_000 {
        let subject = key(&n.to_string());
        pages.count(&subject);
        admitted += usize::from(pages.admit(&caller(), subject.object_id().as_bytes(), &subject).is_some());
    }
    assert_eq!(admitted, LIMITS.pages);
    assert!(pages.rates().busiest().len() <= 8 * 64, "{}", pages.rates().busiest().len());
    assert!(
        super::ResponseCache::new(
            ResponseCacheLimits { enabled: false, ..LIMITS },
            pages.rates().clone(),
            Metrics::new().expect("sound")
        )
        .admit(&caller(), b"one", &key("a"))
        .is_none()
    );
}

#[tokio::test]
async fn events_of_its_subject_invalidate_a_page() {
    let (pages, primary) = (pages(LIMITS), Primary::default());
    let response = pages.admit(&caller(), b"one", &key("a")).expect("capacity for a page");
    let read = || pages.read(&response, || primary.clone().read());
    assert_eq!(read().await, Ok(Bytes::from_static(b"1")));
    let mut others = event(change_of(ChangeKind::StateChanged));
    others.event.subject = SubjectId::new(10).expect("positive");
    pages.update(&[others]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"1")));
    pages.update(&[
        event(change_of(ChangeKind::Liked)),
        event(change_of(ChangeKind::StateChanged)),
        event(change_of(ChangeKind::Created)),
    ]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"2")));
    pages.update(&[event(Changes { subject: true, ..Changes::default() })]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"3")));
    pages.invalidate();
    assert_eq!(read().await, Ok(Bytes::from_static(b"4")));
}

#[test]
fn edits_and_changes_of_state_withdraw_a_page_and_other_changes_do_not() {
    for kind in [ChangeKind::Edited, ChangeKind::StateChanged] {
        assert_eq!(invalidation_of(&change_of(kind)), Invalidation::Withdrawn);
    }
    for kind in [ChangeKind::Created, ChangeKind::PinChanged, ChangeKind::Liked, ChangeKind::Recounted] {
        assert_eq!(invalidation_of(&change_of(kind)), Invalidation::Changed);
    }
}
