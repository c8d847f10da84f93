-- ?1 run, ?2 upstream
insert into waits (run, upstream) values (?1, ?2)
