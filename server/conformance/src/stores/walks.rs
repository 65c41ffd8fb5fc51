//! Random walks: the oracle and the backend run the same commands, and the same queries after each
//! batch. All results, also errors, must be equal. A walk that fails reports the values that
//! replay it.

mod commands;
mod queries;

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use riposte_core::ports::Reader;
use riposte_core::request::Fingerprint;
use riposte_core::verbs::{BatchType, BatchVerb};
use riposte_core::{
    Batch, Command, CommandOutput, CommentId, Effect, Error, LikeCommand, Millis, Result, SubjectKey, Writer,
};
use xxhash_rust::xxh3::xxh3_64;

use super::backend::{Backend, Process, StepClock};
use super::fixture::Fixture;
use crate::model::Model;

/// The shares of the operations in a walk.
#[derive(Debug, Clone, Copy)]
struct Mix {
    /// The number of like batches in a hundred.
    likes: u32,
    /// The number of imports in a hundred new comments.
    imports: u32,
    /// The depth limits under which replies are written.
    depth_limits: &'static [u8],
    /// The number of replies in a hundred new comments.
    replies: u32,
}

pub(super) async fn random_comments_give_the_results_of_the_oracle(backend: Backend) {
    walk(backend, "comments", Mix { likes: 10, imports: 5, depth_limits: &[2], replies: 60 }).await;
}

pub(super) async fn random_likes_give_the_results_of_the_oracle(backend: Backend) {
    walk(backend, "likes", Mix { likes: 75, imports: 10, depth_limits: &[3], replies: 40 }).await;
}

pub(super) async fn random_imports_give_the_results_of_the_oracle(backend: Backend) {
    walk(backend, "imports", Mix { likes: 20, imports: 80, depth_limits: &[3], replies: 70 }).await;
}

pub(super) async fn random_deep_threads_give_the_results_of_the_oracle(backend: Backend) {
    // A policy may change: threads then contain replies that were written under several depth
    // limits.
    walk(backend, "deep threads", Mix { likes: 5, imports: 15, depth_limits: &[1, 2, 4, 9, 32], replies: 90 }).await;
}

async fn walk(backend: Backend, name: &str, mix: Mix) {
    let seed = backend.walk.seed.unwrap_or_else(|| xxh3_64(name.as_bytes()));
    let replay = ReplayHint { name: name.to_owned(), seed, steps: backend.walk.steps };
    let mut walker = Walker::new(&backend, &replay, mix);
    for _ in 0..replay.steps {
        walker.step().await;
    }
    walker.query_everything().await;
}

/// The parameters of a walk. They are reported if the walk fails, so that it can be replayed.
#[derive(Debug)]
struct ReplayHint {
    name: String,
    seed: u64,
    steps: usize,
}

impl Drop for ReplayHint {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "the walk of {} is replayed by RIPOSTE_SEED={} RIPOSTE_STEPS={}",
                self.name, self.seed, self.steps
            );
        }
    }
}

/// The backend and the oracle, and the history of the walk.
#[derive(Debug)]
struct Walker {
    mix: Mix,
    rng: StdRng,
    fixture: Arc<Fixture>,
    oracle: Model,
    backend: Process,
    keys: Vec<SubjectKey>,
    /// Every comment that was created, with its subject.
    created: Vec<(SubjectKey, CommentId)>,
    /// Every command about a subject or comment that was sent, also the refused ones.
    sent: Vec<Command>,
    /// Every command about a like that was sent.
    sent_likes: Vec<LikeCommand>,
    time: i64,
    last_number: u64,
}

impl Walker {
    fn new(backend: &Backend, replay: &ReplayHint, mix: Mix) -> Self {
        let fixture = Fixture::new(backend, &format!("{replay:?}"));
        let hash = xxh3_64(format!("{replay:?}").as_bytes());
        let object_types = ["a", "b"].map(|name| format!("w{hash:016x}_{name}"));
        let first = fixture.key_of(&object_types[0], "1");
        // Two subjects are in one partition, for batches over both. The third has the object id of
        // the first and another object type.
        let mut in_partition =
            (2..).map(|n| fixture.key_of(&object_types[0], n)).filter(|key| key.partition() == first.partition());
        let keys = vec![first.clone(), in_partition.next().unwrap_or(first), fixture.key_of(&object_types[1], "1")];
        Self {
            mix,
            rng: StdRng::seed_from_u64(replay.seed),
            oracle: Model::new(StepClock::at(StepClock::START)),
            backend: backend.process.clone(),
            fixture,
            keys,
            created: Vec::new(),
            sent: Vec::new(),
            sent_likes: Vec::new(),
            time: StepClock::START.0,
            last_number: 0,
        }
    }

    /// Runs one batch, then some queries.
    async fn step(&mut self) {
        let likes = self.chance(self.mix.likes) && !self.created.is_empty();
        let partition = self.key().partition();
        let keys: Vec<_> = self.keys.iter().filter(|key| key.partition() == partition).cloned().collect();
        let length = if self.chance(50) { 1 } else { self.rng.random_range(2..=6) };
        if likes {
            let batch = self.likes(&keys, length);
            self.send(batch.clone()).await;
            self.sent_likes.extend(batch);
        } else {
            let batch = self.batch(&keys, length).await;
            let outputs = self.send(batch.clone()).await;
            for (command, output) in batch.iter().zip(outputs) {
                self.record_created(command, &output);
            }
            self.sent.extend(batch);
        }
        for _ in 0..4 {
            self.query().await;
        }
    }

    /// Sends a batch to the backend and the oracle, and returns its results.
    async fn send<K: BatchType>(&self, batch: Vec<Command<K>>) -> Vec<Result<CommandOutput>> {
        let batch = Batch::from(batch);
        let (found, expected) = (self.backend.writer.commit(&batch).await, self.oracle.commit(&batch).await);
        assert_eq!(found, expected, "the backend and the oracle differ: {batch:#?}");
        let outputs = found.expect("committed");
        let internal = outputs.iter().find(|output| matches!(output, Err(Error::Internal(_))));
        assert_eq!(internal, None, "{batch:#?}");
        outputs
    }

    /// Records the comment that a command created.
    fn record_created(&mut self, command: &Command, output: &Result<CommandOutput>) {
        if let Ok(CommandOutput { effect: Effect::Comment(view), .. }) = output {
            let id = view.comment.reference.id;
            if !self.created.iter().any(|(_, created)| *created == id) {
                self.created.push((command.subject.clone(), id));
            }
        }
    }

    /// Returns commands about subjects and comments of these subjects.
    async fn batch(&mut self, keys: &[SubjectKey], length: usize) -> Vec<Command> {
        let mut batch: Vec<Command> = Vec::new();
        for _ in 0..length {
            let repeat = self.chance(15).then(|| self.repeat(&batch, keys)).flatten();
            let command = match repeat {
                Some(command) => command,
                None => {
                    let key = keys.choose(&mut self.rng).cloned().expect("at least one");
                    let verb = self.verb(&key, &batch).await;
                    self.command(&key, verb)
                }
            };
            batch.push(command);
        }
        batch
    }

    /// Returns commands about likes under these subjects.
    fn likes(&mut self, keys: &[SubjectKey], length: usize) -> Vec<LikeCommand> {
        let mut batch: Vec<LikeCommand> = Vec::new();
        for _ in 0..length {
            let repeat = self.chance(15).then(|| self.repeat_like(&batch, keys)).flatten();
            let command = repeat.unwrap_or_else(|| {
                let key = keys.choose(&mut self.rng).cloned().expect("at least one");
                let verb = self.like(&key);
                self.command(&key, verb)
            });
            batch.push(command);
        }
        batch
    }

    /// Returns an earlier command under these subjects, sometimes with another fingerprint.
    fn repeat(&mut self, batch: &[Command], keys: &[SubjectKey]) -> Option<Command> {
        let earlier: Vec<_> = self.sent.iter().chain(batch).filter(|c| keys.contains(&c.subject)).collect();
        let mut command = (*earlier.choose(&mut self.rng)?).clone();
        if self.chance(20) {
            command.request.fingerprint = Fingerprint(command.request.fingerprint.0 ^ 1);
        }
        command.now = self.now();
        Some(command)
    }

    /// Returns an earlier command about a like under these subjects.
    fn repeat_like(&mut self, batch: &[LikeCommand], keys: &[SubjectKey]) -> Option<LikeCommand> {
        let earlier: Vec<_> = self.sent_likes.iter().chain(batch).filter(|c| keys.contains(&c.subject)).collect();
        let command = (*earlier.choose(&mut self.rng)?).clone();
        Some(Command { now: self.now(), ..command })
    }

    /// Returns a command with this verb at the next time.
    fn command<V: BatchVerb>(&mut self, key: &SubjectKey, verb: V) -> Command<V::Type> {
        let command = self.fixture.command(key, verb);
        Command { now: self.now(), ..command }
    }

    /// Advances the time by zero or more steps of 400 ms.
    fn now(&mut self) -> Millis {
        self.time += self.rng.random_range(0..=3) * 400;
        Millis(self.time)
    }

    /// Returns `true` in `percent` of a hundred calls.
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    /// Returns a random number from 0 to `end` - 1.
    fn random_below(&mut self, end: u32) -> u32 {
        self.rng.random_range(0..end)
    }

    /// Returns a random subject.
    fn key(&mut self) -> SubjectKey {
        self.keys.choose(&mut self.rng).cloned().expect("at least one")
    }

    /// Returns a comment of this subject; sometimes, or if it has none, an id that does not exist.
    async fn comment_of(&mut self, key: &SubjectKey) -> CommentId {
        let of_key: Vec<_> = self.created.iter().filter(|(subject, _)| subject == key).map(|(_, id)| *id).collect();
        match of_key.choose(&mut self.rng) {
            Some(id) if !self.chance(3) => *id,
            Some(_) | None => self.fixture.id(key).await,
        }
    }

    /// Returns both readers, the backend's first.
    fn readers(&self) -> [&dyn Reader; 2] {
        [self.backend.reader.as_ref(), &self.oracle]
    }
}
