-- The place in the order of submission comes from the live runs' own counter.
insert into runlane.history (seq, {history.columns but seq})
select nextval('runlane.blocks') * 4096, {history.columns but seq}
from unnest({history.input}) as new ({history.columns})
