select available_at from runs where blocked_by = 'available_at' order by available_at limit 1
