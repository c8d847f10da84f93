-- ?1 workspace, ?2 lane, ?3 policy
insert into lanes (workspace, name, policy) values (?1, ?2, ?3)
on conflict (workspace, name) do update set policy = excluded.policy
