-- ?1 workspace, ?2 run
select run, attempt, unit, amount from usage where workspace = ?1 and run = ?2 order by attempt, unit
