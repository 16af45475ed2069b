-- Approval is of a version: what was approved is what goes out.

alter table scheduled_posts
  -- The version that the approver saw; kept with the post as long as it is on its way out or has ended.
  add column approved_version    integer,
  add column approved_at         timestamptz,
  add column approved_actor_type text check (approved_actor_type in ('key', 'operator')),
  add column approved_actor_id   text;
update scheduled_posts
   set approved_version = version, approved_at = updated_at, approved_actor_type = 'operator'
 where status in ('SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED');
alter table scheduled_posts
  add check ((approved_version is not null) = (status in ('SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED'))),
  add check ((approved_version is null) = (approved_at is null)),
  add check ((approved_version is null) = (approved_actor_type is null)),
  add check (approved_version <= version);

-- The content of an approved post stands until its approval is gone. Held here, for every writer: a change of content must
-- take the post out of SCHEDULED first, and a post comes into SCHEDULED with its approval.
create function keep_approved_content() returns trigger language plpgsql as $$
begin
  if new.approved_version is not null and old.approved_version = new.approved_version
     and (new.media is distinct from old.media or new.media_type is distinct from old.media_type) then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger scheduled_posts_keep_approved_content
  before update of media, media_type on scheduled_posts
  for each row execute function keep_approved_content();

create function keep_approved_channels() returns trigger language plpgsql as $$
declare
  approved integer;
begin
  select approved_version into approved from scheduled_posts p
   where p.organization_id = coalesce(new.organization_id, old.organization_id)
     and p.scheduled_post_id = coalesce(new.scheduled_post_id, old.scheduled_post_id);
  -- A post that is deleted takes its channels with it.
  if approved is not null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger scheduled_post_channels_keep_approved
  after insert or delete on scheduled_post_channels
  for each row execute function keep_approved_channels();
-- What is written again unchanged is no change.
create trigger scheduled_post_channels_keep_approved_content
  after update of channel_id, caption, superpower on scheduled_post_channels
  for each row when (new.channel_id <> old.channel_id or new.caption is distinct from old.caption
                     or new.superpower::text is distinct from old.superpower::text)
  execute function keep_approved_channels();
