select name from workspaces order by name
