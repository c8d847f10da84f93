-- ?1 run
select coalesce(max(seq), 0) from events where run = ?1
-- then
insert into events (run, seq, at, attempt, kind, data) values (?1, ?2, ?3, ?4, ?5, ?6)
