-- ?1 now, ?2 limit. A retrying run has had its lane since it first started.
-- What is too late is for another statement to end.
update runs set revision = revision + 1, blocked_by = case when status = 'queued' and lane is not null then 'lane' end
where seq in (
  select seq from runs where blocked_by = 'available_at' and available_at <= ?1
    and (start_by is null or started_at is not null or start_by > ?1)
  order by available_at, seq limit ?2
)
returning workspace, lane, case when slot is not null then schedule_id end
