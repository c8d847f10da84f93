-- ?1 id
select exists (select 1 from tokens where id = ?1)
