-- ?1 limit. A lane without a row has the default policy.
delete from lanes
where (workspace, name) in (select workspace, name from lanes where policy = 'continue' limit ?1)
