-- ?1 id, ?2 hash, ?3 workspace, ?4 name, ?5 role, ?6 created_at, ?7 expires_at
insert into tokens (id, hash, workspace, name, role, created_at, expires_at) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
on conflict do nothing
