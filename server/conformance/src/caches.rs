//! The conformance suite of the cache. It reproduces, step by step, each way in which cached data
//! could become wrong. [`ReferenceCache`] is the reference model of the protocol.
//!
//! A test passes an empty cache in which no relay has registered yet and calls [`run`] with the
//! name of a case from [`NAMES`]. Each case works on a subject of its own.
#![expect(clippy::expect_used, reason = "a case ends with a panic that names what did not hold")]

mod cases;
mod fixture;
mod lost;
mod previews;
mod reference;

use std::sync::Arc;

use futures::future::LocalBoxFuture;

use riposte_cache::Cache;

pub use reference::ReferenceCache;

type Case = (&'static str, fn(Arc<dyn Cache>) -> LocalBoxFuture<'static, ()>);

macro_rules! cases {
    ($($module:ident: $($name:ident)*;)*) => {
        /// The names of all cases.
        pub const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        const CASES: &[Case] = &[$($((stringify!($name), |cache| Box::pin($module::$name(cache)))),*),*];
    };
}

cases! {
    cases:
        what_was_filled_is_found_and_what_was_not_is_missed
        nothing_is_kept_before_the_relay_has_come
        one_fills_and_the_others_wait
        a_page_of_picked_comments_moves_on_like_any_other
        a_fill_that_a_commit_overtook_is_brought_forward
        a_fill_of_a_block_that_went_away_is_refused
        a_commit_that_was_read_before_it_was_applied_is_waited_for
        applies_that_come_in_the_wrong_order_wait_for_their_predecessors
        an_apply_that_comes_twice_changes_nothing
        a_commit_that_nobody_applied_is_told_by_the_relay
        a_cursor_that_moved_is_noticed_and_a_new_generation_forgets
        of_likes_the_greater_revision_stands
        a_like_that_overtook_a_fill_stands
        a_negative_entry_yields_to_the_subject
        a_list_ends_only_where_its_end_was_seen
        a_list_that_grows_is_cut_at_its_far_end
        a_deleted_subject_shows_nothing
        what_a_member_likes_is_forgotten_while_it_is_in_doubt;
    lost:
        a_ticket_given_back_twice_leaves_the_others_out
        a_ticket_that_was_never_given_is_refused
        likes_that_the_relay_tells_reach_whoever_is_filling
        a_like_that_overtook_its_comment_waits_for_it
        a_block_behind_that_lost_its_log_begins_anew
        single_comments_come_behind_their_subjects_row
        single_comments_wait_for_the_commit_they_show
        a_doubt_that_was_lost_is_noticed_when_it_is_settled
        what_a_member_likes_is_forgotten_when_the_relay_tells_it;
    previews:
        a_preview_follows_the_likes_of_its_replies
        a_like_of_a_reply_that_may_stand_before_others_ends_their_preview
        a_like_that_overtook_a_fill_ends_its_preview
        a_previewed_reply_that_was_deleted_during_a_fill_is_gone
        the_first_replies_of_a_root_are_all_there_are
        a_preview_ends_with_its_block
        a_ticket_tells_where_the_relay_is;
}

/// Runs one case.
///
/// # Panics
///
/// Panics when the cache breaks its contract, or when no case has this name.
pub async fn run(name: &str, cache: Arc<dyn Cache>) {
    let (_, case) = CASES.iter().find(|(known, _)| *known == name).expect("a case of this name");
    case(cache).await;
}
