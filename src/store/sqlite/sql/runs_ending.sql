-- ?1 workspace, ?2 digits, ?3 how many are searched, ?4 limit. Live runs have no index by workspace and id, so the newest of
-- all workspaces are searched for those of this one.
select id from (select id, workspace from runs order by id desc limit ?3)
where workspace = ?1 and lower(substr(hex(id), -length(?2))) = ?2
union all
select id from (select id from history where workspace = ?1 order by id desc limit ?3)
where lower(substr(hex(id), -length(?2))) = ?2
limit ?4
