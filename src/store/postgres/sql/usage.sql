select billing_account, task, unit, (at at time zone 'UTC')::date - '1970-01-01'::date as day,
    least(sum(amount), 9000000000000000000)::bigint
from runlane.usage
where workspace = $1 and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
    and ($4::text is null or billing_account = $4) and ($5::text is null or task = $5)
    and ($6::text is null or unit = $6)
group by billing_account, task, unit, day
order by day, billing_account nulls first, task, unit
