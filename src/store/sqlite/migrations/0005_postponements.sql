-- How often the work asked to be tried later.
alter table runs add column postponements integer not null default 0;
alter table history add column postponements integer not null default 0;
