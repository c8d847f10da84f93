insert into runlane.events (run, seq, at, attempt, kind, data)
select $1, last.seq + new.place, $2, $3, new.kind, new.data
from unnest($4::text[], $5::json[]) with ordinality as new (kind, data, place),
    (select coalesce(max(seq), 0) as seq from runlane.events where run = $1) as last
returning seq
