//! The list of all sentences about what is read and what passes clean up.

use super::sentences::sentences;

sentences! { record_suite of record_list:
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
    counts {
        an_empty_store_counts_nothing
        live_runs_are_counted_by_workspace_queue_and_status
        ready_runs_are_counted_apart
        the_oldest_ready_run_tells_how_long_it_waits
        what_is_not_ready_has_no_oldest
        a_retry_whose_time_has_come_is_ready
        counts_follow_every_step
    }
    workers {
        a_worker_is_known_from_its_first_heartbeat
        a_heartbeat_says_what_is_so_now
        a_worker_asked_to_drain_hears_of_it
        a_worker_says_itself_that_it_is_leaving
        a_worker_that_left_is_not_listed
        a_worker_that_beats_after_it_left_starts_anew
        a_worker_that_vanished_is_silent_and_stays_listed
        an_unknown_worker_cannot_be_drained
        workers_are_listed_oldest_first
        a_worker_need_not_be_known_to_claim
        a_position_counts_those_that_are_claimed_before
        a_position_tells_what_is_running_and_where
        the_tasks_that_runs_wait_for_are_counted
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
    prune {
        an_old_finished_run_is_forgotten_with_all_that_was_of_it
        every_ending_is_forgotten
        what_is_not_old_is_kept
        what_is_not_over_is_kept
        a_run_that_holds_its_lane_is_kept
        a_run_that_came_back_is_kept
        no_more_runs_are_forgotten_than_the_limit
        idempotency_keys_are_forgotten_when_their_time_is_over
        workers_that_vanished_or_left_are_forgotten
        a_forgotten_run_is_unknown_as_an_upstream
    }
}
