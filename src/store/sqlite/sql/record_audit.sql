-- ?1 now, ?2 workspace, ?3 actor, ?4 actor_name, ?5 action, ?6 subject, ?7 detail
insert into audit (at, workspace, actor, actor_name, action, subject, detail) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
