-- Live and finished runs, with the columns of both.
drop view if exists runlane.all_runs;
create view runlane.all_runs as
    select {both.columns}, blocked_by, lease_expires_at, orphaned_at, stop,
        null::timestamptz as finished_at, null::json as output
    from runlane.runs
    union all
    select {both.columns}, null, null, null, null, finished_at, output
    from runlane.history;
