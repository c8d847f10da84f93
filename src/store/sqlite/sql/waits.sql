-- ?1 run
select upstream from waits where run = ?1 order by upstream
