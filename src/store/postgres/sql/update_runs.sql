-- The place is looked up first: joined by id, a plan made while the table was empty would compare every row with every other.
update runlane.runs as run
set {runs.changes}
from unnest({runs.input}) as new ({runs.columns})
cross join lateral (select place.ctid from runlane.runs as place where place.id = new.id limit 1) as old
where run.ctid = old.ctid and run.revision = new.revision - 1
