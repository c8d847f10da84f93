-- One statement, so that a run that is just moving into history is seen exactly once.
select id, workspace, status from runlane.runs where id = any($2)
union all
select id, workspace, status from runlane.history where workspace = any($1) and id = any($2)
