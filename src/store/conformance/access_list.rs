//! The list of all sentences about tokens, the audit log and short ids.

use super::sentences::sentences;

sentences! { access_suite of access_list:
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
        the_audit_log_is_read_by_actor_action_subject_and_time
        a_page_stays_where_it_is_when_more_is_written
        a_foreign_audit_log_is_not_shown
        a_character_that_cannot_be_stored_loses_no_record
        old_audit_records_are_forgotten
        a_number_is_never_given_to_two_audit_records
    }
    short_ids {
        a_run_is_found_by_the_end_of_its_id_live_or_finished
        of_several_that_end_so_no_more_than_the_limit_are_found
        the_end_of_an_id_in_another_workspace_finds_nothing
    }
}
