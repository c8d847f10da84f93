-- ?1 written down by then, ?2 limit
delete from skips
where (schedule_id, id) in (select schedule_id, id from skips where at <= ?1 order by at limit ?2)
