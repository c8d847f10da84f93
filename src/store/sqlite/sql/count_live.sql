select count(*) from runs
