insert into history ({history.columns}) values ({history.input})
-- then
-- ?1 id, ?2 revision
delete from runs where id = ?1 and revision = ?2
