-- What a new run brings; the rest has defaults, and seq is given here. Without `or fail` SQLite would guard the statement
-- by a savepoint, which the job has.
insert or fail into runs ({new.columns}) values ({new.input})
