insert into runlane.waits (run, upstream) select * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing
