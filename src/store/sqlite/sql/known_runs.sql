-- ?1 workspace, ?2 id. A live run is known to all; of the finished ones, each workspace knows its own.
select workspace, status from runs where id = ?2
union all
select workspace, status from history where workspace = ?1 and id = ?2
limit 1
