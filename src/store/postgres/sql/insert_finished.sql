-- The order of submission is that of the live runs, from the same sequence.
insert into runlane.history (seq, {history.columns but seq})
select nextval('runlane.blocks') * 4096, {history.columns but seq}
from unnest({history.input}) as new ({history.columns})
