-- Finished runs as the product would have left them; ids in the order of time.
insert into runlane.history (id, seq, workspace, task, queue, priority, status, payload, attempt, max_attempts,
    attempts_granted, interruptions, epoch, available_at, requested_at, started_at, attempt_started_at, worker, host,
    awaited, finished_at)
select (lpad(to_hex((extract(epoch from now() - interval '1 hour') * 1000)::bigint + g / 1000), 12, '0')
        || '7' || lpad(to_hex(g % 4096), 3, '0') || '8' || lpad(to_hex(g), 15, '0'))::uuid,
    -g, 'default', 'noop', 'default', 0, 'succeeded',
    json_build_object('i', g, 'text', 'lorem ipsum dolor sit amet consectetu'), 1, 1, 1, 0, 1,
    now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour',
    gen_random_uuid(), 'bench', false, now() - interval '1 hour'
from generate_series(:first, :last) g
