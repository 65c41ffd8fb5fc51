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

use super::{PageBytes, ResponseCache, ResponseCacheLimits, news_of};
use crate::response_cache::entry::Invalidation;
use crate::response_cache::{MAX_AGE, SubjectRates};

const LIMITS: ResponseCacheLimits =
    ResponseCacheLimits { enabled: true, threshold: 0.0, pages: 8, bytes: 1 << 20, patience: Duration::from_secs(60) };

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
struct Origin(Arc<AtomicUsize>);

impl Origin {
    fn read(self) -> Ready<Result<PageBytes, Error>> {
        let text = (self.0.fetch_add(1, Ordering::SeqCst) + 1).to_string();
        ready(Ok(PageBytes { bytes: text.into(), subject: subject() }))
    }

    fn readings(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn told(what: ChangeKind) -> Changes {
    let id = subject().into();
    Changes { comments: vec![CommentChange { id, root: None, what }], ..Changes::default() }
}

fn event(changes: Changes) -> SequencedEvent {
    let partition: Partition = subject().partition();
    SequencedEvent {
        number: 1,
        event: Event { partition, subject: subject(), revision: Some(2), changes, time: Millis(0) },
    }
}

#[tokio::test]
async fn a_thousand_readers_at_once_are_one_reading() {
    let (pages, origin) = (pages(LIMITS), Origin::default());
    let spot = pages.admit(&caller(), b"first page", &key("a")).expect("everything is hot");
    // The primary responds after all readers wait.
    let (open, gate) = watch::channel(false);
    let mut readers = JoinSet::new();
    for _ in 0..1_000 {
        let (pages, spot, origin, gate) = (pages.clone(), spot.clone(), origin.clone(), gate.clone());
        readers.spawn(async move {
            let reading = || {
                let (origin, mut gate) = (origin.clone(), gate.clone());
                async move {
                    gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
                    origin.read().await
                }
            };
            pages.read(&spot, reading).await
        });
    }
    while pages.0.misses.load(Ordering::SeqCst) < 1_000 {
        tokio::task::yield_now().await;
    }
    open.send_replace(true);
    while let Some(read) = readers.join_next().await {
        assert_eq!(read.expect("no panic"), Ok(Bytes::from_static(b"1")));
    }
    assert_eq!(origin.readings(), 1);
    assert_eq!(pages.read(&spot, || origin.clone().read()).await, Ok(Bytes::from_static(b"1")), "kept");
}

#[tokio::test]
async fn those_who_ask_at_once_for_a_page_that_is_not_kept_share_a_reading_that_begins_after_them() {
    let (pages, origin) = (pages(LIMITS), Origin::default());
    let (open, gate) = watch::channel(false);
    let ask = |caller: Caller| {
        let (pages, origin, mut gate) = (pages.clone(), origin.clone(), gate.clone());
        let reading = move || async move {
            let read = origin.read().await;
            gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
            read
        };
        tokio::spawn(async move { pages.share(caller, Bytes::from_static(b"first page"), reading).await })
    };
    let first = ask(caller());
    while origin.readings() == 0 {
        tokio::task::yield_now().await;
    }
    let later: Vec<_> = (0..1_000).map(|_| ask(caller())).collect();
    let stranger = ask(Caller::unrestricted("others"));
    while origin.readings() < 2 {
        tokio::task::yield_now().await;
    }
    open.send_replace(true);
    assert_eq!(first.await.expect("it ends"), Ok(Bytes::from_static(b"1")));
    assert_eq!(stranger.await.expect("it ends"), Ok(Bytes::from_static(b"2")), "a caller has pages of its own");
    for one in later {
        assert_eq!(one.await.expect("it ends"), Ok(Bytes::from_static(b"3")));
    }
}

#[tokio::test]
async fn a_load_goes_on_when_its_caller_cancels_and_a_panic_is_an_error() {
    let (pages, origin) = (pages(LIMITS), Origin::default());
    let spot = pages.admit(&caller(), b"first page", &key("a")).expect("everything is hot");
    let gone = pages.read(&spot, || async { panic!("a fault in a handler") });
    assert!(matches!(gone.await, Err(Error::Internal(_))));
    let (open, gate) = watch::channel(false);
    let reading = || {
        let (origin, mut gate) = (origin.clone(), gate.clone());
        async move {
            gate.wait_for(|open| *open).await.map_err(|_| Error::DeadlineExceeded)?;
            origin.read().await
        }
    };
    {
        let first = std::pin::pin!(pages.read(&spot, reading));
        assert!(futures::poll!(first).is_pending());
    }
    open.send_replace(true);
    assert_eq!(pages.read(&spot, reading).await, Ok(Bytes::from_static(b"1")));
}

#[tokio::test]
async fn a_page_belongs_to_its_caller_and_its_request() {
    let pages = pages(LIMITS);
    assert!(pages.find(&caller(), b"one").is_none());
    pages.admit(&caller(), b"one", &key("a")).expect("room");
    assert!(pages.find(&caller(), b"one").is_some());
    assert!(pages.find(&caller(), b"two").is_none());
    assert!(pages.find(&Caller::unrestricted("others"), b"one").is_none());
}

#[tokio::test]
async fn subjects_become_hot_by_their_reads_and_pages_go_when_nobody_reads_them() {
    let (pages, origin) = (pages(ResponseCacheLimits { threshold: 2.0, ..LIMITS }), Origin::default());
    let read = || {
        pages.count(&key("a"));
        pages.admit(&caller(), b"one", &key("a"))
    };
    // 120 reads in the window of 60 s are 2 reads per second.
    let spot = (0..120).find_map(|_| read()).expect("it becomes hot");
    assert_eq!(pages.rates().reads(&key("a")), 2.0);
    assert!(pages.admit(&caller(), b"one", &key("b")).is_none());
    pages.read(&spot, || origin.clone().read()).await.expect("a page");
    let begin = Instant::now();
    pages.sweep(begin);
    assert!(pages.find(&caller(), b"one").is_some() && pages.0.room.taken() == 1);
    assert!(pages.rates().reads(&key("a")) > 2.0, "what is answered by a page is counted too");
    pages.sweep(begin + MAX_AGE + Duration::from_secs(1));
    assert!(pages.find(&caller(), b"one").is_none() && pages.0.room.taken() == 0);
    let told = pages.0.metrics.text().expect("sound");
    assert!(
        told.contains("riposte_response_cache_loads_total 1") && told.contains("riposte_response_cache_pages 0"),
        "{told}"
    );
}

#[tokio::test]
async fn a_million_subjects_take_the_room_of_a_few() {
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
async fn events_of_the_subject_end_the_time_of_a_page() {
    let (pages, origin) = (pages(LIMITS), Origin::default());
    let spot = pages.admit(&caller(), b"one", &key("a")).expect("room");
    let read = || pages.read(&spot, || origin.clone().read());
    assert_eq!(read().await, Ok(Bytes::from_static(b"1")));
    let mut others = event(told(ChangeKind::StateChanged));
    others.event.subject = SubjectId::new(10).expect("positive");
    pages.hear(&[others]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"1")));
    pages.hear(&[
        event(told(ChangeKind::Liked)),
        event(told(ChangeKind::StateChanged)),
        event(told(ChangeKind::Created)),
    ]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"2")));
    pages.hear(&[event(Changes { subject: true, ..Changes::default() })]);
    assert_eq!(read().await, Ok(Bytes::from_static(b"3")));
    pages.doubt();
    assert_eq!(read().await, Ok(Bytes::from_static(b"4")));
}

#[test]
fn what_must_not_be_shown_any_more_is_told_from_what_is_new() {
    for what in [ChangeKind::Edited, ChangeKind::StateChanged] {
        assert_eq!(news_of(&told(what)), Invalidation::Gone);
    }
    for what in [ChangeKind::Created, ChangeKind::PinChanged, ChangeKind::Liked, ChangeKind::Recounted] {
        assert_eq!(news_of(&told(what)), Invalidation::Changed);
    }
}
