insert into runlane.queues as settings (workspace, name, paused, concurrency)
select name, $2, coalesce($3, false), $5 from runlane.workspaces where name = $1
on conflict (workspace, name) do update
    set paused = coalesce($3, settings.paused), concurrency = case when $4 then $5 else settings.concurrency end
returning paused, concurrency
