insert into runlane.workspaces (name) values ($1) on conflict do nothing
