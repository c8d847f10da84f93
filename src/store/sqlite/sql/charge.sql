-- ?1 run, ?2 attempt, ?3 unit, ?4 workspace, ?5 account, ?6 task, ?7 amount, ?8 now
insert into usage (run, attempt, unit, workspace, billing_account, task, amount, at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
on conflict (run, attempt, unit) do update set
  amount = min(usage.amount + excluded.amount, 9000000000000000000)
