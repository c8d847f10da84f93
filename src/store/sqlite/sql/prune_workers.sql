-- ?1 last seen by then
delete from workers where seen_at <= ?1
