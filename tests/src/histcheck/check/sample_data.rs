//! A small valid database and Redis, and variants with a deliberate violation.
//!
//! Subject 0 has root 11 with reply 12, and root 13, which was deleted. Member 5 likes root 11.
//! Subject 1 has no comments. The subjects are in partitions 6 and 1, in two subject tables and
//! four tables of each other kind.

use super::{Findings, cache, hidden_texts, listings, tables};
use crate::histcheck::history::{
    CacheEntry, CachedSubject, Call, CommentRow, ContentRow, Counts, History, Item, ItemKind, LikeRow, ListOwner, Op,
    Outcome, Rows, SubjectRow, Table, Value,
};

/// The rows, the export and the cache entries of a test, as a history.
#[derive(Debug)]
pub(super) struct SampleData {
    pub(super) history: History,
}

/// The partition of subject 0.
const PART: i64 = 6;

impl Default for SampleData {
    fn default() -> Self {
        let table = |number: u16, rows| Table { source: (number % 2) as u8, number, rows };
        let subject = |id, part, subject, next_floor, roots, comments, revision| SubjectRow {
            id,
            part,
            subject,
            next_floor,
            roots,
            comments,
            revision,
        };
        let subjects = [
            Rows::Subjects(vec![subject(SampleData::SUBJECT, PART, 0, 3, 1, 2, 5)]),
            Rows::Subjects(vec![subject(1 << 14, 1, 1, 1, 0, 0, 1)]),
        ];
        let comments = vec![comment(11, 0, 1), CommentRow { next_floor: 1, likes: 0, ..comment(12, 11, 1) }, {
            let deleted = comment(13, 0, 2);
            CommentRow { state: CommentRow::DELETED, listed: 0, replies: 0, likes: 0, next_floor: 1, ..deleted }
        }];
        let content = |id| ContentRow { comment: Self::id(id), part: PART, text_subject: 0, text: id.cast_unsigned() };
        let contents = [11, 12, 13].map(content).to_vec();
        let like = LikeRow { subject_id: SampleData::SUBJECT, comment: Self::id(11), part: PART, member: 5, value: 1 };
        let cached = cache_entries(&comments, &contents);
        let rows = comments.iter().map(item).collect();
        let likes = Box::new([(like.comment, like.member, Value::Like)]);
        let mut tables: Vec<Table> = (0..).zip(subjects).map(|(number, rows)| table(number, rows)).collect();
        // Partition 6 is in the third table of four.
        tables.push(table(2, Rows::Comments(comments)));
        tables.push(table(2, Rows::Contents(contents)));
        tables.push(table(2, Rows::Likes(vec![like])));
        for number in [0, 1, 3] {
            let empty = [Rows::Comments(Vec::new()), Rows::Contents(Vec::new()), Rows::Likes(Vec::new())];
            tables.extend(empty.map(|rows| table(number, rows)));
        }
        let export = |subject, counts, rows, likes| Op {
            client: 0,
            server: 0,
            begun: 1,
            ended: 2,
            request: (0, 0),
            call: Call::Export { subject },
            outcome: Outcome::Export { counts: Some(counts), rows, likes, drifts: Box::new([]) },
        };
        let ops = vec![
            export(0, Counts { revision: 5, roots: 1, comments: 2 }, rows, likes),
            export(1, Counts { revision: 1, roots: 0, comments: 0 }, Box::new([]), Box::new([])),
        ];
        Self { history: History { ops, tables, cache: cached, ..History::default() } }
    }
}

/// Returns a visible comment by member 1.
fn comment(id: i64, root: i64, floor: i32) -> CommentRow {
    let root = if root == 0 { 0 } else { SampleData::id(root) };
    CommentRow {
        id: SampleData::id(id),
        part: PART,
        subject_id: SampleData::SUBJECT,
        root,
        parent: root,
        floor,
        next_floor: 2,
        member: 1,
        state: CommentRow::VISIBLE,
        listed: 1,
        likes: 1,
        dislikes: 0,
        replies: i32::from(root == 0),
        revision: 4,
    }
}

/// Returns the cached data of subject 0.
fn cache_entries(comments: &[CommentRow], contents: &[ContentRow]) -> Vec<CacheEntry> {
    let (generation, incarnation, id) = ("g".to_owned(), "0a".to_owned(), SampleData::SUBJECT);
    let row = Some(CachedSubject { subject: 0, roots: 1, comments: 2, revision: 5 });
    let list = |owner, member| {
        let members = vec![(1, SampleData::id(member))];
        CacheEntry::List { owner, incarnation: incarnation.clone(), low: 0, high: i32::MAX, members }
    };
    let mut entries = vec![
        CacheEntry::Generation { part: PART, generation: generation.clone() },
        CacheEntry::SubjectId { subject: 0, id },
        CacheEntry::Subject { part: PART, id, incarnation: incarnation.clone(), generation: generation.clone(), row },
        list(ListOwner::Subject(id), 11),
        list(ListOwner::Root(SampleData::id(11)), 12),
        CacheEntry::Candidates {
            root: SampleData::id(11),
            incarnation: incarnation.clone(),
            members: vec![(1, SampleData::id(12))],
        },
        CacheEntry::LikeStates { part: PART, subject: 0, member: 5, generation, values: vec![(SampleData::id(11), 1)] },
    ];
    entries.extend(comments.iter().zip(contents).map(|(row, content)| {
        let row = CommentRow { next_floor: 0, listed: 0, ..*row };
        CacheEntry::Comment { incarnation: incarnation.clone(), row, content: *content }
    }));
    entries
}

/// Returns a row as the service exports it.
fn item(row: &CommentRow) -> Item {
    let visible = row.state == CommentRow::VISIBLE;
    Item {
        kind: ItemKind::Row,
        id: row.id,
        root: row.root,
        parent: row.parent,
        floor: row.floor,
        member: row.member,
        text: if visible { (row.id & 255).cast_unsigned() } else { 0 },
        subject: 0,
        text_subject: 0,
        likes: row.likes,
        dislikes: row.dislikes,
        replies: row.replies,
        revision: row.revision,
    }
}

impl SampleData {
    /// The id of subject 0. It equals that of its first comment: subjects and comments have
    /// separate ids.
    const SUBJECT: i64 = PART << 14 | 11;

    /// Returns an id in the partition of subject 0.
    pub(super) fn id(number: i64) -> i64 {
        PART << 14 | number
    }

    fn change<T>(mut self, change: impl FnOnce(&mut T), select: impl Fn(&mut Rows) -> Option<&mut T>) -> Self {
        change(self.history.tables.iter_mut().find_map(|table| select(&mut table.rows)).unwrap());
        self
    }

    pub(super) fn subject(self, subject: u32, change: impl FnOnce(&mut SubjectRow)) -> Self {
        self.change(change, |rows| match rows {
            Rows::Subjects(rows) => rows.iter_mut().find(|row| row.subject == subject),
            Rows::Comments(_)
            | Rows::Contents(_)
            | Rows::Likes(_)
            | Rows::Reviews(_)
            | Rows::Decisions(_)
            | Rows::Proposals(_)
            | Rows::Reports(_) => None,
        })
    }

    pub(super) fn comment(self, id: i64, change: impl FnOnce(&mut CommentRow)) -> Self {
        self.change(change, |rows| match rows {
            Rows::Comments(rows) => rows.iter_mut().find(|row| row.id == Self::id(id)),
            Rows::Subjects(_)
            | Rows::Contents(_)
            | Rows::Likes(_)
            | Rows::Reviews(_)
            | Rows::Decisions(_)
            | Rows::Proposals(_)
            | Rows::Reports(_) => None,
        })
    }

    pub(super) fn content(self, id: i64, change: impl FnOnce(&mut ContentRow)) -> Self {
        self.change(change, |rows| match rows {
            Rows::Contents(rows) => rows.iter_mut().find(|row| row.comment == Self::id(id)),
            Rows::Subjects(_)
            | Rows::Comments(_)
            | Rows::Likes(_)
            | Rows::Reviews(_)
            | Rows::Decisions(_)
            | Rows::Proposals(_)
            | Rows::Reports(_) => None,
        })
    }

    /// Changes the only like.
    pub(super) fn like(self, change: impl FnOnce(&mut LikeRow)) -> Self {
        self.change(change, |rows| match rows {
            Rows::Likes(rows) => rows.first_mut(),
            Rows::Subjects(_)
            | Rows::Comments(_)
            | Rows::Contents(_)
            | Rows::Reviews(_)
            | Rows::Decisions(_)
            | Rows::Proposals(_)
            | Rows::Reports(_) => None,
        })
    }

    /// Changes the export of subject 0.
    pub(super) fn export(mut self, change: impl FnOnce(&mut Outcome)) -> Self {
        change(&mut self.history.ops[0].outcome);
        self
    }

    fn descriptions(&self) -> Vec<String> {
        let mut findings = Findings::default();
        let stored = tables::check(&self.history, &mut findings);
        cache::check(&stored, &self.history.cache, &mut findings);
        hidden_texts::check(&self.history, &stored, &mut findings);
        listings::check(&self.history.listings, &stored, &mut findings);
        findings.anomalies.into_iter().map(|anomaly| anomaly.description).collect()
    }

    /// Fails if an anomaly is found.
    pub(super) fn finds_nothing(&self) {
        assert_eq!(self.descriptions(), [""; 0]);
    }

    /// Fails unless an anomaly whose description contains this text is found.
    pub(super) fn finds(self, text: &str) -> Self {
        let all = self.descriptions();
        assert!(all.iter().any(|description| description.contains(text)), "{text:?} is not in {all:#?}");
        self
    }
}
