-- ?1 written down by then, ?2 limit
delete from audit where seq in (select seq from audit where at <= ?1 order by at limit ?2)
