-- Live runs have no index by workspace and id, so the newest of all workspaces are searched for those of this one.
select id from (select id, workspace from runlane.runs order by id desc limit $3) as live
where workspace = $1 and right(replace(id::text, '-', ''), length($2)) = $2
union all
select id from (select id from runlane.history where workspace = $1 order by id desc limit $3) as finished
where right(replace(id::text, '-', ''), length($2)) = $2
limit $4
