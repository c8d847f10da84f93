insert into runlane.idempotency as known (workspace, key, fingerprint, run, expires_at)
select * from unnest($1::text[], $2::text[], $3::bytea[], $4::uuid[], $5::timestamptz[])
on conflict (workspace, key) do update
    set fingerprint = excluded.fingerprint, run = excluded.run, expires_at = excluded.expires_at
    where known.expires_at <= $6
returning key
