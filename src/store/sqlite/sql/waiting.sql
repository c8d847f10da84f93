-- ?1 run
select exists (select 1 from waits where run = ?1)
