-- What retention may remove, and what the database asks for before it lets that go.
-- compatible with the program before: it removes nothing, and reads what is left as it reads a new database. A draft that it makes does
-- not hold its upload: set UNUSED_MEDIA_KEEP_DAYS when every node runs the new one.

-- Which part of an organization's trail is in a file. It outlives the organization, as the trail does.
create table audit_exports (
  organization_id text primary key,
  -- The last entry that was exported: the trail up to it may be removed.
  through         bigint not null,
  -- Entries of before this instant were exported.
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

-- Since when an ended post is there without what it said.
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

-- Files of uploads whose row is gone, until they are gone too: what a crash cuts is gone on with.
create table media_removals (
  organization_id text not null,
  media_id        text not null,
  content_type    text not null,
  primary key (organization_id, media_id)
);

-- The tasks of retention: of several nodes on one database one takes each when it is due.
create table housekeeping (
  task     text primary key,
  next_at  timestamptz not null,
  -- When it was last done to the end, and how many rows it has removed since the database was made.
  ended_at timestamptz,
  removed  bigint not null default 0
);
