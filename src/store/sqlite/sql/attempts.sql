-- ?1 run
select number, epoch, worker, host, started_at, ended_at, status, error_code, error_message
from attempts
where run = ?1
order by epoch
