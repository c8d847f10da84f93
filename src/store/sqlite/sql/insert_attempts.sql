insert into attempts (
  run, epoch, number, worker, host, started_at, ended_at, status, error_code, error_message
) values (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
