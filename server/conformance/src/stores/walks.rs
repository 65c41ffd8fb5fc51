//! Random walks: the oracle and the backend run the same commands, and the same queries after each
//! batch. Every result must be equal, refusals too. A walk that fails reports the values that
//! replay it.

mod answers;
mod verbs;

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

/// The mix of operations of a walk.
#[derive(Debug, Clone, Copy)]
struct Mix {
    /// The number of like batches in a hundred.
    likes: u32,
    /// The number of imports in a hundred new comments.
    imports: u32,
    /// The depth limits under which replies are written.
    levels: &'static [u8],
    /// The number of replies in a hundred new comments.
    replies: u32,
}

pub(super) async fn random_comments_are_answered_as_the_oracle_answers(backend: Backend) {
    walk(backend, "comments", Mix { likes: 10, imports: 5, levels: &[2], replies: 60 }).await;
}

pub(super) async fn random_likes_are_answered_as_the_oracle_answers(backend: Backend) {
    walk(backend, "likes", Mix { likes: 75, imports: 10, levels: &[3], replies: 40 }).await;
}

pub(super) async fn random_imports_are_answered_as_the_oracle_answers(backend: Backend) {
    walk(backend, "imports", Mix { likes: 20, imports: 80, levels: &[3], replies: 70 }).await;
}

pub(super) async fn random_deep_threads_are_answered_as_the_oracle_answers(backend: Backend) {
    // A policy may change: threads then contain replies that were written under several depth
    // limits.
    walk(backend, "deep threads", Mix { likes: 5, imports: 15, levels: &[1, 2, 4, 9, 32], replies: 90 }).await;
}

async fn walk(backend: Backend, name: &str, mix: Mix) {
    let seed = backend.walk.seed.unwrap_or_else(|| xxh3_64(name.as_bytes()));
    let told = Told { name: name.to_owned(), seed, steps: backend.walk.steps };
    let mut walker = Walker::new(&backend, &told, mix);
    for _ in 0..told.steps {
        walker.step().await;
    }
    walker.sweep().await;
}

/// Reports the parameters of a walk that fails, so that it can be replayed.
#[derive(Debug)]
struct Told {
    name: String,
    seed: u64,
    steps: usize,
}

impl Drop for Told {
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
    dice: StdRng,
    fixture: Arc<Fixture>,
    oracle: Model,
    backend: Process,
    keys: Vec<SubjectKey>,
    /// Every comment that was created, with its subject.
    made: Vec<(SubjectKey, CommentId)>,
    /// Every command about a subject or comment that was sent, whatever its result.
    sent: Vec<Command>,
    /// Every command about a like that was sent.
    sent_likes: Vec<LikeCommand>,
    time: i64,
    numbers: u64,
}

impl Walker {
    fn new(backend: &Backend, told: &Told, mix: Mix) -> Self {
        let fixture = Fixture::new(backend, &format!("{told:?}"));
        let kinds = ["a", "b"].map(|kind| format!("w{:016x}_{kind}", xxh3_64(format!("{told:?}").as_bytes())));
        let first = fixture.key_of(&kinds[0], "1");
        // Two subjects in one partition, for batches over both; one of another type with the same
        // id.
        let mut twin = (2..).map(|n| fixture.key_of(&kinds[0], n)).filter(|key| key.partition() == first.partition());
        let keys = vec![first.clone(), twin.next().unwrap_or(first), fixture.key_of(&kinds[1], "1")];
        Self {
            mix,
            dice: StdRng::seed_from_u64(told.seed),
            oracle: Model::new(StepClock::at(StepClock::START)),
            backend: backend.process.clone(),
            fixture,
            keys,
            made: Vec::new(),
            sent: Vec::new(),
            sent_likes: Vec::new(),
            time: StepClock::START.0,
            numbers: 0,
        }
    }

    /// Runs one batch, then some queries.
    async fn step(&mut self) {
        let likes = self.chance(self.mix.likes) && !self.made.is_empty();
        let partition = self.key().partition();
        let keys: Vec<_> = self.keys.iter().filter(|key| key.partition() == partition).cloned().collect();
        let length = if self.chance(50) { 1 } else { self.dice.random_range(2..=6) };
        if likes {
            let batch = self.likes(&keys, length);
            self.send(batch.clone()).await;
            self.sent_likes.extend(batch);
        } else {
            let batch = self.batch(&keys, length).await;
            let outputs = self.send(batch.clone()).await;
            for (command, output) in batch.iter().zip(outputs) {
                self.note(command, &output);
            }
            self.sent.extend(batch);
        }
        for _ in 0..4 {
            self.ask().await;
        }
    }

    /// Sends a batch to the backend and the oracle, and returns its results.
    async fn send<K: BatchType>(&self, batch: Vec<Command<K>>) -> Vec<Result<CommandOutput>> {
        let batch = Batch::from(batch);
        let (theirs, ours) = (self.backend.writer.commit(&batch).await, self.oracle.commit(&batch).await);
        assert_eq!(theirs, ours, "backend and oracle answer alike: {batch:#?}");
        let outputs = theirs.expect("committed");
        let fault = outputs.iter().find(|output| matches!(output, Err(Error::Internal(_))));
        assert_eq!(fault, None, "{batch:#?}");
        outputs
    }

    fn note(&mut self, command: &Command, output: &Result<CommandOutput>) {
        if let Ok(CommandOutput { effect: Effect::Comment(view), .. }) = output {
            let id = view.comment.reference.id;
            if !self.made.iter().any(|(_, known)| *known == id) {
                self.made.push((command.subject.clone(), id));
            }
        }
    }

    /// Returns commands about subjects and comments of these subjects.
    async fn batch(&mut self, keys: &[SubjectKey], length: usize) -> Vec<Command> {
        let mut batch: Vec<Command> = Vec::new();
        for _ in 0..length {
            let again = self.chance(15).then(|| self.again(&batch, keys)).flatten();
            let command = match again {
                Some(command) => command,
                None => {
                    let key = keys.choose(&mut self.dice).cloned().expect("at least one");
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
            let again = self.chance(15).then(|| self.like_again(&batch, keys)).flatten();
            let command = again.unwrap_or_else(|| {
                let key = keys.choose(&mut self.dice).cloned().expect("at least one");
                let verb = self.like(&key);
                self.command(&key, verb)
            });
            batch.push(command);
        }
        batch
    }

    /// Returns an earlier command of these subjects, now and then with another body.
    fn again(&mut self, batch: &[Command], keys: &[SubjectKey]) -> Option<Command> {
        let known: Vec<_> = self.sent.iter().chain(batch).filter(|c| keys.contains(&c.subject)).collect();
        let mut command = (*known.choose(&mut self.dice)?).clone();
        if self.chance(20) {
            command.request.fingerprint = Fingerprint(command.request.fingerprint.0 ^ 1);
        }
        command.now = self.now();
        Some(command)
    }

    /// Returns an earlier command about a like under these subjects.
    fn like_again(&mut self, batch: &[LikeCommand], keys: &[SubjectKey]) -> Option<LikeCommand> {
        let known: Vec<_> = self.sent_likes.iter().chain(batch).filter(|c| keys.contains(&c.subject)).collect();
        let command = (*known.choose(&mut self.dice)?).clone();
        Some(Command { now: self.now(), ..command })
    }

    fn command<V: BatchVerb>(&mut self, key: &SubjectKey, verb: V) -> Command<V::Type> {
        let command = self.fixture.command(key, verb);
        Command { now: self.now(), ..command }
    }

    /// Advances the time by zero or more milliseconds.
    fn now(&mut self) -> Millis {
        self.time += self.dice.random_range(0..=3) * 400;
        Millis(self.time)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.dice.random_ratio(percent, 100)
    }

    /// Returns a random number from 0 to `sides` - 1.
    fn die(&mut self, sides: u32) -> u32 {
        self.dice.random_range(0..sides)
    }

    fn key(&mut self) -> SubjectKey {
        self.keys.choose(&mut self.dice).cloned().expect("at least one")
    }

    /// Returns a comment of this subject, if it has one; now and then an id that does not exist.
    async fn comment_of(&mut self, key: &SubjectKey) -> CommentId {
        let of_key: Vec<_> = self.made.iter().filter(|(subject, _)| subject == key).map(|(_, id)| *id).collect();
        match of_key.choose(&mut self.dice) {
            Some(id) if !self.chance(3) => *id,
            Some(_) | None => self.fixture.id(key).await,
        }
    }

    /// Returns both readers, the backend's first.
    fn readers(&self) -> [&dyn Reader; 2] {
        [self.backend.reader.as_ref(), &self.oracle]
    }
}
