-- A number for each organization, in place of one for all: a change of one organization's keys, workspaces or channels leaves
-- what is kept of the others, and waits for no other organization's commit. Counted by triggers, as directory_revision was.

create table access_revisions (
  -- An organization or a person; '' for what belongs to neither. One that never changed has no row.
  scope_id text primary key,
  revision bigint not null
);
insert into access_revisions (scope_id, revision) values ('', 0);

create trigger access_revisions_only_grow before update on access_revisions
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger access_revisions_stay before delete on access_revisions
  for each row execute function refuse_revision_going_back();

-- Once in a transaction, however many rows it changes.
create function count_access_change_of(scope text) returns void language sql as $$
  insert into access_revisions as r (scope_id, revision) values (scope, 1)
  on conflict (scope_id) do update set revision = r.revision + 1 where r.xmin <> pg_current_xact_id()::xid
$$;

-- Its argument names the column that holds the scope.
create function count_access_change() returns trigger language plpgsql as $$
declare
  before text := to_jsonb(old) ->> tg_argv[0];
  after  text := to_jsonb(new) ->> tg_argv[0];
begin
  perform count_access_change_of(coalesce(after, before));
  if before <> after then
    perform count_access_change_of(before);
  end if;
  return null;
end $$;

-- Of what belongs to neither.
create or replace function count_directory_change() returns trigger language plpgsql as $$
begin
  perform count_access_change_of('');
  return null;
end $$;

drop trigger organizations_count_directory_change on organizations;
create constraint trigger organizations_count_access_change
  after insert or update or delete on organizations
  deferrable initially deferred for each row execute function count_access_change('organization_id');
drop trigger api_keys_count_directory_change on api_keys;
create constraint trigger api_keys_count_access_change
  after insert or update or delete on api_keys
  deferrable initially deferred for each row execute function count_access_change('organization_id');
drop trigger workspaces_count_directory_change on workspaces;
create constraint trigger workspaces_count_access_change
  after insert or update or delete on workspaces
  deferrable initially deferred for each row execute function count_access_change('organization_id');
drop trigger channels_count_directory_change on channels;
create constraint trigger channels_count_access_change
  after insert or update of organization_id, channel_id, type, name, deleted_at or delete on channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');
drop trigger workspace_channels_count_directory_change on workspace_channels;
create constraint trigger workspace_channels_count_access_change
  after insert or update or delete on workspace_channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');

-- A program that still reads it must not take what it keeps for current.
drop table directory_revision;
