//! The list of all sentences. One that is missing here is an unused function, which the compiler points out.

/// From one list: a public name for each sentence, and the macro that makes a test of each.
macro_rules! sentences {
    ($($file:ident { $($sentence:ident)+ })+) => {
        sentences! { @ ($) $($file { $($sentence)+ })+ }
    };
    (@ ($dollar:tt) $($file:ident { $($sentence:ident)+ })+) => {
        $(
            #[doc = concat!("The sentences of `", stringify!($file), ".rs`.")]
            pub mod $file {
                use super::super::{Bench, $file};
                $(
                    #[doc = concat!("See `", stringify!($file), ".rs`.")]
                    pub async fn $sentence(bench: Bench) {
                        $file::$sentence(bench).await;
                    }
                )+
            }
        )+

        /// How many sentences there are.
        pub const COUNT: usize = [$($(stringify!($sentence)),+),+].len();

        /// Makes a test of every sentence, in a module for each verb. Takes the path of an async function that
        /// answers with an `Option<Bench>`: a new bench, or nothing where there is no database to judge.
        #[macro_export]
        macro_rules! conformance_suite {
            ($dollar make_bench:path) => {
                $(
                    mod $file {
                        use super::*;
                        $(
                            #[tokio::test]
                            async fn $sentence() {
                                match $dollar make_bench().await {
                                    Some(bench) => {
                                        $dollar crate::store::conformance::list::$file::$sentence(bench).await;
                                    }
                                    None => eprintln!("skipped: there is no database to judge"),
                                }
                            }
                        )+
                    }
                )+
            };
        }
    };
}

sentences! {
    submit {
        a_new_run_is_stored_as_it_was_asked_for
        what_was_not_asked_for_has_its_default
        a_payload_comes_back_as_the_very_text_it_was
        a_large_payload_is_kept_whole
        runs_are_numbered_in_the_order_of_submission
        an_empty_batch_is_answered_by_nothing
        an_id_is_used_once
        an_id_used_in_another_workspace_is_taken_too
        an_id_twice_in_a_batch_belongs_to_the_first
        an_unknown_workspace_is_refused
        a_refused_request_does_not_harm_its_neighbours
        a_run_due_at_a_time_waits_for_it
        a_delay_counts_from_when_the_run_is_stored
        a_run_due_in_the_past_is_ready
        a_held_run_is_pending
    }
    idempotency {
        the_same_request_again_finds_the_first_run
        another_request_under_the_same_key_is_refused
        other_keys_are_other_requests
        a_request_twice_in_a_batch_is_stored_once
        a_key_is_remembered_until_its_time_is_over
        a_key_used_again_after_its_time_stands_for_the_new_run
        asking_again_does_not_prolong_the_memory
        idempotency_keys_belong_to_a_workspace
        a_finished_run_is_still_found_by_its_request
        a_repeated_request_with_the_same_id_is_recognised
        a_refused_request_is_not_remembered
        a_request_answered_by_a_kept_run_is_remembered_as_that_run
        a_request_that_replaced_a_run_is_remembered_as_that_run
        a_known_request_is_answered_though_the_queue_is_full
    }
    run_keys {
        keep_leaves_the_run_as_it_is
        keep_leaves_a_started_run_as_it_is
        a_finished_run_leaves_its_key_to_the_next
        replace_gives_the_run_new_work_in_its_old_place
        a_replaced_run_keeps_its_place_in_the_queue
        replace_moves_the_time_it_is_due
        preserve_available_at_keeps_the_time_it_is_due
        a_started_run_is_left_alone_and_gives_up_its_key
        a_retrying_run_has_started
        an_interrupted_run_has_started
        a_run_is_replaced_within_a_batch
        a_key_given_up_within_a_batch_belongs_to_the_new_run
        run_keys_belong_to_a_workspace
        a_paused_run_stays_paused_when_replaced
        a_pending_run_is_replaced_as_the_new_request_says
        a_replaced_run_waits_for_what_the_new_request_names
        who_waits_for_a_replaced_run_waits_on
        a_run_is_not_made_to_wait_for_itself
        a_run_that_others_wait_for_is_not_made_to_wait
        a_run_replaced_into_another_lane_leaves_the_old_one
        a_run_back_from_history_leaves_its_key_to_the_next
    }
    bounded_queue {
        a_full_queue_refuses_and_stores_nothing
        a_batch_fills_the_queue_and_no_more
        no_room_at_all_refuses_everything
        without_a_bound_nothing_is_refused
        whatever_is_not_finished_takes_room
        a_finished_run_makes_room
        a_retrying_run_keeps_its_room
        all_workspaces_share_the_room
        keeping_and_replacing_need_no_room
        a_started_run_keeps_its_key_when_there_is_no_room_for_another
        a_finished_run_comes_back_only_where_there_is_room
        coming_back_is_judged_run_by_run
        a_paused_run_has_its_room_already
        a_rerun_needs_room
    }
    claim {
        a_claim_starts_the_first_attempt_under_a_lease
        the_oldest_is_claimed_first
        higher_priority_goes_before_age
        a_claim_takes_no_more_than_its_capacity
        a_claim_without_capacity_takes_nothing
        an_empty_store_has_nothing_to_claim
        a_claimed_run_is_not_claimed_again
        only_ready_runs_are_claimed
        a_worker_claims_from_the_queues_it_serves
        a_worker_that_names_no_queue_serves_all
        every_claim_counts_an_attempt_and_a_new_epoch
        a_run_has_started_when_its_first_attempt_did
        the_length_of_a_lease_is_the_workers_to_ask_for
        a_retry_goes_by_its_age_like_any_run
    }
    turns {
        a_crowd_delays_another_workspace_by_no_more_than_a_batch
        a_crowd_that_comes_before_and_after_by_name_delays_no_one
        a_batch_is_dealt_out_in_turns
        one_by_one_workspaces_alternate
        the_next_batch_begins_after_the_last_turn
        an_empty_claim_does_not_forget_whose_turn_was_last
        a_workspace_alone_has_every_turn
        priority_counts_within_a_workspace_only
        a_workspaces_queues_share_its_turns
        within_a_turn_priority_and_age_decide_across_queues
        a_workspace_without_room_leaves_its_turn_to_others
        a_workspace_whose_queues_are_not_served_has_no_turn
    }
    adopt {
        a_worker_on_the_same_host_adopts_at_once
        adoption_is_a_new_epoch_of_the_same_attempt
        however_often_a_run_is_adopted_it_is_one_attempt
        another_host_waits_for_the_takeover_delay
        the_takeover_delay_counts_from_the_end_of_the_lease
        orphans_go_before_anything_else
        orphans_and_new_runs_share_the_capacity
        orphans_are_adopted_in_the_order_of_the_queue
        an_adopted_run_is_adopted_once
        a_held_run_is_not_adopted
        a_worker_adopts_only_in_the_queues_it_serves
        a_stop_asked_for_before_survives_adoption
        a_stop_asked_of_an_orphan_reaches_its_adopter
        the_first_worker_has_no_say_after_adoption
        adoption_takes_no_turn
    }
    renew {
        a_renewed_lease_lasts_from_then_on
        renewing_changes_nothing_but_the_lease
        a_renewal_tells_that_a_cancel_was_asked_for
        a_renewal_tells_that_a_pause_was_asked_for
        a_lease_that_ran_out_cannot_be_renewed_even_before_the_reaper_came
        a_lease_can_be_renewed_until_it_runs_out
        an_orphaned_run_cannot_be_renewed
        another_epoch_cannot_be_renewed
        a_run_that_is_over_or_waits_cannot_be_renewed
        an_unknown_run_cannot_be_renewed
        renewals_are_answered_one_by_one_in_order
    }
    finish {
        a_run_that_succeeds_keeps_its_output
        a_run_may_succeed_without_output
        what_a_run_was_is_kept_when_it_is_over
        a_run_that_fails_for_good_keeps_its_error
        success_clears_the_error_of_an_earlier_attempt
        a_finished_run_is_not_claimed_again
        an_outcome_is_accepted_once
        of_two_outcomes_in_a_batch_the_first_is_accepted
        outcomes_are_judged_one_by_one_in_order
        an_expired_lease_cannot_finish_even_before_the_reaper_came
        an_orphaned_run_cannot_be_finished
        a_lost_lease_cannot_finish_the_next_attempt
        nobody_can_finish_ahead_of_their_epoch
        an_unknown_run_cannot_be_finished
        a_run_that_did_not_start_cannot_be_finished
        success_outruns_a_cancel_that_was_asked_for
        a_stopped_run_is_cancelled
        a_stopped_run_is_paused
        a_run_stopped_for_a_pause_is_cancelled_if_that_was_asked_for_too
    }
    retries {
        a_failed_attempt_waits_for_the_next_one
        the_shortest_wait_is_a_second
        the_longest_wait_grows_threefold
        a_run_waits_as_its_own_policy_says
        a_failure_may_name_its_wait
        a_wait_of_nothing_is_over_at_once
        a_failure_may_forbid_another_attempt
        a_retry_starts_when_its_time_has_come
        there_are_never_more_attempts_than_were_asked_for
        with_one_attempt_the_first_failure_ends_the_run
        a_named_wait_does_not_add_an_attempt
        a_lost_attempt_is_tried_again
        a_run_lost_at_its_last_attempt_fails
        a_run_that_kills_every_worker_ends
        an_attempt_that_took_too_long_is_tried_again
        a_run_is_timed_out_only_by_its_last_attempt_and_names_the_limit
        a_failure_after_a_timeout_ends_failed
        a_failure_while_a_cancel_is_asked_for_ends_cancelled
        a_failure_while_a_pause_is_asked_for_ends_paused
        a_pause_does_not_save_a_run_from_its_last_failure
    }
    release {
        work_left_for_adoption_goes_on_without_its_worker
        work_left_for_adoption_is_adopted_at_once_on_its_host
        work_left_for_adoption_is_another_hosts_after_the_takeover_delay
        a_stop_request_outlives_a_release_for_adoption
        interrupted_work_returns_to_the_queue_without_burning_an_attempt
        an_interrupted_attempt_starts_again_under_its_number
        interruptions_beyond_the_free_ones_count_as_attempts
        interrupted_work_that_may_start_only_once_is_paused
        work_may_be_paused_at_shutdown
        stopped_work_that_was_to_be_cancelled_is
        stopped_work_that_was_to_be_paused_is
        a_lost_lease_cannot_be_released
        a_lease_is_released_once
        releases_are_judged_one_by_one_in_order
    }
    cancel {
        a_queued_run_is_cancelled_at_once
        a_pending_run_is_cancelled_at_once
        a_delayed_run_is_cancelled_at_once
        a_run_behind_another_is_cancelled_at_once
        a_retrying_run_is_cancelled_at_once
        a_paused_run_is_cancelled_at_once
        a_running_run_is_asked_to_stop
        asking_again_changes_nothing
        a_cancel_outranks_an_earlier_pause
        a_cancel_outranks_a_later_pause
        what_is_over_cannot_be_cancelled
        an_unknown_run_cannot_be_commanded
        commands_are_judged_one_by_one_in_order
    }
    pause_resume {
        a_waiting_run_is_paused_at_once
        a_retrying_run_is_paused_at_once
        a_running_run_is_asked_to_pause
        pausing_a_paused_run_changes_nothing
        what_is_pending_or_over_cannot_be_paused
        a_resumed_run_is_ready
        a_resumed_run_still_waits_for_the_time_it_is_due
        a_run_whose_time_came_while_paused_is_ready_when_resumed
        a_resumed_run_does_not_wait_for_its_retry
        a_resumed_run_still_waits_for_its_upstream
        a_run_paused_at_its_last_attempt_gets_one_more
        a_run_paused_with_attempts_left_gets_no_more
        a_failed_run_comes_back_with_as_many_attempts_as_it_was_given
        a_run_that_failed_early_comes_back_with_room_too
        a_timed_out_run_comes_back
        a_run_may_fail_and_come_back_again_and_again
        a_run_back_from_history_keeps_its_age
        what_waits_or_runs_cannot_be_resumed
        what_succeeded_or_was_cancelled_cannot_be_resumed
    }
    enqueue {
        an_enqueued_run_is_ready
        an_enqueued_run_still_waits_for_the_time_it_is_due
        a_run_whose_time_came_while_pending_is_ready_when_enqueued
        an_enqueued_run_still_waits_for_its_upstream
        an_enqueued_run_takes_its_place_in_its_lane
        only_pending_runs_can_be_enqueued
    }
    rerun {
        a_rerun_is_a_new_run_of_the_same_work
        a_rerun_leaves_the_old_run_as_it_is
        a_run_of_any_status_can_be_run_again
        key_and_upstream_stay_behind
        attempts_granted_by_a_resume_stay_behind
        a_rerun_waits_for_its_lane
        a_rerun_needs_an_id_of_its_own
        an_unknown_run_cannot_be_run_again
    }
    lanes {
        only_the_first_of_a_lane_is_ready
        a_batch_is_put_in_line_too
        a_lane_goes_on_in_the_call_that_ends_its_run
        a_lane_is_first_in_first_out
        a_more_urgent_run_overtakes_one_that_has_not_started
        nothing_overtakes_a_run_that_has_started
        a_retrying_run_keeps_its_lane
        an_orphaned_run_keeps_its_lane
        an_interrupted_run_is_first_in_its_lane_again
        an_interrupted_run_may_be_overtaken
        a_delayed_run_does_not_block_its_lane
        a_delayed_run_waits_for_its_lane_when_its_time_has_come
        a_run_behind_an_upstream_does_not_block_its_lane
        a_pending_run_does_not_block_its_lane
        a_cancelled_run_leaves_its_lane_to_the_next
        a_paused_run_leaves_its_lane_to_the_next
        a_paused_retry_leaves_its_lane_and_comes_back_in_line
        a_failed_run_leaves_a_lane_that_continues
        a_run_back_from_history_waits_for_its_lane
        lanes_do_not_block_each_other
        a_lane_spans_queues
        lanes_belong_to_a_workspace
        two_lanes_go_on_in_one_call
        a_lane_tells_who_is_in_it
        a_lane_whose_runs_are_over_is_not_listed
        a_lane_with_a_policy_is_listed
        lanes_are_listed_by_name_in_pages
    }
    lane_holds {
        a_failed_run_holds_its_lane
        those_already_waiting_are_held_too
        a_timed_out_run_holds_its_lane
        a_paused_run_holds_its_lane
        a_run_paused_by_shutdown_holds_its_lane
        a_run_that_fails_with_its_upstream_holds_its_lane
        success_and_cancellation_hold_nothing
        a_retrying_run_does_not_hold_but_occupies
        urgency_does_not_break_a_hold
        dismissing_the_holder_frees_the_lane
        a_run_is_dismissed_once
        a_stopped_run_that_holds_nothing_cannot_be_dismissed
        what_cannot_hold_cannot_be_dismissed
        resuming_the_holder_puts_it_first_in_its_lane
        a_resumed_holder_that_fails_holds_again
        a_dismissed_run_that_comes_back_and_fails_holds_again
        cancelling_a_paused_holder_frees_the_lane
        a_lane_held_by_several_waits_for_all
        releasing_a_lane_lets_all_its_holders_go
        a_lane_that_is_to_continue_is_free
        a_policy_holds_for_what_happens_after_it
        setting_the_policy_again_changes_nothing
        a_hold_is_its_own_lanes_alone
    }
    dependencies {
        a_run_waits_for_its_upstream
        a_run_is_ready_in_the_call_that_ends_its_upstream
        a_chain_runs_link_by_link
        a_diamond_joins_when_both_sides_are_done
        two_upstreams_may_end_in_one_call
        an_upstream_in_the_same_batch_may_come_first
        an_upstream_later_in_the_batch_is_unknown
        an_unknown_upstream_is_refused
        a_run_cannot_wait_for_itself
        an_upstream_of_another_workspace_is_unknown
        an_upstream_named_twice_is_one_upstream
        an_upstream_that_succeeded_is_not_waited_for
        an_upstream_that_succeeded_leaves_the_others_to_wait_for
        an_upstream_that_had_failed_fails_the_run_at_once
        a_failed_upstream_outweighs_those_that_succeeded_or_still_run
        a_failure_reaches_everything_downstream
        a_cancelled_upstream_fails_the_run
        a_timed_out_upstream_fails_the_run
        a_retrying_or_paused_upstream_is_waited_for
        a_pending_run_fails_with_its_upstream
        a_pending_run_stays_pending_when_its_upstream_succeeds
        a_paused_run_fails_with_its_upstream
        a_paused_run_stays_paused_when_its_upstream_succeeds
        a_cancelled_run_stays_cancelled_when_its_upstream_fails
        a_run_that_is_over_waits_for_nothing
        a_delayed_run_waits_for_its_time_after_its_upstream
        a_run_whose_time_came_before_its_upstream_ended_waits_for_the_upstream
        a_run_that_failed_with_its_upstream_can_be_resumed
        many_may_wait_for_one
    }
    queues {
        a_paused_queue_is_left_out
        pausing_a_queue_touches_no_run
        a_paused_queue_takes_submissions
        orphans_of_a_paused_queue_are_adopted
        no_more_runs_are_running_than_the_limit_allows
        a_run_that_ends_makes_room_under_the_limit
        a_released_run_makes_room_under_the_limit
        orphans_count_under_the_limit_and_are_adopted
        a_full_queue_does_not_hold_up_others
        a_limit_of_zero_lets_nothing_start
        a_lifted_limit_lets_all_start
        a_limit_below_what_is_running_stops_nothing
        a_change_leaves_the_rest_as_it_was
        settings_belong_to_a_workspace
        a_limit_counts_its_own_workspaces_runs
        a_queue_tells_how_many_run_and_wait
        queues_are_listed_by_name_while_they_have_live_runs_or_settings
    }
    workers {
        a_worker_is_known_from_its_first_heartbeat
        a_heartbeat_says_what_is_so_now
        a_worker_asked_to_drain_hears_of_it
        an_unknown_worker_cannot_be_drained
        workers_are_listed_oldest_first
        a_worker_need_not_be_known_to_claim
    }
    workspaces {
        the_default_workspace_is_there
        a_workspace_is_made_once
        workspaces_are_listed_by_name
        a_run_is_found_in_its_own_workspace_only
        lists_show_their_own_workspace_only
        a_foreign_run_cannot_be_commanded
        a_foreign_run_cannot_be_run_again
        a_foreign_lane_cannot_be_released
        a_foreign_policy_is_not_ones_own
        a_workspace_that_is_not_there_has_no_settings
    }
    events {
        events_are_numbered_from_one_without_gaps
        an_event_is_kept_as_it_was_told
        appending_nothing_tells_the_last_number
        events_go_on_over_attempts_and_say_which
        events_are_read_after_a_number
        events_outlive_the_run
        the_events_of_a_run_back_from_history_go_on
        a_lost_lease_cannot_append
        a_finished_run_takes_no_events
        appends_are_judged_one_by_one_in_order
        a_run_without_events_has_none
    }
    reads {
        what_does_not_exist_is_not_found
        a_list_is_newest_first_across_live_and_finished
        a_list_shows_runs_as_they_are
        a_list_is_read_in_pages_across_live_and_finished
        a_list_that_just_fits_has_no_next_page
        an_empty_list_has_no_next_page
        a_page_is_not_disturbed_by_what_comes_later
        runs_are_filtered_by_status
        runs_are_filtered_by_task_queue_and_lane
        a_filtered_list_has_pages_too
    }
    attempts {
        a_run_that_has_not_started_has_no_attempts
        the_attempt_under_way_has_no_end
        an_attempt_that_succeeds_ends_with_its_run
        failed_attempts_are_kept_with_error_worker_and_times
        an_interrupted_attempt_is_kept_and_its_number_comes_again
        an_adopted_attempt_is_one_attempt_of_its_last_worker
        a_lost_attempt_is_kept
        a_paused_attempt_is_kept
        a_run_back_from_history_brings_its_attempts
        a_run_failed_by_its_upstream_has_no_attempts
        a_timed_out_attempt_is_kept
    }
    counts {
        an_empty_store_counts_nothing
        live_runs_are_counted_by_workspace_queue_and_status
        ready_runs_are_counted_apart
        the_oldest_ready_run_tells_how_long_it_waits
        what_is_not_ready_has_no_oldest
        a_retry_whose_time_has_come_is_ready
        counts_follow_every_step
    }
    reap {
        a_lease_that_ran_out_is_cleared
        a_lease_is_cleared_at_the_very_end
        a_lease_is_cleared_once
        a_renewed_lease_is_not_cleared
        an_adopted_run_whose_worker_is_lost_is_cleared_again
        what_is_not_running_is_not_reaped
        a_run_left_for_adoption_is_not_reaped
        no_more_are_reaped_than_the_limit
    }
    expire {
        an_attempt_past_its_time_is_ended
        the_last_attempt_past_its_time_ends_the_run
        grace_is_given
        without_a_limit_nothing_expires
        the_time_counts_from_the_start_of_the_attempt
        renewing_and_adoption_give_no_more_time
        an_orphan_expires_too
        an_expired_attempt_has_no_say_any_more
        an_attempt_expires_once
        an_expired_attempt_that_was_to_stop_does
        an_expired_run_leaves_its_lane
        the_wait_after_expiry_is_drawn_like_any_other
        no_more_expire_than_the_limit
    }
    promote {
        a_delayed_run_is_freed_when_its_time_has_come
        a_freed_run_keeps_the_time_it_was_due
        only_those_that_are_due_are_freed
        those_due_first_are_freed_first
        freed_runs_are_claimed_in_the_order_of_submission
        paused_and_pending_runs_are_not_freed
        of_a_lane_one_of_those_freed_is_ready
        it_says_how_long_it_is_until_the_next_run_is_due
        the_next_run_is_due_now_if_more_are_due_than_the_limit
        a_retry_is_waited_for_like_any_other_run
        only_runs_that_wait_for_their_time_are_due
    }
    ready_signal {
        a_new_run_is_told_of
        everybody_who_waits_is_told
        a_run_that_cannot_start_yet_is_not_told_of
        a_replacement_that_may_start_is_told_of
        a_success_that_frees_nothing_is_not_told_of
        a_failure_that_frees_nothing_is_not_told_of
        work_under_way_is_not_told_of
        a_lane_that_goes_on_is_told_of
        a_lane_with_nobody_left_is_not_told_of
        a_run_that_waited_for_another_is_told_of
        room_in_a_limited_queue_is_told_of
        a_second_attempt_at_once_is_told_of
        work_given_back_is_told_of
        an_orphan_is_told_of
        a_run_whose_time_has_come_is_told_of
        an_expired_attempt_that_frees_its_lane_is_told_of
        what_a_command_makes_ready_is_told_of
        a_rerun_is_told_of
        a_lane_let_go_is_told_of
        a_queue_that_goes_on_is_told_of
    }
    prune {
        an_old_finished_run_is_forgotten_with_all_that_was_of_it
        every_ending_is_forgotten
        what_is_not_old_is_kept
        what_is_not_over_is_kept
        a_run_that_holds_its_lane_is_kept
        a_run_that_came_back_is_kept
        no_more_runs_are_forgotten_than_the_limit
        idempotency_keys_are_forgotten_when_their_time_is_over
        silent_workers_are_forgotten
        a_forgotten_run_is_unknown_as_an_upstream
    }
    tokens {
        a_token_is_known_by_its_secret
        every_role_is_kept
        an_unknown_secret_is_nobodys
        a_token_may_be_good_in_every_workspace
        a_token_expires_by_the_stores_clock
        a_token_without_an_expiry_stays_good
        a_token_may_expire_at_once_or_at_the_end_of_time
        a_revoked_token_is_no_good
        a_token_is_revoked_once
        an_expired_token_can_be_revoked
        an_unknown_token_cannot_be_revoked
        a_token_needs_a_workspace_that_is_there
        an_id_names_one_token
        a_secret_opens_one_token
        tokens_are_listed_newest_first
        a_list_of_tokens_shows_its_own_workspace_only
        of_many_tokens_with_one_secret_one_is_made
    }
    audit {
        what_was_done_is_written_down_as_it_was_said
        the_audit_log_is_read_newest_first
        nothing_done_is_nothing_written
        the_audit_log_is_read_in_pages
        a_page_stays_where_it_is_when_more_is_written
        a_foreign_audit_log_is_not_shown
        a_character_that_cannot_be_stored_loses_no_record
        old_audit_records_are_forgotten
        a_number_is_never_given_to_two_audit_records
    }
    at_once {
        a_run_is_claimed_by_one_worker
        an_orphan_is_adopted_by_one_worker
        a_lane_never_has_two_running
        a_queues_limit_holds_for_all_workers
        a_bounded_queue_is_never_exceeded
        the_same_request_is_stored_once
        a_run_key_names_one_run
        one_of_many_outcomes_is_accepted
        a_cancel_that_races_a_finish_says_who_won
        events_of_callers_at_once_leave_no_gap
        an_upstream_that_ends_while_it_is_named_is_not_missed
        a_lane_that_is_freed_while_it_is_joined_goes_on
    }
}
