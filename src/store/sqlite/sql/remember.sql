-- ?1 workspace, ?2 key, ?3 fingerprint, ?4 run, ?5 expires_at. One that is there already has expired.
insert into idempotency (workspace, key, fingerprint, run, expires_at) values (?1, ?2, ?3, ?4, ?5)
on conflict (workspace, key) do update
set fingerprint = excluded.fingerprint, run = excluded.run, expires_at = excluded.expires_at
