-- Who may call and what there is to ask for (organizations, keys, workspaces, channels and their connections) is asked at
-- every request and hardly ever changes, so a process keeps it in memory while this number stands still. It is counted by
-- triggers, so that no writer can forget it, and at the end of the transaction, so that its row is held but briefly.
create table directory_revision (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into directory_revision (revision) values (0);

create function count_directory_change() returns trigger language plpgsql as $$
begin
  -- Once in a transaction, however many rows it changes.
  update directory_revision set revision = revision + 1 where xmin <> pg_current_xact_id()::xid;
  return null;
end $$;

create constraint trigger organizations_count_directory_change
  after insert or update or delete on organizations
  deferrable initially deferred for each row execute function count_directory_change();
create constraint trigger api_keys_count_directory_change
  after insert or update or delete on api_keys
  deferrable initially deferred for each row execute function count_directory_change();
create constraint trigger workspaces_count_directory_change
  after insert or update or delete on workspaces
  deferrable initially deferred for each row execute function count_directory_change();
-- How a channel stands with its platform is not among what is kept.
create constraint trigger channels_count_directory_change
  after insert or update of organization_id, channel_id, type, name or delete on channels
  deferrable initially deferred for each row execute function count_directory_change();
create constraint trigger workspace_channels_count_directory_change
  after insert or update or delete on workspace_channels
  deferrable initially deferred for each row execute function count_directory_change();
