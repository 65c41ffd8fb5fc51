//! The suite that every backend passes: named cases over the ports, by category, and random walks
//! compared with the oracle.
//!
//! A test binary provides a [`Backend`] and a function `run(category, name)` and writes
//!
//! ```text
//! use riposte_conformance::{conformance_cases, conformance_tests};
//! conformance_cases!(conformance_tests);
//! ```
//!
//! which generates one test per case. Each case works on subjects of its own, so that all of them
//! share a database and run at once. A backend may opt out of a category, never of a case.
#![expect(clippy::expect_used, reason = "a case ends with a panic that names what did not hold")]

mod backend;
mod cancellation;
mod commits;
mod concurrency;
mod fixture;
mod histories;
mod ids;
mod import;
mod likes;
mod outbox;
mod paging;
mod ranked;
mod reads;
mod relay;
mod repair;
mod request_ids;
mod states;
mod walks;

use futures::future::LocalBoxFuture;
use riposte_core::{CommentId, CommentLocation, MemberId, Path, SubjectKey};

pub use crate::model::rules;
pub use backend::{Backend, Process, Start, StepClock, Walk};

/// A requirement on every backend, and the code that checks it.
#[derive(Clone, Copy)]
pub struct Case {
    /// The category of the case.
    pub category: &'static str,
    /// The requirement as a sentence.
    pub name: &'static str,
    /// Runs the case. It panics when the backend violates the requirement.
    pub run: fn(Backend) -> LocalBoxFuture<'static, ()>,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.category, self.name)
    }
}

/// Returns the location of a root, or of a comment that is not stored, by its id alone.
#[must_use]
pub fn root_location(subject: &SubjectKey, id: CommentId) -> CommentLocation {
    CommentLocation {
        id,
        subject: subject.clone(),
        path: Path::root(id),
        floor: 1,
        ancestor_ids: vec![id],
        parent_id: None,
        member: MemberId::stored("author".to_owned()),
    }
}

/// Passes the list of all cases to the macro `$then`.
#[macro_export]
macro_rules! conformance_cases {
    ($then:ident) => {
        $then! {
            reads {
                absent_things_are_none_or_empty
                batch_reads_keep_the_order_of_the_request
                nothing_below_a_deleted_subject_is_shown
                a_thread_is_told_in_the_order_of_its_paths
                a_conversation_goes_up_by_parent_and_ends_at_the_root
                previews_that_nobody_likes_are_the_oldest_listed_replies
                every_character_of_what_people_write_comes_back
                ids_that_callers_own_are_compared_byte_by_byte
                object_types_with_the_same_ids_do_not_mix
                a_comment_of_another_subject_is_not_there
                subjects_of_a_type_or_of_all_are_listed_once_each_over_all_tables
                an_export_tells_everything_and_parents_first
            }
            commits {
                a_commit_answers_what_a_read_then_shows
                a_refused_command_leaves_no_trace_and_does_not_hinder_its_neighbours
                a_batch_that_is_refused_as_a_whole_changes_nothing
                an_empty_batch_answers_nothing
                a_batch_of_256_commands_is_one_revision_with_dense_floors
                a_batch_may_touch_several_subjects_of_its_partition
                a_comment_of_another_subject_is_not_found
                a_subject_is_made_changed_deleted_and_brought_back
                a_deleted_subject_takes_nothing_and_keeps_everything
                read_only_and_hidden_subjects_take_no_writes
                a_subject_that_nobody_made_needs_auto_create
                an_edit_keeps_what_was_said
                several_edits_in_one_batch_are_all_kept
                three_roots_may_be_pinned_by_the_owner
            }
            states {
                the_depth_cap_attaches_an_answer_higher_and_keeps_its_parent
                a_tombstone_is_listed_while_anything_visible_stands_below_it
                delete_and_undelete_move_every_count_there_and_back
                who_deleted_decides_who_may_bring_back
                somebody_else_may_not_delete
                a_hidden_comment_comes_back_as_it_was
                a_deleted_or_hidden_root_loses_its_pin
            }
            paging {
                windows_of_roots_are_exact_in_both_orders
                windows_of_replies_are_exact_in_both_orders
                an_empty_list_has_empty_windows
                a_walk_meets_every_root_once_in_either_direction
                walks_of_roots_are_exact_while_others_write
                walks_of_replies_are_exact_while_others_write
                the_limit_counts_listed_items_only
            }
            request_ids {
                a_repeat_answers_the_first_id_floor_and_revision_for_ever
                a_repeat_shows_the_present_body
                another_body_under_the_same_key_is_refused
                twins_in_one_batch_are_one
                a_refused_request_leaves_its_key_free
                every_verb_can_be_repeated
                one_key_under_two_subjects_is_two_requests
                what_a_request_created_is_found_by_its_key
                twins_from_many_callers_at_once_are_one
            }
            concurrency {
                sixty_four_writers_leave_dense_floors_of_roots
                sixty_four_writers_leave_dense_floors_below_each_root
                a_subject_made_by_many_first_comments_at_once_is_one
                a_mix_of_all_verbs_leaves_exact_counts
                counts_equal_rows_in_every_answer
                subjects_of_one_partition_do_not_stand_in_each_others_way
            }
            likes {
                a_like_clears_a_dislike_and_none_undoes
                a_repeated_operation_changes_nothing_and_answers_the_same
                an_older_operation_of_the_same_client_changes_nothing
                operations_of_one_batch_are_applied_in_order
                members_are_told_apart_byte_by_byte
                what_is_not_visible_or_not_open_takes_no_likes
                states_come_in_the_order_of_the_question
                likers_are_walked_newest_first
                what_a_member_likes_is_walked_by_comment
                counts_equal_members_after_many_changed_their_minds_at_once
            }
            import {
                an_imported_comment_keeps_its_times_state_and_origin
                a_second_import_changes_nothing
                parents_and_answers_may_come_in_one_batch
                an_answer_to_nothing_is_refused_and_can_come_again
                an_imported_tombstone_is_listed_above_visible_answers_only
                a_closed_subject_takes_imports_all_the_same
                an_imported_like_never_overrides_a_members_own
            }
            ids {
                ids_are_unique_and_carry_their_partition
                processes_share_no_id
                a_successor_whose_clock_is_behind_mints_no_id_again
                a_clock_that_jumps_ahead_is_followed
                request_ids_are_all_different
                what_one_process_answered_another_reads_at_once
            }
            cancellation {
                a_dropped_commit_loses_nothing_and_doubles_nothing
                a_dropped_first_comment_makes_one_subject
                a_dropped_like_is_set_once
                dropped_reads_leave_the_next_one_whole
            }
            outbox {
                every_commit_leaves_one_event_with_its_revision_and_its_changes
                a_refused_or_repeated_command_leaves_no_event
                a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each
                likes_leave_one_event_without_a_revision
                the_lead_is_kept_by_its_owner_and_taken_when_it_has_run_out
                who_keeps_no_copies_leads_until_somebody_comes_who_does
                whoever_resigns_is_followed_at_once
                the_lease_of_a_clock_that_ran_wild_keeps_nobody_away
                a_term_that_is_over_is_refused
                a_projection_moves_on_from_where_it_is_and_nowhere_else
                no_commit_is_passed_over_while_many_write
                relays_that_take_turns_leave_dense_numbers
                what_waits_has_an_age
                trimming_keeps_what_is_young_or_not_applied
                trimming_waits_for_every_stored_name_until_the_retention_ends
                a_position_is_removed_unless_a_worker_registers_it
                an_event_has_the_outcome_of_each_comment
            }
            histories {
                a_rebuild_says_what_was_missing_or_behind
                what_is_not_visible_is_in_the_whole_history_only
                histories_by_events_equal_those_built_from_rows
                events_that_come_again_late_or_out_of_order_change_nothing
                histories_made_side_by_side_while_others_write_are_right_in_the_end
                pages_of_a_history_are_exact_where_times_are_equal
            }
            ranked {
                absent_lists_have_no_ranking
                a_ranking_serves_until_it_is_old_and_its_list_has_changed
                of_rankings_that_are_made_at_once_the_first_wins
                what_a_ranking_does_not_hold_follows_by_floor
                comments_of_given_floors_come_in_their_order
                rankings_are_deleted_when_no_walk_can_need_them
                boards_by_events_equal_those_built_from_rows
                board_events_that_come_again_late_or_out_of_order_change_nothing
                boards_made_side_by_side_while_others_write_are_right_in_the_end
                previews_are_the_most_liked_replies_and_then_the_oldest
                a_preview_hides_at_once_what_its_board_still_holds
                a_ranked_walk_goes_back_the_way_it_came
                a_ranked_walk_of_replies_is_exact
                a_ranked_walk_ends_in_time
                ranked_walks_are_exact_while_others_write
                a_new_list_under_stress_is_walked_whole
            }
            repair {
                a_sound_subject_is_left_as_it_is_and_an_absent_one_is_none
            }
            walks {
                random_comments_are_answered_as_the_oracle_answers
                random_likes_are_answered_as_the_oracle_answers
                random_imports_are_answered_as_the_oracle_answers
                random_deep_threads_are_answered_as_the_oracle_answers
            }
        }
    };
}

/// Generates one test per case; each calls `run(category, name)` of the file that invokes the
/// macro.
#[macro_export]
macro_rules! conformance_tests {
    ($($category:ident { $($case:ident)* })*) => {$(
        mod $category {$(
            #[test]
            fn $case() {
                super::run(stringify!($category), stringify!($case));
            }
        )*}
    )*};
}

macro_rules! table {
    ($($category:ident { $($case:ident)* })*) => {
        /// Returns all cases.
        #[must_use]
        pub fn cases() -> Vec<Case> {
            vec![$($(Case {
                category: stringify!($category),
                name: stringify!($case),
                run: |backend| Box::pin($category::$case(backend)),
            },)*)*]
        }
    };
}

conformance_cases!(table);

/// Runs one case on a backend.
///
/// # Panics
///
/// Panics when the backend violates the requirement, or no case has this name.
pub async fn run(category: &str, name: &str, backend: Backend) {
    let case = cases().into_iter().find(|case| (case.category, case.name) == (category, name));
    (case.expect("a case of this name").run)(backend).await;
}
