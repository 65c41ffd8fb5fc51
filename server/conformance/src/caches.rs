//! The conformance suite of the cache. It reproduces, step by step, each way in which cached data
//! could become wrong. The in-process cache ([`riposte_cache::MemoryCache`]) is the reference model
//! of the protocol.
//!
//! A test passes an empty cache in which no relay has registered yet and calls [`run`] with the
//! name of a case from [`NAMES`]. Each case works on a subject of its own.
#![expect(clippy::expect_used, reason = "a case that fails panics with a message")]

mod cases;
mod concealed;
mod fixture;
mod lost;
mod previews;

use std::sync::Arc;

use futures::future::LocalBoxFuture;

use riposte_cache::Cache;

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
        nothing_is_stored_before_a_relay_has_registered
        one_process_fills_and_the_others_wait
        a_page_of_selected_comments_is_updated_by_commits
        a_fill_that_a_commit_overtook_is_brought_up_to_date
        a_fill_of_a_removed_entry_is_refused
        a_fill_waits_until_the_commits_that_it_contains_are_applied
        updates_that_arrive_out_of_order_wait_for_their_predecessors
        an_update_that_arrives_twice_changes_nothing
        a_commit_that_no_process_applied_is_reported_by_the_relay
        a_wrong_cursor_is_refused_and_a_new_generation_invalidates_everything
        the_likes_with_the_greater_revision_win
        a_like_that_overtook_a_fill_is_not_lost
        a_negative_entry_ends_when_the_subject_is_created
        a_list_ends_only_where_its_end_was_read
        a_list_that_grows_is_cut_at_its_far_end
        a_deleted_subject_shows_nothing
        the_likes_of_a_member_are_removed_during_an_invalidation;
    lost:
        a_lease_that_is_released_twice_leaves_other_leases_valid
        a_lease_that_was_never_granted_is_refused
        likes_that_the_relay_reports_reach_a_fill_in_progress
        a_like_that_overtook_its_comment_waits_for_it
        an_outdated_entry_that_lost_its_log_is_rebuilt
        single_comments_are_filled_after_their_subjects_row
        single_comments_wait_for_the_commit_they_show
        a_lost_invalidation_is_noticed_when_it_ends
        the_likes_of_a_member_are_removed_when_the_relay_reports_a_change;
    concealed:
        no_content_of_a_comment_that_is_not_visible_is_cached
        a_comment_has_its_content_while_it_is_visible
        a_fill_that_read_a_comment_before_it_was_hidden_stores_no_content
        a_comment_that_the_relay_conceals_has_no_content;
    previews:
        a_preview_follows_the_likes_of_its_replies
        a_like_of_a_reply_that_may_rank_first_ends_the_preview
        a_like_that_overtook_a_fill_ends_its_preview
        a_previewed_reply_that_was_deleted_during_a_fill_is_gone
        the_first_replies_of_a_root_are_all_its_replies
        a_preview_ends_with_its_subject_entry
        a_fill_lease_contains_the_position_of_the_relay;
}

/// Runs the case with this name.
///
/// # Panics
///
/// Panics when the cache breaks its contract, or when no case has this name.
pub async fn run(name: &str, cache: Arc<dyn Cache>) {
    let (_, case) = CASES.iter().find(|(case_name, _)| *case_name == name).expect("a case of this name");
    case(cache).await;
}
