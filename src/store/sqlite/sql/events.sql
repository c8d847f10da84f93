-- ?1 run, ?2 after this number, ?3 limit
select seq, at, attempt, kind, data from events where run = ?1 and seq > ?2 order by seq limit ?3
