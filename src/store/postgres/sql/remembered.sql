-- One look-up for each key: as a condition on both columns, the planner may read every key of the workspace.
select known.workspace, known.key, known.fingerprint, known.run, known.expires_at
from unnest($1::text[], $2::text[]) as named (workspace, key)
cross join lateral (
    select * from runlane.idempotency
    where idempotency.workspace = named.workspace and idempotency.key = named.key limit 1) as known
