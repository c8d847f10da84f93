-- An update of nothing locks a lane that is there and makes one that is not, in their order.
insert into runlane.lanes as lane (workspace, name)
select workspace, name from unnest($1::text[], $2::text[]) as new (workspace, name) order by workspace, name
on conflict (workspace, name) do update set policy = lane.policy
returning workspace, name, policy
