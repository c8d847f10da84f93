-- Schedules are known by their names: one of each in a workspace. Of those that share a name, the oldest keeps it; each of
-- the others gets the end of its id behind it. Names have at most 200 bytes, so a long one is cut first. Only the name is
-- replaced in the text of the spec, where it stands first: payloads keep every digit and the order of their keys.
with named as (
    select id, spec ->> 'name' as name,
        row_number() over (partition by workspace, spec ->> 'name' order by created_at, id) as place
    from runlane.schedules
), renamed as (
    select id,
        case when octet_length(name) > 191 then left(name, 47) else name end || '-' || right(id::text, 8) as name
    from named
    where place > 1
)
update runlane.schedules
set spec = ('{"name":' || to_json(renamed.name)::text
    || substr(spec::text, 1 + length(substring(spec::text from '^\{"name":"(?:[^"\\]|\\.)*"'))))::json
from renamed
where renamed.id = schedules.id;

create unique index schedules_name on runlane.schedules (workspace, ((spec ->> 'name') collate "C"));
