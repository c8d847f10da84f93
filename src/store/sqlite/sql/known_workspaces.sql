-- ?1 name
select name from workspaces where name = ?1
