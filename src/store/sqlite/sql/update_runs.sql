update runs set
  {runs.changes}
where id = {runs.id} and revision = {runs.revision} - 1
