-- ?1 finished by then, ?2 limit. A run that holds its lane is still needed.
delete from history
where rowid in (
  select rowid from history
  where finished_at <= ?1 and not exists (select 1 from lane_holds where run = history.id)
  order by finished_at
  limit ?2
)
returning id
-- then
delete from attempts where run = ?1
-- then
delete from events where run = ?1
-- then
delete from waits where run = ?1
