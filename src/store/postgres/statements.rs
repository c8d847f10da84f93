//! Every statement this database has.

use crate::store::script::statements;

statements! {
    super::row::DIALECT:
    adopt any_limited append attempts audit authenticate claim count_live counts create_workspace delete_holds delete_lane_holds delete_waits
    delete_waits_of drain end_runs events finish_plain heartbeat leave insert_attempts insert_finished insert_holds
    insert_ready insert_runs insert_token insert_waits keyed_runs known_runs known_workspaces lane_claim lane_demote lane_fronts lane_promote lanes
    lock_finished lock_lanes lock_rooms lock_runs mark_awaited next_due overdue_runs promote prune_audit prune_finished
    prune_idempotency prune_lanes prune_workers queues ready_places ready_streams reap record_audit remember remembered renew
    revive_runs revoke_token
    forget_runs rivals insert_grant grant grants lock_grants revoke_grant
    insert_schedule read_schedule schedule schedule_named schedules lock_schedules move_schedules edit_schedule delete_schedule broken_schedules
    insert_skips skips prune_skips charge usage usage_of prune_usage
    run runs runs_ending set_lane_policy set_queue token_exists tokens update_runs waiting waits waits_on workers position waiting_tasks workspaces
}
