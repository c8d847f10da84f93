insert into runlane.tokens (id, hash, workspace, name, role, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
