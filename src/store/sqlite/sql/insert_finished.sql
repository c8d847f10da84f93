-- The next number of the counter that new live runs take theirs from
update sqlite_sequence set seq = seq + 1 where name = 'runs' returning seq
-- then
insert into history ({history.columns}) values ({history.input})
