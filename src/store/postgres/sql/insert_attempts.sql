insert into runlane.attempts (run, epoch, number, worker, host, started_at, ended_at, status, error_code, error_message)
select * from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::uuid[], $5::text[], $6::timestamptz[],
    $7::timestamptz[], $8::text[], $9::text[], $10::text[])
