-- ?1 said by then, ?2 limit
delete from usage where (run, attempt, unit) in (select run, attempt, unit from usage where at <= ?1 limit ?2)
