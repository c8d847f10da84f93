//! The list of all sentences about what callers ask for: submissions and commands. One that is missing here is an unused function,
//! which the compiler points out.

use super::sentences::sentences;

sentences! { request_suite of request_list:
    submit {
        a_new_run_is_stored_as_it_was_asked_for
        what_was_not_asked_for_has_its_default
        a_payload_comes_back_as_the_very_text_it_was
        a_large_payload_is_kept_whole
        runs_are_numbered_in_the_order_of_submission
        an_empty_batch_is_answered_by_nothing
        each_run_of_a_batch_is_stored_as_it_was_asked_for
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
}
