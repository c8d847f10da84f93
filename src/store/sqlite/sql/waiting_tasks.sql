-- ?1 most
select workspace, queue, task, count(*)
from (select workspace, queue, task from runs where status in ('queued', 'retrying') order by seq limit ?1)
group by workspace, queue, task
order by workspace, queue, task
