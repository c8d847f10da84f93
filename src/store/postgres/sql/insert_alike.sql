-- By a function, as insert_ready.sql.
select runlane.insert_alike($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
