-- Its old number keeps its place in the order of submission.
insert into runs ({runs.columns}) values ({runs.input})
-- then
-- ?1 workspace, ?2 id, ?3 revision
delete from history where workspace = ?1 and id = ?2 and revision = ?3
