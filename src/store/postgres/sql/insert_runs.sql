insert into runlane.runs ({new.columns})
select * from unnest({new.input})
-- then, in its place, for many
copy runlane.runs ({new.columns}) from stdin (format binary)
