//! Members write, like, change their minds and are moderated under a few subjects; the rankings are
//! compared with brute force.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use riposte_core::rank::{RankCandidate, RankSort, RankedList, ScoreInputs, freeze, standings};
use riposte_core::request::RequestId;
use riposte_core::verbs::{BatchVerb, Delete, DeleteActor, Hide, SetLike, Undelete, Unhide};
use riposte_core::{CommandKind, Comment, CommentId, Error, LikeValue, Millis, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::model::{DECAYING, FLAT, rules};
use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::{Fixture, member};

/// The members and their subjects. The first subject is of the type whose HOT ranking decays, the
/// last of the one whose replies are roots.
#[derive(Debug)]
pub(super) struct Actors {
    pub(super) fixture: Arc<Fixture>,
    pub(super) keys: Vec<SubjectKey>,
    dice: StdRng,
    made: Vec<(SubjectKey, CommentId)>,
}

impl Actors {
    pub(super) fn new(backend: &Backend, name: &str) -> Self {
        let fixture = Fixture::new(backend, name);
        let keys = vec![fixture.key_of(DECAYING, 1), fixture.key_of(&fixture.kind("r"), 1), fixture.key_of(FLAT, 1)];
        let seed = backend.walk.seed.unwrap_or_else(|| xxh3_64(name.as_bytes()));
        Self { keys, fixture, dice: StdRng::seed_from_u64(seed), made: Vec::new() }
    }

    /// Runs `times` random commands, which may be refused.
    pub(super) async fn act(&mut self, times: usize) {
        for _ in 0..times {
            let what = self.dice.random_range(0..24_u32);
            let there = self.made.choose(&mut self.dice).cloned().filter(|_| what > 4);
            if let (Some((key, id)), 9..=18) = (&there, what) {
                let verb = self.like(*id);
                self.send(key, verb).await;
                continue;
            }
            let (key, verb) = self.verb(there, what).await;
            let made = verb.creates_comment().then(|| verb.comment_id()).flatten();
            if self.send(&key, verb).await {
                self.made.extend(made.map(|id| (key, id)));
            }
        }
    }

    /// Sends a command, and returns true if it is accepted.
    async fn send(&self, key: &SubjectKey, verb: impl BatchVerb) -> bool {
        let command = self.fixture.command(key, verb);
        match self.fixture.send(&command).await {
            Ok(_) => true,
            Err(Error::Internal(text)) => panic!("{:?}: {text}", command.verb),
            Err(_) => false,
        }
    }

    async fn verb(&mut self, there: Option<(SubjectKey, CommentId)>, what: u32) -> (SubjectKey, CommandKind) {
        let Some((key, id)) = there else {
            let key = self.keys.choose(&mut self.dice).cloned().expect("three of them");
            let verb = self.fixture.create(&key, "author").await;
            return (key, verb.into());
        };
        let verb = match what {
            0..=8 => {
                let levels = if key.object_type().as_str() == FLAT { 1 } else { 3 };
                self.fixture.answer(&key, id, levels).await.into()
            }
            other => self.state(id, other).await,
        };
        (key, verb)
    }

    /// Returns a like of one of few members, so that many of them change their minds.
    fn like(&mut self, comment_id: CommentId) -> SetLike {
        let who = member(&format!("m{}", self.dice.random_range(0..7_u32)));
        let value = [LikeValue::Like, LikeValue::Like, LikeValue::Dislike, LikeValue::None];
        let value = *value.choose(&mut self.dice).expect("four of them");
        SetLike { comment_id, member: who, value, operation: RequestId::from_bytes(self.dice.random()) }
    }

    async fn state(&mut self, id: CommentId, what: u32) -> CommandKind {
        let (target, author) = (self.fixture.target(id).await, self.fixture.view(id).await.comment.reference.member);
        match what {
            19..=20 => Delete { target, actor: DeleteActor::Author(author), etag: String::new() }.into(),
            21 => Undelete { target, member: author }.into(),
            22 => Hide { target }.into(),
            _ => Unhide { target }.into(),
        }
    }

    /// Rebuilds all rank indexes from the rows. Returns the number of comments whose entries
    /// changed.
    pub(super) async fn rebuild(&self, part: usize) -> usize {
        let mut changed = 0;
        for key in &self.keys {
            changed += rebuild(&self.fixture, key, part).await;
        }
        changed
    }

    /// Compares new rankings of every list, all orders of the roots and of the replies of every
    /// root, with brute force.
    pub(super) async fn compare(&self, now: Millis) {
        for key in &self.keys {
            let all = comments(&self.fixture, key).await;
            let of_roots = RankSort::ALL.into_iter().map(|sort| RankedList::Roots(key.clone(), sort));
            let roots = all.iter().filter(|comment| comment.is_root() && comment.next_floor > 1);
            let of_replies = roots.map(|root| RankedList::Replies(key.clone(), root.reference.id));
            for list in of_roots.chain(of_replies) {
                let found = self.fixture.process.rankings.current(&list, now).await.expect("made");
                let Some((ranking, _)) = found else { continue };
                assert_eq!(ranking.made, now, "a new one");
                assert_eq!(ranking.floors.to_vec(), expected(&all, &list), "{list:?}");
            }
        }
    }
}

/// Returns a time after every ranking of a case.
pub(super) fn later(rounds: i64) -> Millis {
    Millis(StepClock::START.0 + 1_000_000_000 + rounds * 10 * 60_000)
}

/// Rebuilds the rank indexes of a subject from its rows, `part` comments at a time. Returns the
/// number of comments whose entries changed.
pub(in crate::stores) async fn rebuild(fixture: &Fixture, key: &SubjectKey, part: usize) -> usize {
    let (mut changed, mut after) = (0, None);
    loop {
        let built = fixture.process.boards.rebuild(key, after, part).await.expect("rebuilt");
        assert!(built.comments <= part, "no more than asked for: {built:?}");
        changed += built.changed;
        after = built.next;
        if after.is_none() {
            return changed;
        }
    }
}

/// Returns every comment of a subject, whatever its state.
pub(super) async fn comments(fixture: &Fixture, key: &SubjectKey) -> Vec<Comment> {
    let exported = fixture.process.reader.export_comments(key, None, 10_000).await.expect("read");
    exported.into_iter().map(|row| row.view.comment).collect()
}

/// Computes the ranking of a list by brute force: the first of {the first ranked ones, the newest}.
fn expected(comments: &[Comment], list: &RankedList) -> Vec<i32> {
    let (rules, board) = (rules(), list.board());
    let hot = rules.hot(list.subject().object_type());
    let mut all: Vec<&Comment> = comments.iter().filter(|comment| comment.reference.root_id == list.root()).collect();
    all.sort_by_key(|comment| comment.reference.floor);
    let score = |comment: &Comment| standings(comment, hot).into_iter().find(|(on, _)| *on == board);
    let mut out: Vec<_> = all.iter().filter_map(|comment| Some((score(comment)?.1, *comment))).collect();
    out.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(other.reference.floor.cmp(&one.reference.floor)));
    let newest = all.iter().rev().copied().filter(|comment| comment.lifecycle.listed).take(rules.depth);
    let chosen = out.into_iter().take(rules.depth).map(|(_, comment)| comment).chain(newest);
    let chosen: BTreeSet<i32> =
        chosen.filter(|comment| comment.lifecycle.state.is_visible()).map(|c| c.reference.floor).collect();
    let candidates: Vec<RankCandidate> = all
        .iter()
        .filter(|c| chosen.contains(&c.reference.floor))
        .map(|c| (c.reference.id, c.reference.floor, ScoreInputs::of(c)))
        .collect();
    freeze(board, hot, candidates, rules.depth).to_vec()
}
