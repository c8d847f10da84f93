-- When a schedule was made, resumed or given other times: what was due before is not its business.
alter table schedules add column since integer not null default 0;
update schedules set since = created_at;
