-- ?1 workspace, ?2 first name, ?3 last name, ?4 limit
with names (name) as (
  select lane from runs where workspace = ?1 and lane is not null and lane between ?2 and ?3
  union
  select lane from lane_holds where workspace = ?1 and lane between ?2 and ?3
  union
  select name from lanes where workspace = ?1 and name between ?2 and ?3 and policy <> 'continue'
  order by 1
  limit ?4
)
select
  name,
  (select policy from lanes where workspace = ?1 and lanes.name = names.name),
  (select id from runs where workspace = ?1 and lane = names.name and status in ('running', 'retrying')),
  (select count(*) from runs where workspace = ?1 and lane = names.name and status = 'queued')
from names
order by name
-- then
-- ?1 workspace, ?2 lane
select run from lane_holds where workspace = ?1 and lane = ?2 order by run
