-- ?1 workspace, ?2 queue, ?3 paused, ?4 whether to change the limit, ?5 limit
insert into queues (workspace, name, paused, concurrency)
select name, ?2, coalesce(?3, 0), ?5 from workspaces where name = ?1
on conflict (workspace, name) do update
set paused = coalesce(?3, paused), concurrency = case when ?4 then ?5 else concurrency end
returning paused, concurrency
