-- ?1 workspace, ?2 lane. There is one writer, so nothing needs a row only to lock it.
select policy from lanes where workspace = ?1 and name = ?2
