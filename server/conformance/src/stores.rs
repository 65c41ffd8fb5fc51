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
//! which generates one test per case. Each case works on subjects of its own, so that all cases
//! can share a database and run at once. A backend may opt out of a category, never of a case.
#![expect(clippy::expect_used, reason = "a case that fails panics with a message")]

mod backend;
mod cancellation;
mod commits;
mod concurrency;
mod edits;
mod fixture;
mod histories;
mod ids;
mod import;
mod judgements;
mod likes;
mod masks;
mod moderation;
mod modes;
mod notices;
mod outbox;
mod paging;
mod queue;
mod ranked;
mod reads;
mod relay;
mod repair;
mod reports;
mod request_ids;
mod standings;
mod states;
mod walks;

use futures::future::LocalBoxFuture;
use riposte_core::{CommentId, CommentLocation, MemberId, Path, SubjectKey};

pub use crate::model::ranking_config;
pub use backend::{Backend, Process, Start, StepClock, WalkSettings};
pub use fixture::{by_moderator, ruling};

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

/// Returns the location of a root, also of one that is not stored, from its id alone.
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
                a_thread_is_returned_in_the_order_of_its_paths
                a_conversation_follows_the_parents_and_ends_at_the_root
                previews_without_likes_are_the_oldest_listed_replies
                every_character_of_a_text_is_returned
                ids_that_callers_own_are_compared_byte_by_byte
                object_types_with_the_same_ids_do_not_mix
                a_comment_of_another_subject_is_absent
                subjects_of_one_type_or_of_all_are_listed_once_over_all_tables
                an_export_contains_every_comment_and_parents_first
            }
            commits {
                a_commit_returns_what_a_read_then_returns
                a_refused_command_changes_nothing_and_does_not_affect_its_batch
                a_batch_that_is_refused_as_a_whole_changes_nothing
                a_batch_that_may_not_wait_is_executed_if_no_row_is_held
                an_empty_batch_returns_no_results
                a_batch_of_256_commands_is_one_revision_with_dense_floors
                a_batch_may_touch_several_subjects_of_its_partition
                a_comment_of_another_subject_is_not_found
                a_subject_is_created_updated_deleted_and_undeleted
                a_deleted_subject_accepts_no_writes_and_keeps_its_comments
                read_only_and_hidden_subjects_accept_no_writes
                an_absent_subject_requires_auto_create
                an_edit_keeps_the_earlier_content
                several_edits_in_one_batch_all_become_revisions
                three_roots_may_be_pinned_by_the_owner
            }
            states {
                the_depth_limit_attaches_a_reply_higher_and_keeps_its_parent
                a_tombstone_is_listed_while_a_comment_below_it_is_visible
                delete_and_undelete_change_and_restore_every_count
                the_deleter_determines_which_member_may_undelete
                only_author_owner_and_moderator_may_delete
                a_hidden_comment_is_restored_to_its_earlier_state
                a_deleted_or_hidden_root_loses_its_pin
                a_deleted_comment_accepts_only_its_restoration
            }
            moderation {
                a_comment_of_a_pre_type_is_neither_listed_nor_counted_until_it_is_approved
                every_act_on_every_state_follows_the_table
                a_verdict_on_another_text_names_the_decision_that_came_before
                a_repeated_verdict_returns_the_first_decision
                acts_of_one_batch_each_write_their_decision
                a_comment_that_was_never_visible_exists_for_its_author_only
                deleting_a_comment_is_no_escape_from_a_verdict
                an_undeleted_comment_waits_again_since_the_same_time
                the_first_publication_is_recorded_once
                a_plain_comment_has_no_review
            }
            edits {
                an_edit_of_a_visible_comment_waits_and_leaves_its_text
                a_refused_proposal_leaves_the_text_and_its_version
                a_newer_proposal_replaces_the_one_that_waits
                an_edit_in_sight_or_refused_by_the_policy_drops_a_proposal
                three_edits_may_wait_for_a_moderator
                an_edit_out_of_sight_leaves_no_public_history
                a_rejected_comment_is_sent_again_within_its_window
                a_comment_that_leaves_sight_drops_its_proposal_and_a_deleted_one_keeps_it
                an_edit_that_the_policy_flags_is_shown_and_reviewed
                a_repeated_edit_proposes_nothing_again
                the_mode_of_type_or_subject_holds_an_edit
                a_plain_edit_has_no_review
            }
            judgements {
                a_new_comment_has_the_state_the_review_and_the_decision_of_its_judgement
                a_repeat_with_another_judgement_returns_the_first_result
                an_edit_becomes_the_decision_of_its_judgement
                a_review_is_due_by_the_priority_of_its_text
                an_outage_is_a_cause_besides_what_a_list_asks_for
                people_judge_what_waits_during_an_outage_for_another_reason_too
            }
            modes {
                the_mode_of_a_moderator_is_stored_and_holds_until_a_moderator_loosens_it
                the_mode_for_new_members_is_decided_under_the_lock_of_the_subject
                a_repeat_of_a_mode_returns_the_first_result
            }
            masks {
                a_masked_text_is_stored_and_its_original_is_kept
                an_original_lasts_as_long_as_its_masked_text
                the_original_of_an_approved_edit_becomes_that_of_the_text
            }
            queue {
                the_queue_lists_open_reviews_by_due_time
                what_waits_for_a_service_alone_is_for_moderators_when_it_is_due
                a_lease_excludes_others_until_it_ends
                a_lease_that_has_ended_is_counted_and_claimed_again
                no_two_leases_of_a_review_last_at_once
                the_unlisted_comments_of_a_member_are_listed_newest_first
                due_times_and_leases_use_the_clock_of_the_database
                reviews_below_a_deleted_subject_are_closed_and_opened_again_by_a_repair
                closed_reviews_are_opened_again_after_their_subject_was_restored
            }
            reports {
                reports_open_the_text_and_a_settling_decision_ends_them
                a_report_of_a_settled_or_an_older_version_counts_nothing
                a_claim_of_illegality_is_due_at_once
                reports_that_a_member_cannot_make_are_refused
                a_repeated_report_returns_the_first_answer
                the_reports_of_a_comment_and_of_a_member_are_listed_newest_first
                an_appeal_is_judged_by_another_moderator
                a_decision_is_appealed_once_and_while_it_is_in_force
                the_appeal_of_a_deleted_comment_stays_undecided
                decisions_on_the_comments_of_a_member_are_listed
            }
            standings {
                a_standing_replaces_the_earlier_one_and_its_etag_guards_it
                a_repeated_request_for_a_standing_returns_the_first_result
                concurrent_orders_for_one_member_are_all_counted
                standings_of_note_are_listed_newest_first
                changed_standings_are_read_in_the_order_of_their_times
            }
            paging {
                pages_of_roots_are_exact_in_both_orders
                pages_of_replies_are_exact_in_both_orders
                an_empty_list_has_empty_pages
                a_walk_returns_every_root_once_in_either_direction
                walks_of_roots_are_exact_while_others_write
                walks_of_replies_are_exact_while_others_write
                the_limit_counts_listed_items_only
                a_walk_by_time_returns_every_comment_of_the_time_once
                a_walk_from_the_newest_returns_every_comment_once
            }
            request_ids {
                a_repeat_always_returns_the_first_id_floor_and_revision
                a_repeat_returns_the_present_content
                a_different_request_under_the_same_key_is_refused
                repeats_in_one_batch_are_executed_once
                a_refused_request_leaves_its_key_free
                every_verb_can_be_repeated
                one_key_under_two_subjects_is_two_requests
                a_created_comment_is_found_by_the_key_of_its_request
                repeats_from_many_callers_at_once_are_executed_once
            }
            concurrency {
                sixty_four_writers_leave_dense_floors_of_roots
                sixty_four_writers_leave_dense_floors_below_each_root
                many_first_comments_at_once_create_one_subject
                a_mix_of_all_verbs_leaves_exact_counts
                counts_equal_rows_in_every_page
                subjects_of_one_partition_cause_no_deadlock
            }
            likes {
                a_like_replaces_a_dislike_and_none_removes_it
                a_repeated_operation_changes_nothing_and_returns_the_same
                an_older_operation_of_the_same_client_changes_nothing
                operations_of_one_batch_are_applied_in_order
                members_are_distinguished_byte_by_byte
                invisible_comments_and_closed_subjects_accept_no_likes
                like_states_have_the_order_of_the_request
                likers_are_listed_newest_first
                the_first_likers_of_several_comments_are_read_in_one_state
                first_likers_of_absent_things_are_none
                the_likes_of_a_member_are_listed_by_comment
                counts_equal_the_likes_after_concurrent_changes
            }
            import {
                an_imported_comment_keeps_its_times_state_and_origin
                a_second_import_changes_nothing
                parents_and_replies_may_be_in_one_batch
                a_reply_without_its_parent_is_refused_and_can_be_sent_again
                an_imported_tombstone_is_listed_above_visible_replies_only
                a_closed_subject_accepts_imports
                an_imported_like_never_overrides_a_members_own
            }
            ids {
                ids_are_unique_and_carry_their_partition
                processes_share_no_id
                a_process_whose_clock_is_behind_generates_no_id_again
                a_clock_that_jumps_ahead_is_followed
                request_ids_are_all_different
                a_commit_of_one_process_is_read_by_another_at_once
            }
            cancellation {
                a_dropped_commit_takes_effect_once
                a_dropped_first_comment_creates_one_subject
                a_dropped_like_is_set_once
                dropped_reads_do_not_affect_later_reads
            }
            outbox {
                every_commit_leaves_one_event_with_its_revision_and_its_changes
                a_refused_or_repeated_command_leaves_no_event
                a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each
                likes_leave_one_event_without_a_revision
                a_lease_stays_with_its_holder_until_it_expires
                a_candidate_without_a_cache_yields_to_one_with_a_cache
                a_released_lease_can_be_acquired_at_once
                a_lease_is_extended_by_its_holder_in_its_epoch_until_it_expires
                a_lease_from_a_clock_far_ahead_excludes_no_candidate
                an_earlier_epoch_is_refused
                a_position_advances_only_from_its_present_value
                no_commit_is_skipped_while_many_write
                successive_relays_assign_dense_sequence_numbers
                an_unsequenced_commit_has_an_age
                trimming_keeps_recent_and_unapplied_events
                trimming_waits_for_every_stored_name_until_the_retention_ends
                a_position_is_removed_unless_a_worker_registers_it
                an_event_has_the_outcome_of_each_comment
            }
            notices {
                a_first_publication_names_each_member_once
                an_edit_names_the_members_that_no_public_text_mentioned
                a_text_that_changed_out_of_sight_notifies_of_new_mentions_only
                an_imported_comment_notifies_no_member
                acts_that_change_nothing_in_sight_are_noted
            }
            histories {
                a_rebuild_counts_missing_and_outdated_rows
                invisible_comments_are_in_the_complete_history_only
                histories_by_events_equal_those_built_from_rows
                events_that_are_late_repeated_or_out_of_order_change_nothing
                histories_rebuilt_during_writes_are_correct_in_the_end
                pages_of_a_history_are_exact_where_times_are_equal
            }
            ranked {
                absent_lists_have_no_ranking
                a_ranking_serves_until_it_is_old_and_its_list_has_changed
                of_concurrent_rankings_the_first_wins
                unranked_comments_follow_by_floor
                comments_by_floors_have_the_order_of_the_request
                rankings_are_deleted_when_no_walk_can_need_them
                rank_indexes_by_events_equal_those_built_from_rows
                rank_index_events_that_are_late_repeated_or_out_of_order_change_nothing
                rank_indexes_rebuilt_during_writes_are_correct_in_the_end
                previews_are_the_most_liked_replies_and_then_the_oldest
                a_preview_omits_a_deleted_reply_that_is_still_in_the_rank_index
                a_ranked_walk_backward_reverses_the_walk_forward
                a_ranked_walk_of_replies_is_exact
                a_ranked_walk_ends_when_its_tokens_expire
                ranked_walks_are_exact_while_others_write
                a_new_list_is_walked_completely_during_writes
            }
            repair {
                a_repair_changes_no_correct_subject_and_finds_no_absent_one
            }
            walks {
                random_comments_give_the_results_of_the_oracle
                random_likes_give_the_results_of_the_oracle
                random_imports_give_the_results_of_the_oracle
                random_deep_threads_give_the_results_of_the_oracle
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
