-- As `insert_ready`, for runs that differ in nothing but their ids and payloads, as those of most batches do: all else is sent
-- and checked once.
create or replace function runlane.insert_alike(
    ids uuid[], payloads json[], owner text, work text, stream text, urgency smallint, note json, maximum integer,
    seconds integer, policy text, lowest uuid, highest uuid, moment timestamptz, channel text, word text
) returns timestamptz language plpgsql
    set lock_timeout = '10s' set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    block bigint;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise unique_violation using message = 'whether the ids are new takes a look at them first';
    end if;
    moment := coalesce(moment, clock_timestamp());
    -- More than fit into one get a block each.
    if cardinality(ids) <= 4096 then
        block := nextval('runlane.blocks') * 4096 - 1;
    end if;
    insert into runlane.runs (id, seq, workspace, task, queue, priority, status, payload, metadata, max_attempts,
        attempts_granted, timeout_seconds, retry, available_at, requested_at)
    select ids[i], coalesce(block + i, nextval('runlane.blocks') * 4096), owner, work, stream, urgency,
        'queued', payloads[i], note, maximum, maximum, seconds, policy, moment, moment
    from generate_subscripts(ids, 1) as i;
    if exists (select from runlane.history as past where past.workspace = owner and past.id between lowest and highest) then
        if exists (
            select from generate_subscripts(ids, 1) as i
            where (select past.id from runlane.history as past
                where past.workspace = owner and past.id = ids[i] limit 1) is not null
        ) then
            raise unique_violation using message = 'a finished run has the id of a new one';
        end if;
    end if;
    if word is not null then
        perform pg_notify(channel, word);
    end if;
    return moment;
end $$;
