-- A post that is out on a channel stays there as it went out: its media cannot change, nor can its caption and superpower on that channel.
-- compatible with the program before, which refuses such a change without a reason (500)

create function keep_published_media() returns trigger language plpgsql as $$
begin
  if exists (select from publications p
              where p.organization_id = new.organization_id and p.scheduled_post_id = new.scheduled_post_id
                and p.state = 'PUBLISHED') then
    raise exception 'what is out on a channel cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger scheduled_posts_keep_published_media
  before update of media, media_type on scheduled_posts
  for each row when ((new.media is distinct from old.media
                     or coalesce(new.media_type, 'IMAGE') <> coalesce(old.media_type, 'IMAGE'))
                    -- Retention removes it.
                    and new.content_removed_at is null)
  execute function keep_published_media();

create function keep_published_channel() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.channel_id = old.channel_id and new.caption is null and new.superpower is null
     and exists (select from scheduled_posts p
                  where p.organization_id = new.organization_id and p.scheduled_post_id = new.scheduled_post_id
                    and p.content_removed_at is not null) then
    return null;
  end if;
  -- A post that is deleted takes its channels with it.
  if exists (select from publications p join scheduled_posts using (organization_id, scheduled_post_id)
              where p.organization_id = old.organization_id and p.scheduled_post_id = old.scheduled_post_id
                and p.channel_id = old.channel_id and p.state = 'PUBLISHED') then
    raise exception 'what is out on a channel cannot change' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger scheduled_post_channels_keep_published
  after delete on scheduled_post_channels
  for each row execute function keep_published_channel();
create trigger scheduled_post_channels_keep_published_content
  after update of channel_id, caption, superpower on scheduled_post_channels
  for each row when (new.channel_id <> old.channel_id or new.caption is distinct from old.caption
                     or new.superpower::text is distinct from old.superpower::text)
  execute function keep_published_channel();
