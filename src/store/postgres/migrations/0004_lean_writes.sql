-- When a schedule was made, resumed or given other times: what was due before is not its business.
alter table runlane.schedules add column since timestamptz;
update runlane.schedules set since = created_at;
alter table runlane.schedules alter column since set not null;

-- PostgreSQL reads the text of every check anew for every statement that writes, which cost a single run more than its
-- indexes did. What they said is said by the types of the code, and whoever reads a row is told when it cannot be.
alter table runlane.runs
    drop constraint status_is_live,
    drop constraint priority_in_range,
    drop constraint attempts_within_maximum,
    drop constraint only_waiting_runs_are_blocked,
    drop constraint running_means_attempted,
    drop constraint stop_is_known,
    drop constraint scheduled_under_a_grant;
alter table runlane.history drop constraint status_is_terminal;
