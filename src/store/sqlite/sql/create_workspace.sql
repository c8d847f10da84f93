-- ?1 name, ?2 now
insert into workspaces (name, created_at) values (?1, ?2) on conflict (name) do nothing
