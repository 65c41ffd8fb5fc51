//! Members write, like and delete comments under a few subjects, and moderators hide them; the
//! rankings are compared with a computation from all comments.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use riposte_core::rank::{RankCandidate, RankSort, RankedList, ScoreInputs, ranked_floors, scores};
use riposte_core::request::RequestId;
use riposte_core::verbs::{BatchVerb, Delete, DeleteActor, Hide, SetLike, Undelete, Unhide};
use riposte_core::{CommandKind, Comment, CommentId, Error, LikeValue, Millis, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::model::{DECAYING, FLAT, ranking_config};
use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::{Fixture, member, ruling};

/// The members and their subjects. The first subject is of the type whose HOT ranking decays, the
/// last of the one whose replies are roots.
#[derive(Debug)]
pub(super) struct Actors {
    pub(super) fixture: Arc<Fixture>,
    pub(super) keys: Vec<SubjectKey>,
    rng: StdRng,
    created: Vec<(SubjectKey, CommentId)>,
}

impl Actors {
    pub(super) fn new(backend: &Backend, name: &str) -> Self {
        let fixture = Fixture::new(backend, name);
        let keys =
            vec![fixture.key_of(DECAYING, 1), fixture.key_of(&fixture.object_type("r"), 1), fixture.key_of(FLAT, 1)];
        let seed = backend.walk.seed.unwrap_or_else(|| xxh3_64(name.as_bytes()));
        Self { keys, fixture, rng: StdRng::seed_from_u64(seed), created: Vec::new() }
    }

    /// Runs `times` random commands, which may be refused.
    pub(super) async fn act(&mut self, times: usize) {
        for _ in 0..times {
            let action = self.rng.random_range(0..24_u32);
            let existing = self.created.choose(&mut self.rng).cloned().filter(|_| action > 4);
            if let (Some((key, id)), 9..=18) = (&existing, action) {
                let verb = self.like(*id);
                self.send(key, verb).await;
                continue;
            }
            let (key, verb) = self.verb(existing, action).await;
            let created = verb.creates_comment().then(|| verb.comment_id()).flatten();
            if self.send(&key, verb).await {
                self.created.extend(created.map(|id| (key, id)));
            }
        }
    }

    /// Sends a command. Returns `true` if it is accepted.
    async fn send(&self, key: &SubjectKey, verb: impl BatchVerb) -> bool {
        let command = self.fixture.command(key, verb);
        match self.fixture.send(&command).await {
            Ok(_) => true,
            Err(Error::Internal(text)) => panic!("{:?}: {text}", command.verb),
            Err(_) => false,
        }
    }

    /// Returns the verb of an action: a new root, a reply, or a change of the existing comment.
    async fn verb(&mut self, existing: Option<(SubjectKey, CommentId)>, action: u32) -> (SubjectKey, CommandKind) {
        let Some((key, id)) = existing else {
            let key = self.keys.choose(&mut self.rng).cloned().expect("three of them");
            let verb = self.fixture.root_verb(&key, "author").await;
            return (key, verb.into());
        };
        let verb = match action {
            0..=8 => {
                let max_depth = if key.object_type().as_str() == FLAT { 1 } else { 3 };
                self.fixture.reply_verb(&key, id, max_depth).await.into()
            }
            other => self.state_change(id, other).await,
        };
        (key, verb)
    }

    /// Returns a like of one of a few members, so that many likes change.
    fn like(&mut self, comment_id: CommentId) -> SetLike {
        let liker = member(&format!("m{}", self.rng.random_range(0..7_u32)));
        let value = [LikeValue::Like, LikeValue::Like, LikeValue::Dislike, LikeValue::None];
        let value = *value.choose(&mut self.rng).expect("four of them");
        SetLike { comment_id, member: liker, value, operation: RequestId::from_bytes(self.rng.random()) }
    }

    async fn state_change(&mut self, id: CommentId, action: u32) -> CommandKind {
        let (target, author) = (self.fixture.target(id).await, self.fixture.view(id).await.comment.reference.member);
        match action {
            19..=20 => Delete { target, actor: DeleteActor::Author(author), etag: String::new() }.into(),
            21 => Undelete { target, member: author }.into(),
            22 => Hide { target, ruling: ruling() }.into(),
            _ => Unhide { target, ruling: ruling() }.into(),
        }
    }

    /// Rebuilds all rank indexes from the rows. Returns the number of comments whose entries
    /// changed.
    pub(super) async fn rebuild(&self, batch: usize) -> usize {
        let mut changed = 0;
        for key in &self.keys {
            changed += rebuild(&self.fixture, key, batch).await;
        }
        changed
    }

    /// Compares a new ranking of every list with its expected value: all orders of the roots, and
    /// the replies of every root.
    pub(super) async fn compare(&self, now: Millis) {
        for key in &self.keys {
            let all = comments(&self.fixture, key).await;
            let of_roots = RankSort::ALL.into_iter().map(|sort| RankedList::Roots(key.clone(), sort));
            let roots = all.iter().filter(|comment| comment.is_root() && comment.next_floor > 1);
            let of_replies = roots.map(|root| RankedList::Replies(key.clone(), root.reference.id));
            for list in of_roots.chain(of_replies) {
                let found = self.fixture.process.rankings.current(&list, now).await.expect("no error");
                let Some((ranking, _)) = found else { continue };
                assert_eq!(ranking.create_time, now, "the ranking is not new");
                assert_eq!(ranking.floors.to_vec(), expected(&all, &list), "{list:?}");
            }
        }
    }
}

/// Returns a time after every earlier ranking of a case: ten minutes after that of the last round.
pub(super) fn time_of_round(round: i64) -> Millis {
    Millis(StepClock::START.0 + 1_000_000_000 + round * 10 * 60_000)
}

/// Rebuilds the rank indexes of a subject from its rows, `batch` comments at a time. Returns the
/// number of comments whose entries changed.
pub(in crate::stores) async fn rebuild(fixture: &Fixture, key: &SubjectKey, batch: usize) -> usize {
    let (mut changed, mut after) = (0, None);
    loop {
        let progress = fixture.process.rank_indexes.rebuild(key, after, batch).await.expect("rebuilt");
        assert!(progress.comments <= batch, "more than the limit: {progress:?}");
        changed += progress.changed;
        after = progress.next;
        if after.is_none() {
            return changed;
        }
    }
}

/// Returns all comments of a subject in any state.
pub(super) async fn comments(fixture: &Fixture, key: &SubjectKey) -> Vec<Comment> {
    let exported = fixture.process.reader.export_comments(key, None, 10_000).await.expect("read");
    exported.into_iter().map(|row| row.view.comment).collect()
}

/// Computes the ranking of a list: the first of its highest ranked and its newest comments.
fn expected(comments: &[Comment], list: &RankedList) -> Vec<i32> {
    let (config, index) = (ranking_config(), list.rank_index());
    let hot = config.hot(list.subject().object_type());
    let mut all: Vec<&Comment> = comments.iter().filter(|comment| comment.reference.root_id == list.root()).collect();
    all.sort_by_key(|comment| comment.reference.floor);
    let score = |comment: &Comment| scores(comment, hot).into_iter().find(|(scored, _)| *scored == index);
    let mut ranked: Vec<_> = all.iter().filter_map(|comment| Some((score(comment)?.1, *comment))).collect();
    ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(other.reference.floor.cmp(&one.reference.floor)));
    let newest = all.iter().rev().copied().filter(|comment| comment.lifecycle.listed).take(config.depth);
    let selected = ranked.into_iter().take(config.depth).map(|(_, comment)| comment).chain(newest);
    let selected: BTreeSet<i32> =
        selected.filter(|comment| comment.lifecycle.state.is_visible()).map(|c| c.reference.floor).collect();
    let candidates: Vec<RankCandidate> = all
        .iter()
        .filter(|c| selected.contains(&c.reference.floor))
        .map(|c| (c.reference.id, c.reference.floor, ScoreInputs::of(c)))
        .collect();
    ranked_floors(index, hot, candidates, config.depth).to_vec()
}
