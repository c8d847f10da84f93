-- ?1 workspace, ?2 task, ?3 queue, ?4 take, ?5 now
select -priority, seq, status = 'queued' and attempt + 1 < max_attempts and lane is null and schedule_id is null and start_by is null
from runs
where workspace = ?1 and task = ?2 and queue = ?3 and status in ('queued', 'retrying') and blocked_by is null
  and (start_by is null or started_at is not null or start_by > ?5)
order by priority desc, seq
limit ?4
