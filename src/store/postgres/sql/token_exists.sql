select exists (select from runlane.tokens where id = $1)
