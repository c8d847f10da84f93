-- Every admission to a bounded queue writes this row first, so that admissions count one after the other.
update runlane.admission set turn = turn + 1
-- then, seeing what was committed while the row was waited for
select count(*) from runlane.runs
