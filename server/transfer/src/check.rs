//! The rules that every record passes after it is read, in a dry run as in an import: what the
//! server does not store is dropped, and what it would refuse in any database is rejected.
//!
//! * Control characters that are not stored are dropped: NUL in texts, all of them in names, titles
//!   and other metadata, and in the client's data. Riposte's own format keeps metadata as it is,
//!   because an export contains what a server has stored.
//! * A comment that claims to be written up to a day after the present (a wrong clock or zone) is
//!   as old as the import; one that claims more is rejected. Other times after the present become
//!   the present.
//! * Ids, sources, times and metadata must be within the bounds of the contract.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use unicode_normalization::UnicodeNormalization;

use super::format::ImportFormat;
use super::group::GroupEntry;
use super::member_ids::{EXTERNAL_ID_BYTES_MAX, ID_BYTES_MAX};
use super::names::{OBJECT_TYPE_RULE, is_object_type};
use super::not_utf8;
use super::read_notes::ReadNotes;
use super::record::{
    Client, Comment, Key, Like, METADATA_BYTES_MAX, METADATA_ENTRIES_MAX, Record, SUBJECT_REJECTED, Subject,
};

/// The most members that a comment may mention.
const MENTIONS_MAX: usize = 50;
const PLATFORM_BYTES_MAX: usize = 32;
const DEVICE_BYTES_MAX: usize = 128;
const METADATA_KEY_BYTES_MAX: usize = 64;
/// The first and the last second that are stored: the years 0001 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// The longest time after the present that a comment's time may have.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// The most votes of a comment that are known only as numbers: each becomes a like of its own.
const VOTES_MAX: u64 = 1_000_000;

/// The most code points of a text, after NFC, that the policy of any object type may allow. A
/// longer text may also exceed the message that a server reads.
const TEXT_CODE_POINTS_MAX: usize = 16_000;

/// The reason for which a record is rejected, and the words for a person.
type RejectCause = (&'static str, String);

/// Applies the rules to the records of one import.
#[derive(Debug)]
pub(crate) struct RecordCheck {
    source: String,
    now: Timestamp,
    keeps_metadata: bool,
}

impl RecordCheck {
    /// Creates the rules for records of `format` whose source is `source` unless they name one.
    pub(crate) fn new(format: ImportFormat, source: &str, now: Timestamp) -> Self {
        Self { source: source.to_owned(), now, keeps_metadata: format == ImportFormat::Jsonl }
    }

    /// Cleans a record, counts what was dropped, and gives it the first problem that it has.
    pub(crate) fn apply(&self, entry: &mut GroupEntry, notes: &mut ReadNotes) {
        notes.records += 1;
        not_utf8::reject(entry, notes);
        notes.controls += clean(&mut entry.record);
        if !self.keeps_metadata {
            notes.controls += clean_metadata(&mut entry.record);
        }
        let fault = self.limit_times(&mut entry.record, notes).or_else(|| self.fault_of(&entry.record));
        // A record that was rejected with its subject alone is judged anew.
        if entry.problem.as_ref().is_none_or(|problem| problem.reason == SUBJECT_REJECTED) && fault.is_some() {
            entry.problem = fault.map(|(reason, message)| entry.problem(reason, &message));
        }
    }

    fn limit_times(&self, record: &mut Record, notes: &mut ReadNotes) -> Option<RejectCause> {
        let (now, mut clamped) = (self.now, 0);
        let mut clamp = |time: &mut Option<Timestamp>| {
            if let Some(time) = time.as_mut().filter(|time| **time > now) {
                *time = now;
                clamped += 1;
            }
        };
        let mut problem = None;
        match record {
            Record::Subject(subject) => clamp(&mut subject.create_time),
            Record::Like(like) => clamp(&mut like.time),
            Record::Comment(comment) => {
                let create_time = comment.create_time;
                if let Some(time) = create_time.filter(|time| time.duration_since(now) > AHEAD_MAX) {
                    let message = format!("it is written at {time}, more than a day after the present");
                    problem = Some(("TIME_FUTURE", message));
                } else {
                    [&mut comment.create_time, &mut comment.edit_time, &mut comment.delete_time]
                        .into_iter()
                        .for_each(&mut clamp);
                }
            }
        }
        notes.clamped_times += clamped;
        problem
    }

    fn fault_of(&self, record: &Record) -> Option<RejectCause> {
        if let Some(fault) = time_fault(record) {
            return Some(("TIME_INVALID", fault));
        }
        if let Record::Comment(Comment { votes, .. }) = record
            && votes.total() > VOTES_MAX
        {
            return Some(("COUNT_INVALID", format!("it has {} votes, of at most {VOTES_MAX}", votes.total())));
        }
        if let Some(length) = excessive_length(record) {
            let fault =
                format!("its text has {length} code points, of at most {TEXT_CODE_POINTS_MAX} in any object type");
            return Some(("CONTENT_TOO_LONG", fault));
        }
        let mut faults = Vec::new();
        match record {
            Record::Subject(subject) => self.check_subject(subject, &mut faults),
            Record::Comment(comment) => self.check_comment(comment, &mut faults),
            Record::Like(like) => self.check_like(like, &mut faults),
        }
        (!faults.is_empty()).then(|| ("VALUE_INVALID", faults.join("; ")))
    }

    fn check_subject(&self, subject: &Subject, faults: &mut Vec<String>) {
        let Subject { key, source, owner_id, metadata, .. } = subject;
        self.check_key(key, source.as_deref(), faults);
        check_optional_id("owner_id", owner_id, ID_BYTES_MAX, faults);
        check_metadata(metadata, faults);
    }

    fn check_comment(&self, comment: &Comment, faults: &mut Vec<String>) {
        let Comment { key, source, external_id, parent_external_id, member_id, metadata, .. } = comment;
        self.check_key(key, source.as_deref(), faults);
        check_id("external_id", external_id, EXTERNAL_ID_BYTES_MAX, faults);
        if let Some(parent) = parent_external_id {
            check_id("parent_external_id", parent, EXTERNAL_ID_BYTES_MAX, faults);
        }
        match comment.state == super::record::CommentState::Deleted {
            // The source of a tombstone may have lost its author.
            true => check_optional_id("member_id", member_id, ID_BYTES_MAX, faults),
            false => check_id("member_id", member_id, ID_BYTES_MAX, faults),
        }
        let mentions = &comment.mentioned_member_ids;
        if mentions.len() > MENTIONS_MAX {
            faults.push(format!("mentioned_member_ids has {} entries, of at most {MENTIONS_MAX}", mentions.len()));
        }
        mentions.iter().for_each(|member| check_id("mentioned_member_ids", member, ID_BYTES_MAX, faults));
        check_metadata(metadata, faults);
    }

    fn check_like(&self, like: &Like, faults: &mut Vec<String>) {
        self.check_key(&like.key, like.source.as_deref(), faults);
        check_id("comment_external_id", &like.comment_external_id, EXTERNAL_ID_BYTES_MAX, faults);
        check_id("member_id", &like.member_id, ID_BYTES_MAX, faults);
    }

    fn check_key(&self, key: &Key, source: Option<&str>, faults: &mut Vec<String>) {
        if !is_object_type(&key.object_type) {
            faults.push(format!("object_type {OBJECT_TYPE_RULE}"));
        }
        check_id("object_id", &key.object_id, ID_BYTES_MAX, faults);
        check_id("source", source.unwrap_or(&self.source), ID_BYTES_MAX, faults);
    }
}

fn check_id(name: &str, id: &str, bytes_max: usize, faults: &mut Vec<String>) {
    match id.is_empty() {
        true => faults.push(format!("{name} is empty")),
        false => check_optional_id(name, id, bytes_max, faults),
    }
}

fn check_optional_id(name: &str, id: &str, bytes_max: usize, faults: &mut Vec<String>) {
    if id.len() > bytes_max {
        faults.push(format!("{name} has {} bytes, of at most {bytes_max}", id.len()));
    }
    if id.chars().any(char::is_control) {
        faults.push(format!("{name} has control characters"));
    }
}

fn check_metadata(metadata: &BTreeMap<String, String>, faults: &mut Vec<String>) {
    let bytes: usize = metadata.iter().map(|(name, value)| name.len() + value.len()).sum();
    if metadata.len() > METADATA_ENTRIES_MAX || bytes > METADATA_BYTES_MAX {
        let entries = metadata.len();
        faults.push(format!(
            "metadata has {entries} entries and {bytes} bytes, of at most {METADATA_ENTRIES_MAX} and {METADATA_BYTES_MAX}"
        ));
    }
    for name in metadata.keys() {
        check_id("the name of a metadata entry", name, METADATA_KEY_BYTES_MAX, faults);
    }
}

/// Returns the length of a text that no server stores.
fn excessive_length(record: &Record) -> Option<usize> {
    let Record::Comment(Comment { text, .. }) = record else { return None };
    // NFC multiplies bytes by three at most.
    let length = (text.len() > TEXT_CODE_POINTS_MAX / 3).then(|| text.nfc().count())?;
    (length > TEXT_CODE_POINTS_MAX).then_some(length)
}

/// Returns the fault of the first time that is not stored.
fn time_fault(record: &Record) -> Option<String> {
    let times = match record {
        Record::Subject(subject) => vec![("create_time", subject.create_time)],
        Record::Like(like) => vec![("time", like.time)],
        Record::Comment(comment) => vec![
            ("create_time", comment.create_time),
            ("edit_time", comment.edit_time),
            ("delete_time", comment.delete_time),
        ],
    };
    let mut times = times.into_iter().filter_map(|(name, time)| Some((name, time?)));
    let (name, time) = times.find(|(_, time)| !SECONDS.contains(&time.as_second()))?;
    Some(format!("{name} is {time}, which is not in the years 0001 to 9999"))
}

/// Drops what is not stored and returns the number of dropped characters.
fn clean(record: &mut Record) -> u64 {
    match record {
        Record::Comment(comment) => {
            let mut dropped = 0;
            let Client { platform, device, .. } = &mut comment.client;
            for (value, bytes_max) in [(platform, PLATFORM_BYTES_MAX), (device, DEVICE_BYTES_MAX)] {
                dropped += without_controls(value);
                // The client's data is an addition, never a reason to reject a comment.
                if value.len() > bytes_max {
                    value.clear();
                }
            }
            dropped + retain(&mut comment.text, |c| c != '\0')
        }
        Record::Subject(_) | Record::Like(_) => 0,
    }
}

/// Makes one line of each value of the metadata and returns the number of dropped characters.
fn clean_metadata(record: &mut Record) -> u64 {
    let metadata = match record {
        Record::Subject(subject) => &mut subject.metadata,
        Record::Comment(comment) => &mut comment.metadata,
        Record::Like(_) => return 0,
    };
    let dropped = metadata.values_mut().map(without_controls).sum();
    metadata.retain(|_, value| !value.is_empty());
    dropped
}

/// Makes one line of a value: line ends and tabs become blanks, other control characters vanish.
fn without_controls(value: &mut String) -> u64 {
    if !value.chars().any(char::is_control) {
        return 0;
    }
    *value = value.replace(['\n', '\t'], " ");
    retain(value, |c| !c.is_control())
}

fn retain(text: &mut String, is_retained: impl Fn(char) -> bool) -> u64 {
    let dropped = text.chars().filter(|c| !is_retained(*c)).count();
    if dropped > 0 {
        text.retain(is_retained);
    }
    u64::try_from(dropped).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CommentState, Problem, Votes};

    fn comment() -> Comment {
        Comment {
            key: Key { object_type: "page".to_owned(), object_id: "/".to_owned() },
            external_id: "1".to_owned(),
            member_id: "m".to_owned(),
            create_time: "2020-01-01T00:00:00Z".parse().ok(),
            ..Comment::default()
        }
    }

    fn checked(comment: Comment) -> (Comment, Option<Problem>, ReadNotes) {
        checked_of(ImportFormat::Csv, comment)
    }

    fn checked_of(format: ImportFormat, comment: Comment) -> (Comment, Option<Problem>, ReadNotes) {
        let mut notes = ReadNotes::default();
        let mut entry = GroupEntry::valid(Record::Comment(comment));
        let now = "2021-06-01T00:00:00Z".parse().unwrap();
        RecordCheck::new(format, "s", now).apply(&mut entry, &mut notes);
        let Record::Comment(comment) = entry.record else { panic!("it stays a comment") };
        (comment, entry.problem, notes)
    }

    #[test]
    fn control_characters_are_dropped_and_counted_in_names_too() {
        let metadata = BTreeMap::from([("author_name".to_owned(), "A\u{7}nn\tB\0".to_owned())]);
        let (cleaned, problem, notes) = checked(Comment { text: "nul \0 in\nside".to_owned(), metadata, ..comment() });
        assert_eq!((cleaned.text.as_str(), cleaned.metadata["author_name"].as_str()), ("nul  in\nside", "Ann B"));
        assert_eq!((problem, notes.controls), (None, 3));
    }

    #[test]
    fn the_metadata_of_an_export_stays_as_it_is() {
        let metadata =
            BTreeMap::from([("json".to_owned(), "{\n\t\"a\": 1\n}".to_owned()), ("x".to_owned(), "\0".to_owned())]);
        let exported = Comment { text: "text".to_owned(), metadata: metadata.clone(), ..comment() };
        let (imported, problem, notes) = checked_of(ImportFormat::Jsonl, exported);
        assert_eq!((imported.metadata, problem, notes.controls), (metadata, None, 0));
    }

    #[test]
    fn times_after_the_present_are_clamped_for_a_day_and_then_rejected() {
        let at = |time: &str| checked(Comment { create_time: time.parse().ok(), ..comment() });
        let (clamped, problem, notes) = at("2021-06-01T23:00:00Z");
        assert_eq!((clamped.create_time.unwrap().to_string().as_str(), problem), ("2021-06-01T00:00:00Z", None));
        assert_eq!(notes.clamped_times, 1);
        let (rejected, problem, _) = at("2021-06-02T01:00:00Z");
        assert_eq!(problem.unwrap().reason, "TIME_FUTURE");
        assert_eq!(rejected.create_time.unwrap().to_string(), "2021-06-02T01:00:00Z");
        let edited = Comment { edit_time: "2099-01-01T00:00:00Z".parse().ok(), ..comment() };
        assert_eq!(checked(edited).0.edit_time.unwrap().to_string(), "2021-06-01T00:00:00Z");
    }

    #[test]
    fn what_every_server_refuses_is_rejected_before_it_is_sent() {
        let metadata = (0..17).map(|n| (format!("k{n}"), "v".to_owned())).collect();
        let invalid = [
            Comment { member_id: String::new(), ..comment() },
            Comment { member_id: "x".repeat(65), ..comment() },
            Comment { member_id: "a\nb".to_owned(), ..comment() },
            Comment { external_id: "x".repeat(129), ..comment() },
            Comment { source: Some("x".repeat(65)), ..comment() },
            Comment { key: Key { object_type: "Page".to_owned(), ..comment().key }, ..comment() },
            Comment { mentioned_member_ids: vec!["m".to_owned(); 51], ..comment() },
            Comment { metadata, ..comment() },
        ];
        for (length, reason) in
            [(16_000, None), (16_001, Some("CONTENT_TOO_LONG")), (5_000_000, Some("CONTENT_TOO_LONG"))]
        {
            let text = "語".repeat(length);
            assert_eq!(checked(Comment { text, ..comment() }).1.map(|problem| problem.reason).as_deref(), reason);
        }
        let decomposed = Comment { text: "e\u{301}".repeat(16_000), ..comment() };
        assert_eq!(checked(decomposed).1, None, "a text is measured as it is stored");
        let voted = |up| Comment { votes: Votes { up, down: 1 }, ..comment() };
        assert_eq!(checked(voted(999_999)).1, None);
        let problem = checked(voted(4_000_000_000)).1.unwrap();
        assert_eq!(problem.reason, "COUNT_INVALID");
        for comment in invalid {
            assert_eq!(
                checked(comment.clone()).1.map(|problem| problem.reason).as_deref(),
                Some("VALUE_INVALID"),
                "{comment:?}"
            );
        }
        let ancient = Comment { create_time: "-000001-01-01T00:00:00Z".parse().ok(), ..comment() };
        assert_eq!(checked(ancient).1.map(|problem| problem.reason).as_deref(), Some("TIME_INVALID"));
        let tombstone = Comment { member_id: String::new(), state: CommentState::Deleted, ..comment() };
        assert_eq!(checked(tombstone).1, None);
        let old = Comment { create_time: "0001-01-01T00:00:00Z".parse().ok(), ..comment() };
        assert_eq!(checked(old).1, None);
    }
}
