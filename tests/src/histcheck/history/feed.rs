//! The events that readers of the feed received.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Nanos;

/// One read of the feed, which continues the one before of the same reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedRead {
    pub(crate) reader: FeedReaderKind,
    /// The server that was called; of the topic, the partition.
    pub(crate) server: u8,
    pub(crate) begun: Nanos,
    pub(crate) ended: Nanos,
    pub(crate) call: FeedCall,
    /// True if a gap was reported before these events.
    pub(crate) gap: bool,
    /// The events, in the order of the response.
    pub(crate) events: Box<[SeenEvent]>,
    /// The reason for which the read ended; empty if the reader ended it.
    pub(crate) reason: Box<str>,
}

/// A reader of the feed. All begin before the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum FeedReaderKind {
    /// Reads scope PUBLIC during the whole run.
    Public,
    /// Reads scope MODERATION during the whole run.
    Moderation,
    /// Reads scope PUBLIC at the end, after old events were deleted.
    Late,
    /// Reads the Kafka topic at the end, one read for each partition, with all records as they
    /// stand there.
    Topic,
}

/// A call of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FeedCall {
    /// A stream.
    Subscribe,
    /// A page.
    List,
    /// A page with the token of another filter, which must be refused.
    OtherFilter,
    /// All records of a partition of the topic.
    Partition,
}

/// The id of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub(crate) struct EventId {
    pub(crate) timeline: u16,
    pub(crate) source: u16,
    /// The number of the commit in its source.
    pub(crate) number: i64,
    /// The index within the commit.
    pub(crate) index: u32,
}

impl FromStr for EventId {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split('.');
        let mut part = || parts.next().context("an id has four parts");
        let id = Self {
            timeline: part()?.parse()?,
            source: part()?.parse()?,
            number: part()?.parse()?,
            index: part()?.parse()?,
        };
        ensure!(parts.next().is_none(), "an id has four parts: {text}");
        Ok(id)
    }
}

/// The kinds of events, by their numbers in the contract.
pub(crate) mod event_kind {
    pub(crate) const PUBLISHED: i32 = 1;
    pub(crate) const EDITED: i32 = 2;
    pub(crate) const WITHDRAWN: i32 = 3;
    pub(crate) const RESTORED: i32 = 4;
    pub(crate) const DELETED: i32 = 5;
    pub(crate) const PIN_CHANGED: i32 = 6;
    pub(crate) const HELD: i32 = 20;
}

/// The reason of a notice for the author of the parent, by its number in the contract.
pub(crate) const REPLY: i32 = 1;

/// An event in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenEvent {
    pub(crate) id: EventId,
    pub(crate) kind: i32,
    pub(crate) subject: u32,
    /// The revision of the subject; 0 for none.
    pub(crate) revision: i64,
    /// The comment; 0 for an event of the subject.
    pub(crate) comment: i64,
    pub(crate) parent: i64,
    /// The members to notify, with the numbers of the reasons.
    pub(crate) notices: Box<[(u32, i32)]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_four_numbers() {
        let id = EventId { timeline: 1, source: 2, number: 345, index: 6 };
        assert_eq!("1.2.345.6".parse::<EventId>().unwrap(), id);
        assert!(["", "1.2.3", "1.2.3.4.5", "1.2.x.4"].iter().all(|text| text.parse::<EventId>().is_err()));
    }
}
