insert into runlane.lane_holds (run, workspace, lane)
select * from unnest($1::uuid[], $2::text[], $3::text[])
on conflict (run) do update set workspace = excluded.workspace, lane = excluded.lane
