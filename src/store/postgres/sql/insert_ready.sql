-- By a function, which sets for itself what begin.sql sets for others: so it needs no transaction around it.
select runlane.insert_ready($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
-- then, in its place, where they differ in nothing but their ids and payloads
select runlane.insert_alike($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
