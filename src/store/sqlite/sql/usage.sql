-- ?1 workspace, ?2 from, ?3 until, ?4 account, ?5 task, ?6 unit. Days are counted from 1970, in UTC.
select billing_account, task, unit, at / 86400000000 as day,
  sum(amount / 4294967296), sum(amount % 4294967296)
from usage
where workspace = ?1 and at >= ?2 and at < ?3 and (?4 is null or billing_account = ?4)
  and (?5 is null or task = ?5) and (?6 is null or unit = ?6)
group by billing_account, task, unit, day
order by day, billing_account, task, unit
