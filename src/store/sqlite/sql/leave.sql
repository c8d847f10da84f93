-- ?1 id, ?2 now
update workers set left_at = ?2, seen_at = ?2 where id = ?1 and left_at is null
