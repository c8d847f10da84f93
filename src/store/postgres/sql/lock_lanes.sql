-- Mostly they are there. Each is looked up by itself, in their order: so they are locked, too.
select locked.workspace, locked.name, locked.policy
from (select workspace, name from unnest($1::text[], $2::text[]) as wanted (workspace, name) order by workspace, name) as wanted
cross join lateral (
    select lane.workspace, lane.name, lane.policy from runlane.lanes as lane
    where lane.workspace = wanted.workspace and lane.name = wanted.name
    limit 1 for no key update) as locked
-- then, if not all are: an update of nothing locks a lane that is there and makes one that is not
insert into runlane.lanes as lane (workspace, name)
select workspace, name from unnest($1::text[], $2::text[]) as new (workspace, name) order by workspace, name
on conflict (workspace, name) do update set policy = lane.policy
returning workspace, name, policy
