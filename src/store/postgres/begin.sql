-- Whatever is the default here: after a wait for a lock, the next statement sees what the other did meanwhile.
begin isolation level read committed;
-- Set for each transaction, since a pooler may give each another session.
set local lock_timeout = '10s';
set local statement_timeout = '60s';
-- A queue is empty one moment and has a million runs the next. A plan made while it was empty is kept, and must be
-- right then too: along the indexes, in their order, never through the whole table.
set local enable_seqscan = off;
set local enable_bitmapscan = off;
set local plan_cache_mode = force_generic_plan;
-- What those two make of the cost of a plan would have it compiled, which takes longer than any of them runs.
set local jit = off
