use std::sync::Arc;

use proptest::prelude::*;

use super::{
    HotProfile, RankIndex, RankPosition, RankSort, RankVersion, RankedList, Ranking, RankingConfig, ScoreInputs,
    WALK_LIFETIME, list_of, preview_order, ranked_floors, scores,
};
use crate::domain::comment::{Comment, CommentRef};
use crate::domain::counts::CommentCounts;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::Lifecycle;
use crate::domain::member::MemberId;
use crate::domain::object_type::{ObjectType, Policies, Policy};
use crate::domain::path::Path;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;

const PLAIN: HotProfile = HotProfile::Plain;

fn inputs(likes: i32, dislikes: i32, replies: i32) -> ScoreInputs {
    ScoreInputs { likes, dislikes, replies, time: Millis(1_800_000_000_000) }
}

fn id(n: i64) -> CommentId {
    CommentId::new(n).expect("positive")
}

/// A root and its reply, with these likes, dislikes and replies.
fn comments((like_count, dislike_count, reply_count): (i32, i32, i32)) -> [Comment; 2] {
    let root = CommentRef {
        id: id(1),
        subject_id: id(9).into(),
        root_id: None,
        parent_id: None,
        path: Path::root(id(1)),
        floor: 1,
        member: MemberId::stored("ann".to_owned()),
        born_revision: 1,
        create_time: Millis(45_000_000),
    };
    let (path, above) = (root.path.child(1), Some(root.id));
    let reply = CommentRef { id: id(2), root_id: above, parent_id: above, path, ..root.clone() };
    [root, reply].map(|reference| {
        let row = Comment::new(reference);
        let counts = CommentCounts { like_count, dislike_count, reply_count, ..row.counts };
        Comment { counts, ..row }
    })
}

fn any_inputs() -> impl Strategy<Value = ScoreInputs> {
    (0..2_000_i32, 0..2_000_i32, 0..500_i32, 0..4_000_000_000_000_i64)
        .prop_map(|(likes, dislikes, replies, time)| ScoreInputs { likes, dislikes, replies, time: Millis(time) })
}

#[test]
fn scores_are_those_of_their_formulas() {
    for (counts, sort, score) in [
        ((3, 1, 4), RankSort::Hot, 10.0),
        ((3, 5, 4), RankSort::Top, -2.0),
        ((3, 5, 4), RankSort::MostReplies, 4.0),
        ((0, 0, 0), RankSort::Best, 0.0),
        ((0, 7, 0), RankSort::Best, 0.0),
        // By hand: 1 / (1 + z²), and (0.9 + z²/20 − z·√(0.009 + z²/400)) / (1 + z²/10).
        ((1, 0, 0), RankSort::Best, 0.378_447_5),
        ((9, 1, 0), RankSort::Best, 0.717_555_7),
        ((5, 5, 0), RankSort::Controversial, 10.0),
        ((4, 2, 0), RankSort::Controversial, 6.0_f64.sqrt()),
        ((2, 4, 0), RankSort::Controversial, 6.0_f64.sqrt()),
        ((9, 0, 0), RankSort::Controversial, 0.0),
        ((0, 9, 0), RankSort::Controversial, 0.0),
    ] {
        let (likes, dislikes, replies) = counts;
        let found = inputs(likes, dislikes, replies).score(sort, PLAIN);
        assert!((found - score).abs() < 1e-6, "{sort:?} of {counts:?} is {found}, not {score}");
    }
}

#[test]
fn dislikes_alone_rank_no_comment_however_they_round() {
    for dislikes in 0..3_000 {
        let disliked = inputs(0, dislikes, 0);
        assert!(disliked.score(RankSort::Best, PLAIN).abs() <= 0.0, "{dislikes} dislikes");
        assert_eq!(RankIndex::Roots(RankSort::Best).score(&disliked, PLAIN), None, "{dislikes} dislikes");
    }
    assert!(inputs(1, i32::MAX, 0).score(RankSort::Best, PLAIN) > 0.0, "one like is above none");
}

#[test]
fn ten_times_the_weight_is_worth_twelve_and_a_half_hours() {
    let score = |likes, later| {
        let now = inputs(likes, 0, 0);
        ScoreInputs { time: Millis(now.time.0 + later), ..now }.score(RankSort::Hot, HotProfile::Decaying)
    };
    assert!((score(50, 0) - score(5, 45_000_000)).abs() < 1e-9);
    assert!(score(50, 0) > score(5, 44_000_000) && score(50, 0) < score(5, 46_000_000));
    // One reply and no reply at all: both have the minimum weight.
    assert!((inputs(0, 0, 1).score(RankSort::Hot, HotProfile::Decaying) - score(0, 0)).abs() < f64::EPSILON);
}

#[test]
fn codes_of_rank_indexes_are_fixed_for_ever() {
    let codes = RankIndex::OF_ROOTS.into_iter().chain(RankIndex::OF_REPLIES).map(RankIndex::code);
    assert_eq!(codes.collect::<Vec<_>>(), [1, 2, 3, 4, 5, 16, 17]);
}

#[test]
fn tokens_keep_the_names_of_orders() {
    assert_eq!(RankSort::ALL.map(RankSort::name), ["HOT", "TOP", "BEST", "CONTROVERSIAL", "MOST_REPLIES"]);
}

#[test]
fn a_rank_index_contains_a_comment_that_is_above_an_untouched_one() {
    use RankSort::{Best, Controversial, Hot, MostReplies, Top};
    for (counts, hot, roots, replies) in [
        ((0, 0, 0), PLAIN, &[][..], &[][..]),
        ((0, 0, 0), HotProfile::Decaying, &[], &[]),
        ((0, 0, 1), PLAIN, &[(Hot, 1.0), (MostReplies, 1.0)], &[]),
        // The weight decides, not the score, which is 1 by age alone.
        ((0, 0, 1), HotProfile::Decaying, &[(Hot, 1.0), (MostReplies, 1.0)], &[]),
        ((0, 3, 0), PLAIN, &[], &[]),
        ((1, 1, 0), PLAIN, &[(Hot, 2.0), (Best, 0.164_251_7), (Controversial, 2.0)], &[(RankIndex::Previews, -1.0)]),
        (
            (2, 0, 0),
            PLAIN,
            &[(Hot, 4.0), (Top, 2.0), (Best, 0.549_092_4)],
            &[(RankIndex::Replies, 2.0), (RankIndex::Previews, -2.0)],
        ),
    ] {
        let expected =
            [roots.iter().map(|(sort, score)| (RankIndex::Roots(*sort), *score)).collect(), replies.to_vec()];
        for (comment, expected) in comments(counts).iter().zip(expected) {
            let found = scores(comment, hot);
            let indexes = |scores: &[(RankIndex, f64)]| scores.iter().map(|(index, _)| *index).collect::<Vec<_>>();
            assert_eq!(indexes(&found), indexes(&expected), "{counts:?}");
            let near = |((_, a), (_, b)): (&(RankIndex, f64), &(RankIndex, f64))| (a - b).abs() < 1e-6;
            assert!(found.iter().zip(&expected).all(near), "{counts:?}: {found:?} for {expected:?}");
            let hidden = Comment {
                lifecycle: Lifecycle { state: CommentState::Hidden, ..comment.clone().lifecycle },
                ..comment.clone()
            };
            assert_eq!(scores(&hidden, hot), [], "no rank index contains an invisible comment");
        }
    }
}

#[test]
fn a_score_of_the_preview_index_gives_the_likes() {
    for likes in [1, 2, 1_000, i32::MAX] {
        let score = RankIndex::Previews.score(&inputs(likes, 9, 9), PLAIN).expect("a score, as it has likes");
        assert_eq!(RankIndex::preview_likes(score), likes);
    }
}

#[test]
fn a_preview_shows_the_most_liked_and_of_equals_the_oldest() {
    let [_, reply] = comments((5, 0, 0));
    let at = |floor, like_count, state| Comment {
        reference: CommentRef { floor, ..reply.clone().reference },
        counts: CommentCounts { like_count, ..reply.clone().counts },
        lifecycle: Lifecycle { state, ..reply.clone().lifecycle },
        ..reply.clone()
    };
    let (active, deleted) = (CommentState::Active, CommentState::Deleted);
    let mut replies = [at(1, 0, active), at(2, 9, deleted), at(3, 7, active), at(4, 8, active), at(5, 7, active)];
    replies.sort_by_key(preview_order);
    assert_eq!(replies.map(|reply| reply.reference.floor), [4, 3, 5, 1, 2], "a tombstone has no likes");
}

#[test]
fn roots_are_listed_under_their_subject_and_replies_under_their_root() {
    let [root, reply] = comments((0, 0, 0));
    assert_eq!(list_of(&root), CommentId::from(root.reference.subject_id));
    assert_eq!(list_of(&reply), root.reference.id);
    let key = SubjectKey::stored("video".to_owned(), "1".to_owned());
    for (list, index, root) in [
        (RankedList::Roots(key.clone(), RankSort::Best), RankIndex::Roots(RankSort::Best), None),
        (RankedList::Replies(key.clone(), root.reference.id), RankIndex::Replies, Some(root.reference.id)),
    ] {
        assert_eq!((list.subject(), list.rank_index(), list.root()), (&key, index, root));
    }
}

#[test]
fn the_hot_profile_is_that_of_the_type_and_plain_for_an_unregistered_one() {
    let policy = |max_depth, hot| Policy { max_depth, hot, ..Policy::default() };
    let registered = [("flat", policy(1, PLAIN)), ("deep", policy(2, HotProfile::Decaying))];
    let registered = registered.map(|(name, policy)| (name.to_owned(), policy)).into();
    let config = RankingConfig { depth: RankingConfig::DEPTH, policies: Arc::new(Policies::closed(registered)) };
    for (name, hot, flat) in [("flat", PLAIN, true), ("deep", HotProfile::Decaying, false), ("gone", PLAIN, false)] {
        let object_type = ObjectType::stored(name.to_owned());
        assert_eq!((config.hot(&object_type), config.flat(&object_type)), (hot, flat), "{name}");
    }
}

#[test]
fn equal_scores_are_ordered_newest_first_by_time_and_then_by_id() {
    let at = |n: i64, time: i64| (id(n), n as i32, ScoreInputs { time: Millis(time), ..inputs(1, 0, 0) });
    let candidates = vec![at(1, 5), at(2, 9), at(3, 5), at(4, 1)];
    let index = RankIndex::Roots(RankSort::Top);
    assert_eq!(*ranked_floors(index, PLAIN, candidates.clone(), 10), [2, 3, 1, 4]);
    assert_eq!(*ranked_floors(index, PLAIN, candidates, 2), [2, 3]);
}

#[test]
fn a_walk_begins_on_a_ranking_that_is_stored_until_it_ends() {
    let created = Millis(1_000_000_000);
    let ranking = Ranking::new(1, created, [].into());
    let last = |changed| RankVersion { ranking: ranking.clone(), changed };
    for (age, changed, unchanged, usable) in [
        // A snapshot from the future, by another clock.
        (-60_000, false, true, true),
        (-5_000, false, true, true),
        (-4_999, true, true, true),
        (0, true, true, true),
        (4_999, true, true, true),
        (5_000, false, true, true),
        (239_999, false, true, true),
        (240_000, false, false, false),
    ] {
        let now = Millis(created.0 + age);
        assert_eq!((last(true).is_current(now), last(false).is_current(now)), (changed, unchanged), "{age}");
        assert_eq!(last(true).is_usable(now), usable, "{age}");
    }
    assert!(
        created.plus(super::ranking::MAX_START_AGE).plus(WALK_LIFETIME) < created.plus(super::SNAPSHOT_RETENTION),
        "with a margin for clock differences"
    );
    assert_eq!(Millis(0).plus(WALK_LIFETIME), Millis(1_800_000), "a walk may take half an hour");
}

#[test]
fn versions_of_rankings_grow_also_after_all_were_removed() {
    let first = Ranking::epoch_after(None, Millis(1_000_000));
    let second = Ranking::epoch_after(Some(first), Millis(1_000_001));
    assert!(second > first);
    assert!(Ranking::epoch_after(None, Millis(1_000_000 + 10_000)) > second, "at most one was created in five seconds");
    assert_eq!((first, second), (200, 201));
    assert_eq!(Ranking::epoch_after(Some(i64::MAX), Millis(0)), i64::MAX);
}

#[test]
fn positions_are_indexes_of_ranked_floors_and_lie_between_all_others() {
    let ranking = Ranking::new(1, Millis(0), [7, 2, 9].into());
    assert_eq!((ranking.before(2), ranking.after(2)), (RankPosition::Position(1), RankPosition::Position(2)));
    assert_eq!((ranking.before(5), ranking.after(5)), (RankPosition::Below(6), RankPosition::Below(5)));
    assert_eq!(ranking.unranked(vec![9, 8, 7, 6]), [8, 6]);
    assert_eq!([2..10, 3..9, 7..8, 9..9].map(|floors| ranking.count_within(floors)), [3, 1, 1, 0]);
}

proptest! {
    #[test]
    fn a_like_never_lowers_and_a_dislike_never_raises_a_score(inputs in any_inputs()) {
        let liked = ScoreInputs { likes: inputs.likes + 1, ..inputs };
        let disliked = ScoreInputs { dislikes: inputs.dislikes + 1, ..inputs };
        for sort in [RankSort::Hot, RankSort::Top, RankSort::Best, RankSort::MostReplies] {
            for hot in [HotProfile::Plain, HotProfile::Decaying] {
                prop_assert!(liked.score(sort, hot) >= inputs.score(sort, hot), "{:?}", sort);
                prop_assert!(disliked.score(sort, hot) <= inputs.score(sort, hot), "{:?}", sort);
            }
        }
    }

    #[test]
    fn best_is_below_the_share_of_likes_and_controversy_is_symmetric(inputs in any_inputs()) {
        let best = inputs.score(RankSort::Best, PLAIN);
        let share = f64::from(inputs.likes) / f64::from((inputs.likes + inputs.dislikes).max(1));
        prop_assert!((0.0..=1.0).contains(&best) && best <= share + 1e-12);
        let swapped = ScoreInputs { likes: inputs.dislikes, dislikes: inputs.likes, ..inputs };
        let both = [inputs, swapped].map(|inputs| inputs.score(RankSort::Controversial, PLAIN));
        prop_assert!((both[0] - both[1]).abs() < 1e-9);
    }

    /// A rank index does not have to contain them: they come after all comments that it contains,
    /// and are ordered by age among themselves.
    #[test]
    fn a_comment_in_no_rank_index_is_not_above_an_untouched_one(inputs in any_inputs()) {
        let untouched = ScoreInputs { likes: 0, dislikes: 0, replies: 0, ..inputs };
        for index in RankIndex::OF_ROOTS.into_iter().chain(RankIndex::OF_REPLIES) {
            for hot in [HotProfile::Plain, HotProfile::Decaying] {
                if index.score(&inputs, hot).is_none() {
                    prop_assert!(inputs.score(index.sort(), hot) <= untouched.score(index.sort(), hot) || index == RankIndex::Previews);
                }
            }
        }
    }

    #[test]
    fn ranked_floors_are_sorted_and_have_the_highest_scores(
        all_inputs in proptest::collection::vec(any_inputs(), 0..40), depth in 0..50_usize, sort in 0..5_usize,
    ) {
        let sort = RankSort::ALL[sort];
        let candidates: Vec<_> = all_inputs.iter().enumerate().map(|(n, inputs)| (id(n as i64 + 1), n as i32, *inputs)).collect();
        let ranked: Arc<[i32]> = ranked_floors(RankIndex::Roots(sort), HotProfile::Decaying, candidates, depth);
        prop_assert_eq!(ranked.len(), depth.min(all_inputs.len()));
        let key = |floor: i32| {
            let inputs = &all_inputs[floor as usize];
            (inputs.score(sort, HotProfile::Decaying), inputs.time, floor)
        };
        prop_assert!(ranked.windows(2).all(|pair| key(pair[0]) > key(pair[1])));
        let others = (0..all_inputs.len() as i32).filter(|floor| !ranked.contains(floor));
        if let Some(last) = ranked.last() {
            prop_assert!(others.clone().all(|floor| key(floor) < key(*last)));
        }
    }
}
