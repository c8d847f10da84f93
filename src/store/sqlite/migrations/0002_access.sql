-- Who may do what, and who did. Of a token's secret there is only the SHA-256.

create table tokens (
  id blob not null primary key check (length(id) = 16),
  hash blob not null unique check (length(hash) = 32),
  workspace text,
  name text not null check (name <> ''),
  role text not null,
  created_at integer not null,
  expires_at integer check (expires_at >= created_at),
  revoked_at integer,
  check (role = 'viewer' or role = 'submitter' or role = 'operator' or role = 'admin' or role = 'worker')
) strict, without rowid;

-- With autoincrement no number is ever given twice, whatever was pruned. Both indexes end in `seq`, the rowid.
create table audit (
  seq integer primary key autoincrement,
  at integer not null,
  workspace text,
  actor blob check (length(actor) = 16),
  actor_name text not null,
  action text not null,
  subject text not null,
  detail text
) strict;

create index audit_workspace on audit (workspace);
create index audit_at on audit (at);
