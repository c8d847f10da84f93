select coalesce(settings.name, live.queue) as name, coalesce(settings.paused, false) as paused, settings.concurrency,
    coalesce(live.running, 0) as running, coalesce(live.waiting, 0) as waiting
from (select * from runlane.queues where workspace = $1) as settings
full join (
    select queue, count(*) filter (where status = 'running') as running,
        count(*) filter (where status in ('queued', 'retrying')) as waiting
    from runlane.runs where workspace = $1 group by queue) as live on live.queue = settings.name
order by 1
