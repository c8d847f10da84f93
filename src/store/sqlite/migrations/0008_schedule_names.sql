-- Schedules are known by their names: one of each in a workspace. Of those that share a name, the oldest keeps it; each of
-- the others gets the end of its id behind it. Names have at most 200 bytes, so a long one is cut first.
with named as (
  select id, json_extract(spec, '$.name') as name,
    row_number() over (partition by workspace, json_extract(spec, '$.name') order by created_at, id) as place
  from schedules
)
update schedules set
  spec = json_set(spec, '$.name',
    case when length(cast(named.name as blob)) > 191 then substr(named.name, 1, 47) else named.name end
      || '-' || lower(substr(hex(named.id), 25, 8)))
from named
where named.id = schedules.id and named.place > 1;

create unique index schedules_name on schedules (workspace, json_extract(spec, '$.name'));
