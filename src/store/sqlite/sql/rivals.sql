-- ?1 schedule
select id from runs where schedule_id = ?1 and status in ('running', 'retrying') order by id
