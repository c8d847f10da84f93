begin isolation level repeatable read, read only;
set local statement_timeout = '60s';
-- What people read is filtered in many ways, so no one plan is right; made anew it knows how full the tables are.
set local plan_cache_mode = force_custom_plan
