insert into runlane.usage as known (run, attempt, unit, workspace, billing_account, task, amount, at)
select run, attempt, unit, workspace, account, task, amount, $8
from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
    as new (run, attempt, unit, workspace, account, task, amount)
on conflict (run, attempt, unit) do update
set amount = least(known.amount::numeric + excluded.amount, 9000000000000000000)::bigint
