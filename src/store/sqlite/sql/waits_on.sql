-- ?1 upstream
select run from waits where upstream = ?1
