//! The records of events and gaps: CloudEvents 1.0 in binary mode.

use std::collections::BTreeMap;
use std::sync::Arc;

use rdkafka::message::{Header, OwnedHeaders};
use riposte_core::Millis;
use riposte_core::feed::{EventKind, FeedEvent};
use riposte_core::ports::TopicGap;

use super::partition::partition;
use super::topic::TopicOptions;

/// A record, with the partition that it is written to.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) partition: i32,
    /// Empty for a gap, which every partition gets.
    pub(super) key: String,
    pub(super) headers: OwnedHeaders,
    pub(super) value: Arc<[u8]>,
}

impl TopicOptions {
    /// Returns the record of an event.
    pub(super) fn record(&self, event: &FeedEvent) -> Record {
        let key = format!("{}/{}", event.key.object_type().as_str(), event.key.object_id());
        let attributes = BTreeMap::from([
            ("ce_id", event.id(self.timeline)),
            ("ce_type", event_type(event.event.kind)),
            ("ce_subject", key.clone()),
            ("ce_time", timestamp(event.event.time)),
            ("ce_sequence", format!("{:020}", event.event.revision)),
        ]);
        Record {
            partition: partition(key.as_bytes(), self.settings.partitions),
            key,
            headers: self.headers(&attributes),
            value: (self.event)(event, self.timeline).into(),
        }
    }

    /// Returns the records of a gap of a data source at a time, one for each partition.
    pub(super) fn gap_records(&self, source: usize, gap: TopicGap, now: Millis) -> Vec<Record> {
        let attributes = BTreeMap::from([
            ("ce_id", format!("{}.{}.{}.gap", self.timeline, source + 1, gap.next)),
            ("ce_type", "riposte.v1.gap".to_owned()),
            ("ce_time", timestamp(now)),
        ]);
        let headers = self.headers(&attributes);
        let value: Arc<[u8]> = (self.gap)(gap.reason).into();
        let record =
            |partition| Record { partition, key: String::new(), headers: headers.clone(), value: Arc::clone(&value) };
        (0..i32::from(self.settings.partitions)).map(record).collect()
    }

    fn headers(&self, attributes: &BTreeMap<&str, String>) -> OwnedHeaders {
        let source = format!("/riposte/{}", self.deployment);
        let common =
            [("ce_specversion", "1.0"), ("ce_source", source.as_str()), ("content-type", "application/protobuf")];
        let own = attributes.iter().map(|(key, value)| (*key, value.as_str()));
        common
            .into_iter()
            .chain(own)
            .fold(OwnedHeaders::new(), |headers, (key, value)| headers.insert(Header { key, value: Some(value) }))
    }
}

/// Returns the type of events of a kind. It never changes.
fn event_type(kind: EventKind) -> String {
    let name = match kind {
        EventKind::CommentPublished => "comment.published",
        EventKind::CommentEdited => "comment.edited",
        EventKind::CommentWithdrawn => "comment.withdrawn",
        EventKind::CommentRestored => "comment.restored",
        EventKind::CommentDeleted => "comment.deleted",
        EventKind::CommentPinChanged => "comment.pin_changed",
        EventKind::SubjectChanged => "subject.changed",
        EventKind::CommentHeld => "comment.held",
        EventKind::CommentDecided => "comment.decided",
        EventKind::CommentReported => "comment.reported",
        EventKind::EditProposed => "edit.proposed",
    };
    format!("riposte.v1.{name}")
}

/// Returns a time in the form of RFC 3339.
fn timestamp(Millis(millis): Millis) -> String {
    jiff::Timestamp::from_millisecond(millis).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use riposte_core::Millis;
    use riposte_core::feed::EventKind;

    use super::{event_type, timestamp};

    #[test]
    fn types_of_events_are_fixed_for_ever() {
        let types = EventKind::ALL.map(event_type);
        let names = types.each_ref().map(|name| name.strip_prefix("riposte.v1.").expect("the prefix"));
        assert_eq!(
            names,
            [
                "comment.published",
                "comment.edited",
                "comment.withdrawn",
                "comment.restored",
                "comment.deleted",
                "comment.pin_changed",
                "subject.changed",
                "comment.held",
                "comment.decided",
                "comment.reported",
                "edit.proposed",
            ]
        );
    }

    #[test]
    fn times_have_the_form_of_rfc_3339() {
        assert_eq!(timestamp(Millis(1_767_225_600_042)), "2026-01-01T00:00:00.042Z");
    }
}
