//! Every change is an event of the feed, once and in the order of revisions, at every server, by
//! streams and by pages, and across breaks. The events lead to the rows at the end. A reader of
//! scope PUBLIC receives no event about what was not public. Events that are no longer available
//! are reported as a gap. A token continues its own filter only.
//!
//! Two readers follow the run in different scopes, so each shows what the other one lacks. A third
//! one continues at the end after most events were deleted. A run with a topic has its records,
//! too.

#[cfg(test)]
pub(super) mod sample;
mod topic;

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::int_map::IntMap;
use super::tables::StoredRows;
use crate::histcheck::history::{CommentRow, EventId, FeedCall, FeedReaderKind, History, SeenEvent, event_kind};

/// The events of a reader by their ids, which are their order within a source.
pub(super) type Received<'h> = BTreeMap<EventId, &'h SeenEvent>;

/// Finds events that are missing, repeated, out of order, or about what was not public.
pub(super) fn check(history: &History, stored: &StoredRows<'_>, findings: &mut Findings) {
    if history.feed.is_empty() {
        return;
    }
    findings.begin("events");
    check_reads(history, findings);
    let received = [FeedReaderKind::Public, FeedReaderKind::Moderation, FeedReaderKind::Late]
        .map(|reader| in_order(history, reader, findings));
    let [public, all, late] = received;
    findings.cases(public.len() + all.len());
    check_lives(&public, &all, stored, findings);
    check_late(history, &public, &late, findings);
    topic::check(history, &public, findings);
}

/// Returns the events of a reader.
pub(super) fn received(history: &History, reader: FeedReaderKind) -> Received<'_> {
    events(history, reader).map(|event| (event.id, event)).collect()
}

fn events(history: &History, reader: FeedReaderKind) -> impl Iterator<Item = &SeenEvent> {
    history.feed.iter().filter(move |read| read.reader == reader).flat_map(|read| &read.events)
}

/// Checks the outcomes of the reads: no token of another filter is accepted, and no gap is reported
/// while all events are kept.
fn check_reads(history: &History, findings: &mut Findings) {
    for read in &history.feed {
        if read.call == FeedCall::OtherFilter && read.reason.is_empty() {
            findings.add(|| format!("server {} accepts a token with another filter", read.server), &[]);
        }
        if read.gap && read.reader != FeedReaderKind::Late {
            findings
                .add(|| format!("a gap at server {}, though no event was deleted: {:?}", read.server, read.call), &[]);
        }
    }
}

/// Returns the events of a reader, and checks that each is received once, in the order of its
/// source and of the revisions of its subject.
fn in_order<'h>(history: &'h History, reader: FeedReaderKind, findings: &mut Findings) -> Received<'h> {
    let (mut last, mut revisions) = (BTreeMap::new(), IntMap::<u32, i64>::default());
    for event in events(history, reader) {
        let before = last.insert((event.id.timeline, event.id.source), event.id);
        if let Some(before) = before.filter(|before| *before >= event.id) {
            findings.add(|| format!("{reader:?}: {event:?} is received after {before:?}"), &[]);
        }
        if event.revision != 0 {
            let before = revisions.insert(event.subject, event.revision).unwrap_or_default();
            if before > event.revision {
                findings.add(|| format!("{reader:?}: {event:?} is received after revision {before}"), &[]);
            }
        }
    }
    received(history, reader)
}

/// The life of a comment, as it follows from the events of scope PUBLIC.
#[derive(Debug, Clone, Copy, Default)]
struct PublicLife {
    is_published: bool,
    is_visible: bool,
}

impl PublicLife {
    /// Applies an event. Returns false if the event does not follow the ones before.
    fn apply(&mut self, kind: i32) -> bool {
        let Self { is_published, is_visible } = *self;
        match kind {
            event_kind::PUBLISHED => {
                *self = Self { is_published: true, is_visible: true };
                !is_published
            }
            event_kind::RESTORED => {
                self.is_visible = true;
                is_published && !is_visible
            }
            event_kind::WITHDRAWN | event_kind::DELETED => {
                self.is_visible = false;
                is_visible
            }
            event_kind::EDITED | event_kind::PIN_CHANGED => is_published,
            // No other kind is about a comment that is public.
            _other => false,
        }
    }
}

/// Checks that both readers received the same public events, that these follow from each other, and
/// that they lead to the rows.
fn check_lives(public: &Received<'_>, all: &Received<'_>, stored: &StoredRows<'_>, findings: &mut Findings) {
    let mut lives: IntMap<i64, PublicLife> = IntMap::default();
    let in_order: Vec<&SeenEvent> = all.values().copied().collect();
    let of_one_commit = |a: &&SeenEvent, b: &&SeenEvent| {
        (a.id.timeline, a.id.source, a.id.number) == (b.id.timeline, b.id.source, b.id.number)
    };
    for commit in in_order.chunk_by(of_one_commit) {
        let (public_ones, others): (Vec<&SeenEvent>, Vec<_>) =
            commit.iter().partition(|event| public.contains_key(&event.id));
        for event in public_ones {
            let seen = public.get(&event.id);
            if seen.is_some_and(|seen| *seen != event) {
                findings.add(|| format!("an event has two bodies: {event:?} and {seen:?}"), &[]);
            }
            let follows = event.comment == 0 || lives.entry(event.comment).or_default().apply(event.kind);
            if !follows {
                findings.add(|| format!("it does not follow from the events before: {event:?}"), &[]);
            }
        }
        // What only moderators receive is about a comment that is out of sight after the commit.
        let is_public = |event: &&SeenEvent| {
            let is_visible = lives.get(&event.comment).is_some_and(|life| life.is_visible);
            event.kind < event_kind::HELD && (event.comment == 0 || event.kind == event_kind::PUBLISHED || is_visible)
        };
        for event in others.into_iter().filter(is_public) {
            findings.add(|| format!("the feed of scope PUBLIC lacks {event:?}"), &[]);
        }
    }
    for (_, event) in public.iter().filter(|(id, _)| !all.contains_key(id)) {
        findings.add(|| format!("the feed of scope MODERATION lacks {event:?}"), &[]);
    }
    for row in stored.comments.values() {
        let life = lives.remove(&row.id).unwrap_or_default();
        if life.is_visible != (row.state == CommentRow::VISIBLE) {
            findings.add(|| format!("the events say {life:?}, and the row is {row:?}"), &[]);
        }
    }
    for id in lives.keys() {
        findings.add(|| format!("an event of the comment {id}, which has no row"), &[]);
    }
}

/// Checks the reader that continues after events were deleted: it misses only the first events of
/// a source, and receives a gap for each source of which it misses some.
fn check_late(history: &History, public: &Received<'_>, late: &Received<'_>, findings: &mut Findings) {
    let sources: BTreeSet<u16> = public.keys().map(|id| id.source).collect();
    let mut lossy = 0;
    for source in sources {
        let of_source = |id: &&EventId| id.source == source;
        let first = late.keys().find(of_source);
        let missing = || public.keys().filter(of_source).filter(|id| !late.contains_key(id));
        lossy += usize::from(missing().next().is_some());
        if let Some(lost) = missing().find(|id| first.is_some_and(|first| *id > first)) {
            findings.add(|| format!("the late reader received {first:?} and misses {lost:?}"), &[]);
        }
    }
    let gaps = history.feed.iter().filter(|read| read.reader == FeedReaderKind::Late && read.gap).count();
    if gaps < lossy {
        findings.add(|| format!("the late reader misses events of {lossy} sources and received {gaps} gaps"), &[]);
    }
    for id in late.keys().filter(|id| !public.contains_key(id)) {
        findings.add(|| format!("only the late reader received {id:?}"), &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::sample::SampleFeed;
    use super::*;
    use crate::histcheck::history::FeedReaderKind::{Late, Moderation, Public};

    #[test]
    fn events_that_lead_to_the_rows_are_valid() {
        SampleFeed::default().finds_nothing();
        // An edit out of sight and a decision are events for moderators alone.
        let extra = [(9, event_kind::EDITED, 13), (10, 21, 11)];
        SampleFeed::default().with(Moderation, &extra).finds_nothing();
    }

    #[test]
    fn an_event_that_a_reader_lacks_is_found() {
        for index in 0..SampleFeed::EVENTS.len() {
            SampleFeed::default().without(Public, index).finds("events");
            SampleFeed::default().without(Moderation, index).finds("the feed of scope MODERATION lacks");
        }
        let lost = [(9, event_kind::EDITED, 11)];
        SampleFeed::default().with(Moderation, &lost).finds("the feed of scope PUBLIC lacks");
        // Both lack the first publication of a comment with a row.
        SampleFeed::default().without(Public, 1).without(Moderation, 1).finds("the events say");
    }

    #[test]
    fn an_event_that_comes_again_or_too_late_is_found() {
        SampleFeed::default().repeat(Public, 0).finds("is received after");
        let stale = |events: &mut Vec<SeenEvent>| events[2].revision = 1;
        SampleFeed::default().change(Public, stale).change(Moderation, stale).finds("is received after revision 2");
    }

    #[test]
    fn an_event_about_what_is_not_public_is_found() {
        let (held, published) = ([(9, event_kind::HELD, 13)], [(9, event_kind::PUBLISHED, 13)]);
        SampleFeed::default().with(Moderation, &held).with(Public, &published).finds("an event has two bodies");
        SampleFeed::default().with(Moderation, &published).with(Public, &published).finds("does not follow");
        SampleFeed::default().with(Moderation, &held).with(Public, &held).finds("does not follow");
        let unknown = [(9, event_kind::PUBLISHED, 77)];
        SampleFeed::default().with(Moderation, &unknown).with(Public, &unknown).finds("which has no row");
    }

    #[test]
    fn a_gap_and_a_token_are_checked() {
        SampleFeed::default().gap(Public).finds("a gap at server 0, though no event was deleted");
        SampleFeed::default().other_filter("PAGE_TOKEN_MISMATCH").finds_nothing();
        SampleFeed::default().other_filter("Unavailable").finds_nothing();
        SampleFeed::default().other_filter("").finds("accepts a token with another filter");
    }

    #[test]
    fn the_late_reader_misses_only_what_its_gaps_explain() {
        SampleFeed::default().without(Late, 0).finds("misses events of 1 sources and received 0 gaps");
        SampleFeed::default().without(Late, 0).gap(Late).finds_nothing();
        SampleFeed::default().without(Late, 2).gap(Late).finds("and misses");
        let other = [(9, event_kind::EDITED, 11)];
        SampleFeed::default().with(Late, &other).finds("only the late reader received");
    }
}
