-- Deleting organizations, workspaces and channels, and erasing people.
--
-- compatible with the program before, as long as nothing is deleted or erased: it knows neither these marks nor the list of
-- erased people.

-- What is being deleted is gone for every caller from this moment; its rows follow in batches.
alter table organizations add column deleted_at timestamptz;
alter table workspaces add column deleted_at timestamptz;
-- The row of a deleted channel stays: posts that went out there name it.
alter table channels
  add column deleted_at timestamptz,
  -- Null while rows of a deleted channel are left. From then on the channel can be created again.
  add column emptied_at timestamptz,
  add check (emptied_at is null or deleted_at is not null);

-- The directory changes with the deletion of a channel too.
drop trigger channels_count_directory_change on channels;
create constraint trigger channels_count_directory_change
  after insert or update of organization_id, channel_id, type, name, deleted_at or delete on channels
  deferrable initially deferred for each row execute function count_directory_change();

-- For the deletions. None begins with organization_id: on a table without statistics such an index looks to the planner as good
-- as the primary key, and may be taken in its place.
create index conversations_by_person on conversations (cuid, organization_id);
create index vip_marks_by_conversation on vip_marks (conversation_id, channel_id, organization_id);
create index scheduled_post_channels_by_channel on scheduled_post_channels (channel_id, organization_id);

-- Whom an import leaves out. It holds no name and no id: only who has an id can tell whether it was erased here.
create table erased_people (
  organization_id text not null references organizations,
  -- SHA-256 of the organization's id and the person's cuid.
  person_hash     text not null,
  -- Names the erasure in the audit trail.
  erasure_id      text not null,
  erased_at       timestamptz not null,
  primary key (organization_id, person_hash)
);

-- A deleted organization takes its revisions with it: its id is never given again.
create function refuse_audience_deletion() returns trigger language plpgsql as $$
begin
  if exists (select from organizations where organization_id = old.organization_id and deleted_at is null) then
    raise exception 'a revision never goes back: caches would take old content for the present one';
  end if;
  return old;
end $$;
drop trigger audiences_stay on audiences;
create trigger audiences_stay before delete on audiences
  for each row execute function refuse_audience_deletion();
