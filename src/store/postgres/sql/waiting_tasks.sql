select workspace, queue, task, count(*) as runs
from (
    select workspace, queue, task from runlane.runs where status in ('queued', 'retrying') order by id limit $1) as waiting
group by workspace, queue, task order by workspace, queue, task
