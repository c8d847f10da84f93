-- ?1 workspace, ?2 id
delete from history where workspace = ?1 and id = ?2
-- then
-- ?1 id
delete from attempts where run = ?1
-- then
delete from events where run = ?1
-- then
delete from lane_holds where run = ?1
