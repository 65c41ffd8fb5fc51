//! Valid reads of the feed for the rows of [`SampleData`], and variants with a violation.

use super::super::sample_data::SampleData;
use super::super::tables::StoredRows;
use super::super::{Findings, notices};
use crate::histcheck::history::{
    ContentRow, EventId, FeedCall, FeedRead, FeedReaderKind, History, REPLY, Rows, SeenEvent, event_kind,
};

/// A history with one read of each reader.
pub(in crate::histcheck::check) struct SampleFeed {
    history: History,
}

/// An event: the number of its commit, its kind and its comment.
type Event = (i64, i32, i64);

impl SampleFeed {
    /// The events of the rows: root 11 with reply 12, and root 13, which was deleted.
    pub(in crate::histcheck::check) const EVENTS: [Event; 5] = [
        (1, event_kind::PUBLISHED, 11),
        (2, event_kind::PUBLISHED, 12),
        (3, event_kind::PUBLISHED, 13),
        (4, event_kind::EDITED, 11),
        (5, event_kind::DELETED, 13),
    ];

    fn read(&mut self, reader: FeedReaderKind) -> &mut FeedRead {
        self.history.feed.iter_mut().find(|read| read.reader == reader).unwrap()
    }

    pub(in crate::histcheck::check) fn change(
        mut self,
        reader: FeedReaderKind,
        change: impl FnOnce(&mut Vec<SeenEvent>),
    ) -> Self {
        let read = self.read(reader);
        let mut events = read.events.to_vec();
        change(&mut events);
        read.events = events.into();
        self
    }

    /// Changes the same event of the readers that follow the run.
    pub(in crate::histcheck::check) fn change_both(self, index: usize, change: impl Fn(&mut SeenEvent)) -> Self {
        self.change(FeedReaderKind::Public, |events| change(&mut events[index]))
            .change(FeedReaderKind::Moderation, |events| change(&mut events[index]))
    }

    pub(super) fn without(self, reader: FeedReaderKind, index: usize) -> Self {
        self.change(reader, |events| drop(events.remove(index)))
    }

    pub(super) fn repeat(self, reader: FeedReaderKind, index: usize) -> Self {
        self.change(reader, |events| events.push(events[index].clone()))
    }

    pub(in crate::histcheck::check) fn with(self, reader: FeedReaderKind, more: &[Event]) -> Self {
        self.change(reader, |events| events.extend(more.iter().map(event)))
    }

    /// Adds a topic with one partition, which has what the reader of scope PUBLIC received.
    pub(super) fn topic(mut self) -> Self {
        let read = self.read(FeedReaderKind::Public).clone();
        self.history.feed.push(FeedRead { reader: FeedReaderKind::Topic, call: FeedCall::Partition, ..read });
        self
    }

    pub(super) fn gap(mut self, reader: FeedReaderKind) -> Self {
        self.read(reader).gap = true;
        self
    }

    pub(super) fn other_filter(mut self, reason: &str) -> Self {
        let read = FeedRead { call: FeedCall::OtherFilter, reason: reason.into(), ..read(FeedReaderKind::Public, &[]) };
        self.history.feed.push(read);
        self
    }

    /// Changes the text of a comment.
    pub(in crate::histcheck::check) fn text(mut self, comment: i64, text: u64) -> Self {
        let contents = self
            .history
            .tables
            .iter_mut()
            .filter_map(|table| if let Rows::Contents(rows) = &mut table.rows { Some(rows) } else { None });
        let is_of = |row: &&mut ContentRow| row.comment == SampleData::id(comment);
        contents.flatten().find(is_of).unwrap().text = text;
        self
    }

    fn descriptions(&self) -> Vec<String> {
        let mut findings = Findings::default();
        let stored = StoredRows::of(&self.history, &mut findings);
        super::check(&self.history, &stored, &mut findings);
        notices::check(&self.history, &stored, &mut findings);
        let describe = |anomaly: &super::super::Anomaly| format!("{}: {}", anomaly.rule, anomaly.description);
        findings.anomalies.iter().map(describe).collect()
    }

    pub(in crate::histcheck::check) fn finds_nothing(&self) {
        assert_eq!(self.descriptions(), Vec::<String>::new());
    }

    pub(in crate::histcheck::check) fn finds(&self, text: &str) {
        let found = self.descriptions();
        assert!(found.iter().any(|description| description.contains(text)), "{text}: {found:?}");
    }
}

impl Default for SampleFeed {
    fn default() -> Self {
        let readers = [FeedReaderKind::Public, FeedReaderKind::Moderation, FeedReaderKind::Late];
        let feed = readers.map(|reader| read(reader, &Self::EVENTS)).to_vec();
        let history = History { feed, ..SampleData::default().history };
        // Reply 12 answers root 11 of another member, and its text mentions no member.
        let sample = Self { history }.member(12, 2).text(12, 5);
        let notified = |event: &mut SeenEvent| event.notices = Box::new([(1, REPLY)]);
        let sample = sample.change_both(1, notified);
        sample.change(FeedReaderKind::Late, |events| notified(&mut events[1]))
    }
}

impl SampleFeed {
    /// Changes the author of a comment.
    fn member(mut self, comment: i64, member: u32) -> Self {
        for table in &mut self.history.tables {
            if let Rows::Comments(rows) = &mut table.rows {
                rows.iter_mut().filter(|row| row.id == SampleData::id(comment)).for_each(|row| row.member = member);
            }
        }
        self
    }
}

fn read(reader: FeedReaderKind, events: &[Event]) -> FeedRead {
    let events = events.iter().map(event).collect();
    let (server, begun, ended, call) = (0, 1, 2, FeedCall::List);
    FeedRead { reader, server, begun, ended, call, gap: false, events, reason: "".into() }
}

fn event(&(number, kind, comment): &Event) -> SeenEvent {
    SeenEvent {
        id: EventId { timeline: 1, source: 1, number, index: 0 },
        kind,
        subject: 0,
        revision: number,
        comment: SampleData::id(comment),
        parent: if comment == 12 { SampleData::id(11) } else { 0 },
        notices: Box::new([]),
    }
}
