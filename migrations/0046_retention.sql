-- Retention removes old data. The database holds its rules: an audit entry must be in a file before it goes, and the content of a post
-- goes as a whole.
-- compatible with the program before: it removes nothing, and reads what is left as it reads a new database. A draft that it makes does
-- not hold its upload: set UNUSED_MEDIA_KEEP_DAYS when every node runs the new one.

-- A row says which part of an organization's trail is in a file. It outlives the organization, as the trail does.
create table audit_exports (
  organization_id text primary key,
  -- The last entry that was exported: the trail up to it may be removed.
  through         bigint not null,
  -- The last export was of entries from before this instant.
  before          timestamptz not null,
  -- The last file, in AUDIT_EXPORT_DIR.
  file            text not null
);

-- Nothing changes an entry. An entry goes only when a file has it.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from audit_exports e where e.organization_id = old.organization_id and e.through >= old.audit_id
  ) then
    return old;
  end if;
  raise exception 'the audit trail is append-only';
end $$;

-- An ended post can lose its content. The post itself stays, with the time at which that happened.
alter table scheduled_posts
  add column content_removed_at timestamptz,
  add constraint scheduled_posts_content_removed_check
    check (content_removed_at is null
           or (status in ('PUBLISHED', 'FAILED') and media is null and media_type is null and notes is null));

-- The content of an approved post stands, until all of it is removed.
create or replace function keep_approved_content() returns trigger language plpgsql as $$
begin
  if new.approved_version is not null and old.approved_version = new.approved_version
     and (new.media is distinct from old.media or new.media_type is distinct from old.media_type)
     and new.content_removed_at is null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace function keep_approved_channels() returns trigger language plpgsql as $$
declare
  approved  integer;
  removed   timestamptz;
begin
  select approved_version, content_removed_at into approved, removed from scheduled_posts p
   where p.organization_id = coalesce(new.organization_id, old.organization_id)
     and p.scheduled_post_id = coalesce(new.scheduled_post_id, old.scheduled_post_id);
  if tg_op = 'UPDATE' and removed is not null and new.channel_id = old.channel_id
     and new.caption is null and new.superpower is null then
    return null;
  end if;
  -- A post that is deleted takes its channels with it.
  if approved is not null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

-- A row names the file of a removed upload until that file is deleted: after a crash the deletion goes on.
create table media_removals (
  organization_id text not null,
  media_id        text not null,
  content_type    text not null,
  primary key (organization_id, media_id)
);

-- Each task of retention is taken, when it is due, by one of the nodes that share the database.
create table housekeeping (
  task     text primary key,
  next_at  timestamptz not null,
  -- ended_at is null until the task was first done to its end. removed counts its rows since the database was made.
  ended_at timestamptz,
  removed  bigint not null default 0
);
