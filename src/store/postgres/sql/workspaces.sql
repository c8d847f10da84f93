select name from runlane.workspaces order by name
