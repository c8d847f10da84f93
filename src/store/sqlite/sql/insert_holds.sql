-- ?1 run, ?2 workspace, ?3 lane
insert into lane_holds (run, workspace, lane) values (?1, ?2, ?3)
on conflict (run) do update set workspace = excluded.workspace, lane = excluded.lane
