//! A few members create, edit and delete comments under a few subjects; their histories are
//! compared with the rows.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use riposte_core::page::HistoryCursor;
use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Undelete, Unhide};
use riposte_core::{CommandKind, CommentId, Error, MemberId, ObjectType, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use super::rebuild;
use crate::stores::backend::Backend;
use crate::stores::fixture::{Fixture, member, ruling, text};

/// Two of the members differ in a byte that some collations ignore.
const MEMBERS: [&str; 4] = ["x", "x ", "é", "🏠"];

/// The members and their subjects. The same members write under two object types, with subjects of
/// the same ids.
#[derive(Debug)]
pub(super) struct Actors {
    pub(super) keys: Vec<SubjectKey>,
    fixture: Arc<Fixture>,
    rng: StdRng,
    created: Vec<(SubjectKey, CommentId, MemberId)>,
}

impl Actors {
    pub(super) fn new(backend: &Backend, name: &str) -> Self {
        let fixture = Fixture::new(backend, name);
        let object_types = [fixture.object_type("a"), fixture.object_type("b")];
        let keys = (0..6).map(|n| fixture.key_of(&object_types[n % 2], n / 2)).collect();
        let seed = backend.walk.seed.unwrap_or_else(|| xxh3_64(name.as_bytes()));
        Self { keys, fixture, rng: StdRng::seed_from_u64(seed), created: Vec::new() }
    }

    /// Runs a random command, which may be refused.
    pub(super) async fn act(&mut self) {
        let (key, verb) = self.verb().await;
        let command = self.fixture.command(&key, verb);
        match self.fixture.send(&command).await {
            Ok(_) if command.verb.creates_comment() => {
                let id = command.verb.comment_id().expect("a comment");
                let author = self.fixture.view(id).await.comment.reference.member;
                self.created.push((key, id, author));
            }
            Ok(_) => {}
            Err(Error::Internal(text)) => panic!("{}: {text}", command.verb.name()),
            Err(_) => {}
        }
    }

    async fn verb(&mut self) -> (SubjectKey, CommandKind) {
        let writer = member(MEMBERS.choose(&mut self.rng).expect("four of them"));
        let action = self.rng.random_range(0..12_u32);
        let Some((key, id, author)) = self.created.choose(&mut self.rng).cloned().filter(|_| action > 3) else {
            let key = self.keys.choose(&mut self.rng).cloned().expect("six of them");
            let verb = self.fixture.root_verb(&key, writer.as_str()).await;
            return (key, verb.into());
        };
        let (target, etag) = (self.fixture.target(id).await, String::new());
        let verb = match action {
            0..=6 => {
                let mut verb = self.fixture.reply_verb(&key, id, 3).await;
                verb.member = writer;
                verb.into()
            }
            7 => Delete { target, actor: DeleteActor::Author(author), etag }.into(),
            8 => Undelete { target, member: author }.into(),
            9 => Hide { target, ruling: ruling() }.into(),
            10 => Unhide { target, ruling: ruling() }.into(),
            11.. => Edit { etag, ..Edit::allowed(target, author, text("changed")) }.into(),
        };
        (key, verb)
    }

    /// Rebuilds all histories from the rows. Returns the number of rows changed.
    pub(super) async fn rebuild(&self, batch: usize) -> usize {
        let mut changed = 0;
        for key in &self.keys {
            changed += rebuild(self.fixture.process.histories.as_ref(), key, batch).await.1;
        }
        changed
    }

    /// Compares every history with the rows.
    pub(super) async fn compare(&self) {
        let mut rows = Vec::new();
        for key in &self.keys {
            let exported = self.fixture.process.reader.export_comments(key, None, 10_000).await.expect("read");
            rows.extend(exported.into_iter().map(|row| (key.object_type(), row.view.comment)));
        }
        for object_type in [self.keys[0].object_type(), self.keys[1].object_type()] {
            for (author, all) in MEMBERS.iter().flat_map(|name| [(member(name), false), (member(name), true)]) {
                let own = rows.iter().filter(|(of, comment)| *of == object_type && comment.reference.member == author);
                let own = own.filter(|(_, comment)| all || comment.lifecycle.state.is_visible());
                let mut expected: Vec<HistoryCursor> = own
                    .map(|(_, c)| HistoryCursor { time: c.reference.create_time, comment: c.reference.id })
                    .collect();
                expected.sort_by_key(|entry| std::cmp::Reverse((entry.time, entry.comment)));
                let found = history(&self.fixture, object_type, &author, all).await;
                assert_eq!(found, expected, "{author:?} in {object_type:?}, all: {all}");
            }
        }
    }
}

/// Returns a complete history.
pub(super) async fn history(
    fixture: &Fixture,
    object_type: &ObjectType,
    author: &MemberId,
    all: bool,
) -> Vec<HistoryCursor> {
    history_by_pages(fixture, object_type, author, all, 17).await
}

/// Reads a history in pages of `limit`.
pub(super) async fn history_by_pages(
    fixture: &Fixture,
    object_type: &ObjectType,
    author: &MemberId,
    all: bool,
    limit: usize,
) -> Vec<HistoryCursor> {
    let mut found: Vec<HistoryCursor> = Vec::new();
    loop {
        let after = found.last().copied();
        let page = fixture
            .process
            .reader
            .member_comments(object_type, author, all, after.as_ref(), limit)
            .await
            .expect("read");
        assert_eq!(page.more_before, after.is_some());
        assert!(page.items.len() == limit || !page.more_after, "only the last page is short");
        found.extend(page.items);
        if !page.more_after {
            return found;
        }
    }
}
