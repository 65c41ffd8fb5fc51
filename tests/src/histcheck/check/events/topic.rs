//! The Kafka topic has the public events of the feed, with the same bodies. A reader that keeps the
//! documented rule, to drop a record that is not greater than the last one of its partition,
//! timeline and source, has each event once, in the order of the revisions of its subject.

use std::collections::BTreeMap;

use super::super::Findings;
use super::super::int_map::IntMap;
use super::{EventId, Received, SeenEvent};
use crate::histcheck::history::{FeedReaderKind, History};

/// Compares the topic, if the run has one, with what the reader of scope PUBLIC received.
pub(super) fn check(history: &History, public: &Received<'_>, findings: &mut Findings) {
    let partitions: Vec<_> = history.feed.iter().filter(|read| read.reader == FeedReaderKind::Topic).collect();
    if partitions.is_empty() {
        return;
    }
    let mut received: BTreeMap<EventId, u8> = BTreeMap::new();
    let mut revisions = IntMap::<u32, i64>::default();
    for read in partitions {
        let mut last: BTreeMap<(u16, u16), EventId> = BTreeMap::new();
        for event in &read.events {
            let last = last.entry((event.id.timeline, event.id.source)).or_default();
            if *last >= event.id {
                continue;
            }
            *last = event.id;
            check_event(event, public, &mut revisions, findings);
            if let Some(other) = received.insert(event.id, read.server) {
                let partition = read.server;
                findings.add(|| format!("partitions {other} and {partition} of the topic have {event:?}"), &[]);
            }
        }
    }
    findings.cases(received.len());
    for (_, event) in public.iter().filter(|(id, _)| !received.contains_key(id)) {
        findings.add(|| format!("the topic lacks {event:?}"), &[]);
    }
}

/// Checks the body of an event and its order.
fn check_event(event: &SeenEvent, public: &Received<'_>, revisions: &mut IntMap<u32, i64>, findings: &mut Findings) {
    match public.get(&event.id) {
        Some(seen) if *seen == event => {}
        seen => findings.add(|| format!("the topic has {event:?}, and the feed {seen:?}"), &[]),
    }
    if event.revision != 0 {
        let before = revisions.insert(event.subject, event.revision).unwrap_or_default();
        if before > event.revision {
            findings.add(|| format!("the topic has {event:?} after revision {before}"), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleFeed;
    use crate::histcheck::history::FeedReaderKind::{Public, Topic};
    use crate::histcheck::history::SeenEvent;

    #[test]
    fn a_topic_with_the_events_of_the_feed_is_valid_and_may_repeat_them() {
        SampleFeed::default().topic().finds_nothing();
        SampleFeed::default().topic().repeat(Topic, 0).repeat(Topic, 1).finds_nothing();
    }

    #[test]
    fn an_event_that_the_topic_lacks_is_found() {
        for index in 0..SampleFeed::EVENTS.len() {
            SampleFeed::default().topic().without(Topic, index).finds("events: the topic lacks");
        }
    }

    #[test]
    fn an_event_in_another_order_is_lost_for_a_reader_and_found() {
        let swap = |events: &mut Vec<SeenEvent>| events.swap(1, 2);
        SampleFeed::default().topic().change(Topic, swap).finds("events: the topic lacks");
        let stale = |events: &mut Vec<SeenEvent>| events[2].revision = 1;
        SampleFeed::default().topic().change(Topic, stale).finds("after revision 2");
    }

    #[test]
    fn an_event_that_is_not_of_the_feed_and_a_gap_are_found() {
        SampleFeed::default().topic().without(Public, 2).finds("the topic has");
        SampleFeed::default().topic().gap(Topic).finds("though no event was deleted");
    }
}
