with revived as (
    delete from runlane.history as finished
    using unnest({runs.input}) as new ({runs.columns})
    cross join lateral (
        select place.ctid from runlane.history as place
        where place.workspace = new.workspace and place.id = new.id limit 1) as old
    where finished.ctid = old.ctid and finished.revision = new.revision - 1
    returning new.*
)
insert into runlane.runs ({runs.columns})
select * from revived
