-- New runs that are ready at once: the most frequent of all writes, so it is one statement. The function sets what other
-- transactions set for themselves, as far as it matters here. If there is a `word`, `channel` is notified with it as the payload.
--
-- All runs are inserted or, if an id is taken, none: that is an error, and the next try reads the ids first. So nothing is looked up
-- that the unique index does not look up anyway. Whether a finished run has an id is asked afterwards, by a statement
-- that sees what was committed until then: a run that was live is a conflict, one that was moving into history is there by now.
-- Ids are drawn one after the other, so mostly no other is between the lowest and the highest, and one read is enough.
-- All that holds only where each statement sees what was committed before it.
create or replace function runlane.insert_ready(
    ids uuid[], workspaces text[], tasks text[], queues text[], priorities smallint[], payloads json[], notes json[],
    maxima integer[], timeouts integer[], retries text[], owners text[], lowest uuid, highest uuid,
    moment timestamptz, channel text, word text
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
    -- By place, since arrays are taken apart only once here: unnesting ten of them makes a table of each.
    insert into runlane.runs (id, seq, workspace, task, queue, priority, status, payload, metadata, max_attempts,
        attempts_granted, timeout_seconds, retry, available_at, requested_at)
    select ids[i], coalesce(block + i, nextval('runlane.blocks') * 4096), workspaces[i], tasks[i], queues[i], priorities[i],
        'queued', payloads[i], notes[i], maxima[i], maxima[i], timeouts[i], retries[i], moment, moment
    from generate_subscripts(ids, 1) as i;
    if exists (select from runlane.history where workspace = any (owners) and id between lowest and highest) then
        if exists (
            select from generate_subscripts(ids, 1) as i
            where (select past.id from runlane.history as past
                where past.workspace = workspaces[i] and past.id = ids[i] limit 1) is not null
        ) then
            raise unique_violation using message = 'a finished run has the id of a new one';
        end if;
    end if;
    if word is not null then
        perform pg_notify(channel, word);
    end if;
    return moment;
end $$;
