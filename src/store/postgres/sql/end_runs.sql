with ended as (
    delete from runlane.runs as run
    using unnest({history.input}) as new ({history.columns})
    cross join lateral (select place.ctid from runlane.runs as place where place.id = new.id limit 1) as old
    where run.ctid = old.ctid and run.revision = new.revision - 1
    returning new.*
)
insert into runlane.history ({history.columns})
select * from ended
