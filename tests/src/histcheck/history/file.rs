//! The file of a history. It has a line of JSON for each record; lines are appended during the run
//! and never changed.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::{Alarm, CacheEntry, FeedRead, FilterQuestion, History, InjectedFault, Listing, Op, Table};

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
enum Record {
    /// The first line.
    Run {
        seed: u64,
        repeat_command: String,
    },
    Op(Op),
    Fault(InjectedFault),
    Alarm(Alarm),
    Feed(FeedRead),
    Question(FilterQuestion),
    Listing(Listing),
    Table(Table),
    CacheEntry(CacheEntry),
}

/// The writer of a history. All clients of a run share it.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: Mutex<BufWriter<File>>,
}

impl Recorder {
    /// Creates the file of a run with this seed.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub(crate) fn create(path: &Path, seed: u64, repeat_command: &str) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let recorder = Self { file: Mutex::new(BufWriter::with_capacity(1 << 20, file)) };
        recorder.write(&Record::Run { seed, repeat_command: repeat_command.to_owned() })?;
        Ok(recorder)
    }

    /// Records an operation that has ended.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub(crate) fn op(&self, op: Op) -> Result<()> {
        self.write(&Record::Op(op))
    }

    /// Records a fault that is over.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn fault(&self, fault: InjectedFault) -> Result<()> {
        self.write(&Record::Fault(fault))
    }

    /// Records an error that a server has logged.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn alarm(&self, alarm: Alarm) -> Result<()> {
        self.write(&Record::Alarm(alarm))
    }

    /// Records a read of the feed of events.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn feed(&self, read: FeedRead) -> Result<()> {
        self.write(&Record::Feed(read))
    }

    /// Records a text that a filter was asked about.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn question(&self, question: FilterQuestion) -> Result<()> {
        self.write(&Record::Question(question))
    }

    /// Records a whole list.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn listing(&self, listing: Listing) -> Result<()> {
        self.write(&Record::Listing(listing))
    }

    /// Records a table of a database.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn table(&self, table: Table) -> Result<()> {
        self.write(&Record::Table(table))
    }

    /// Records a key of Redis.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn cache_entry(&self, entry: CacheEntry) -> Result<()> {
        self.write(&Record::CacheEntry(entry))
    }

    /// Writes all buffered lines to the file.
    ///
    /// # Errors
    /// As [`Recorder::op`].
    pub(crate) fn flush(&self) -> Result<()> {
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner).flush()?)
    }

    /// Appends a line. It is serialized outside the lock, so that clients wait for the
    /// copying alone.
    fn write(&self, record: &Record) -> Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)?)
    }
}

/// Reads a history back. An incomplete last line, as an aborted run leaves it, is ignored.
///
/// # Errors
/// Fails when the file does not exist, or when a line is not a record.
pub(crate) fn read(path: &Path) -> Result<History> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = BufReader::with_capacity(1 << 20, file);
    let (mut history, mut line) = (History::default(), Vec::new());
    for number in 1.. {
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        match line.pop() {
            Some(b'\n') => {}
            Some(_) => {
                println!("{}, line {number} is incomplete and is ignored", path.display());
                break;
            }
            None => break,
        }
        let record = serde_json::from_slice(&line);
        match record.with_context(|| format!("{}, line {number}", path.display()))? {
            Record::Run { seed, repeat_command } => (history.seed, history.repeat_command) = (seed, repeat_command),
            Record::Op(op) => {
                ensure!(op.begun <= op.ended, "{}, line {number}: it ends before it begins", path.display());
                history.ops.push(op);
            }
            Record::Fault(fault) => history.faults.push(fault),
            Record::Alarm(alarm) => history.alarms.push(alarm),
            Record::Feed(read) => history.feed.push(read),
            Record::Question(question) => history.questions.push(question),
            Record::Listing(listing) => history.listings.push(listing),
            Record::Table(table) => history.tables.push(table),
            Record::CacheEntry(entry) => history.cache.push(entry),
        }
    }
    Ok(history)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histcheck::history::{Call, Item, ItemKind, LikeRow, Outcome, PageResponse, Rows, View};

    #[test]
    fn a_history_is_read_back_without_its_incomplete_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let recorder = Recorder::create(&path, 7, "cargo xtask prove --seed 7").unwrap();
        let item = Item {
            kind: ItemKind::Preview,
            id: i64::MAX,
            root: 2,
            parent: 3,
            floor: 4,
            member: u32::MAX,
            text: u64::MAX,
            subject: 5,
            text_subject: 6,
            likes: 7,
            dislikes: 8,
            replies: 9,
            revision: 10,
        };
        let op = Op {
            client: 1,
            server: 2,
            begun: 3,
            ended: 4,
            request: (u64::MAX, 1),
            call: Call::Get { subject: 1, comment: 2, view: View::default() },
            outcome: Outcome::Page(PageResponse { revision: 1, counts: None, last: true, items: Box::new([item]) }),
        };
        let fault = InjectedFault { kind: "kill".into(), target: "server 1".into(), begun: 1, ended: 2 };
        recorder.op(op.clone()).unwrap();
        recorder.fault(fault.clone()).unwrap();
        let alarm = Alarm { at: 3, line: "{\"level\":\"ERROR\"}".into() };
        recorder.alarm(alarm.clone()).unwrap();
        let listing = Listing::Likers { comment: 7, members: vec![5] };
        recorder.listing(listing.clone()).unwrap();
        let like = LikeRow { subject_id: 1, comment: 2, part: 3, member: 4, value: -1 };
        let table = Table { source: 1, number: 7, rows: Rows::Likes(vec![like]) };
        recorder.table(table.clone()).unwrap();
        let entry = CacheEntry::Unknown { description: "strange: x".into() };
        recorder.cache_entry(entry.clone()).unwrap();
        recorder.flush().unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"Op\":{").unwrap();
        let history = read(&path).unwrap();
        assert_eq!((history.seed, history.repeat_command.as_str()), (7, "cargo xtask prove --seed 7"));
        assert_eq!((history.ops, history.faults), (vec![op], vec![fault]));
        assert_eq!(history.listings, [listing]);
        assert_eq!((history.alarms, history.tables, history.cache), (vec![alarm], vec![table], vec![entry]));
        file.write_all(b"\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("line 8"));
    }
}
