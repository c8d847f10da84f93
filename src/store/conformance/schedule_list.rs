//! The list of all sentences about recurring work.

use super::sentences::sentences;

sentences! { schedule_suite of schedule_list:
    schedules {
        a_new_schedule_has_the_run_of_its_first_slot_waiting
        where_overlap_is_forbidden_the_end_of_a_run_brings_the_next
        whatever_ends_a_run_brings_the_next
        an_attempt_past_its_time_brings_the_next_when_it_is_ended
        a_run_that_is_paused_does_not_hold_its_schedule_up
        who_knows_its_key_cannot_replace_a_slots_run
        an_interrupted_run_is_not_late
        a_new_name_leaves_the_waiting_run_alone
        a_retry_is_no_end
        where_overlap_is_allowed_the_start_of_a_run_brings_the_next
        where_a_run_is_replaced_the_old_one_stops_before_the_new_one_starts
        slots_that_go_by_under_a_run_are_skipped_and_recorded
        slots_that_nobody_could_start_are_skipped_and_recorded
        missed_slots_are_made_up_for_as_far_as_was_asked
        a_run_that_would_start_too_late_does_not_start
        a_schedule_without_more_slots_is_completed
        a_paused_schedule_has_no_waiting_run
        pausing_leaves_a_run_that_has_started_alone
        slots_of_a_pause_are_nobodys
        what_had_gone_by_before_an_edit_is_recorded
        a_slot_that_was_due_when_it_was_withdrawn_is_recorded
        an_edit_replaces_the_waiting_run
        a_slot_that_was_cancelled_gets_no_other_run
        an_edit_of_what_somebody_else_has_edited_is_refused
        a_deleted_schedule_leaves_only_what_has_started
        a_schedule_deleted_with_its_slot_due_leaves_no_record
        who_waits_for_a_run_that_is_withdrawn_hears_of_it
        a_key_that_somebody_else_took_does_not_break_the_chain
        a_failed_run_that_is_resumed_brings_nothing_more
        a_rerun_has_no_slot
        jitter_puts_a_run_off_and_not_its_slot
        a_chain_in_order_needs_no_sweep
        schedules_are_listed_newest_first_in_pages
    }
    schedule_names {
        a_schedule_is_found_by_its_name
        a_name_is_given_once_in_a_workspace
        of_several_that_ask_for_a_name_at_once_one_gets_it
        a_schedule_cannot_take_the_name_of_another
        the_name_of_a_deleted_schedule_is_free
    }
    schedule_grants {
        a_grant_is_kept_as_it_was_made
        a_foreign_grant_is_as_good_as_none
        a_grant_is_checked_by_the_stores_clock
        a_grant_is_revoked_once
        grants_are_listed_newest_first_in_pages
        a_schedule_needs_a_grant_for_its_task
        a_revoked_grant_starts_nothing_and_ends_its_schedule
        an_expired_grant_starts_nothing_and_ends_its_schedule
        a_retry_needs_the_grant_as_well
        a_schedule_that_lost_its_grant_goes_on_under_another
        an_edit_makes_its_grant_or_nothing
        a_run_under_an_old_grant_says_nothing_of_the_new_one
        schedules_are_found_by_their_grant
    }
    schedule_usage {
        what_an_attempt_used_up_is_summed_under_its_reference
        every_attempt_has_its_own_usage
        a_stale_word_is_not_charged
        usage_is_charged_to_the_account_of_the_grant
        usage_is_summed_by_day_task_and_unit
        foreign_usage_is_not_shown
        usage_outlives_its_run
    }
}
