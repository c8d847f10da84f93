select name from runlane.workspaces where name = any($1)
