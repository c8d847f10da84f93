-- ?1 workspace, ?2 lane
select
  -- closed: one is under way, or a stopped one holds the lane
  exists (
    select 1 from runs where workspace = ?1 and lane = ?2 and status in ('running', 'retrying')
  ) or exists (
    select 1 from lane_holds where workspace = ?1 and lane = ?2
  ),
  -- ready now
  (
    select id from runs indexed by runs_lane_front
    where workspace = ?1 and lane = ?2 and status = 'queued'
      and (status in ('running', 'retrying') or (status = 'queued' and blocked_by is null))
  ),
  -- should be next
  (
    select id from runs
    where workspace = ?1 and lane = ?2 and status = 'queued' and (blocked_by is null or blocked_by = 'lane')
    order by priority desc, seq
    limit 1
  )
