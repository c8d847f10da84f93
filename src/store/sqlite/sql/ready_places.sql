-- ?1 workspace, ?2 queue, ?3 take
select -priority, seq from runs
where workspace = ?1 and queue = ?2 and status in ('queued', 'retrying') and blocked_by is null
order by priority desc, seq
limit ?3
