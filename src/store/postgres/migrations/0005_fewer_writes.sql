-- New runs that are ready at once, except those whose id is taken: the most frequent of all writes, so it is one message. What
-- other transactions set for themselves is set by the function. `channel` hears the `word`, if there is one.
--
-- Each id is looked up by itself: in a join, the planner might read all runs instead. Live and finished ones are looked up by
-- one statement, so that a run that is just moving into history is seen exactly once; one that comes in at the same moment
-- is a conflict.
create function runlane.insert_ready(
    ids uuid[], workspaces text[], tasks text[], queues text[], priorities smallint[], payloads json[], notes json[],
    maxima integer[], timeouts integer[], retries text[], moment timestamptz, channel text, word text
) returns table (id uuid, requested_at timestamptz) language plpgsql
    set lock_timeout = '10s' set enable_seqscan = off set enable_bitmapscan = off
    set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
    return query
    insert into runlane.runs (id, workspace, task, queue, priority, status, payload, metadata, max_attempts,
        attempts_granted, timeout_seconds, retry, available_at, requested_at)
    select new.id, new.workspace, task, queue, priority, 'queued', payload, metadata, max_attempts,
        max_attempts, timeout_seconds, retry, stored.at, stored.at
    from unnest(ids, workspaces, tasks, queues, priorities, payloads, notes, maxima, timeouts, retries)
        as new (id, workspace, task, queue, priority, payload, metadata, max_attempts, timeout_seconds, retry),
        (select coalesce(moment, clock_timestamp()) as at) as stored
    where (select live.id from runlane.runs as live where live.id = new.id limit 1) is null
        and (select past.id from runlane.history as past
            where past.workspace = new.workspace and past.id = new.id limit 1) is null
    on conflict (id) do nothing
    returning runs.id, runs.requested_at;
    if word is not null then
        perform pg_notify(channel, word);
    end if;
end $$;

-- Of a lane, what may not go. What may is in runs_lane_front alone: so a run that gets to the front, and one that starts, is
-- written into one index less.
drop index runlane.runs_lane_line;
create index runs_lane_line on runlane.runs (workspace, lane, (-priority), seq)
    where lane is not null and status not in ('running', 'retrying') and (status <> 'queued' or blocked_by is not null);
create view runlane.lane_runs as
    select id, workspace, lane, status from runlane.runs
    where lane is not null and (status in ('running', 'retrying') or (status = 'queued' and blocked_by is null))
    union all
    select id, workspace, lane, status from runlane.runs
    where lane is not null and status not in ('running', 'retrying') and (status <> 'queued' or blocked_by is not null);
