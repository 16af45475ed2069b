-- A post says whether it was made or edited with AI: Instagram labels it, so it is part of what is approved.
--
-- compatible with the program before: it leaves the value as it is, and publishes without it.

alter table scheduled_posts
  -- The writer declares that the content was made or edited with AI.
  add column ai_generated boolean not null default false;

-- The content of an approved post stands, until all of it is removed.
create or replace function keep_approved_content() returns trigger language plpgsql as $$
begin
  -- The program before does not know this part of what its retention removes.
  if new.content_removed_at is not null then new.ai_generated := false; end if;
  if new.approved_version is not null and old.approved_version = new.approved_version
     and (new.media is distinct from old.media or new.media_type is distinct from old.media_type
          or new.alt_text is distinct from old.alt_text or new.ai_generated <> old.ai_generated)
     -- Retention removes it.
     and new.content_removed_at is null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

drop trigger scheduled_posts_keep_approved_content on scheduled_posts;
create trigger scheduled_posts_keep_approved_content
  before update of media, media_type, alt_text, ai_generated on scheduled_posts
  for each row execute function keep_approved_content();

drop trigger scheduled_posts_keep_published_media on scheduled_posts;
create trigger scheduled_posts_keep_published_media
  before update of media, media_type, alt_text, ai_generated on scheduled_posts
  for each row when ((new.media is distinct from old.media
                     or coalesce(new.media_type, 'IMAGE') <> coalesce(old.media_type, 'IMAGE')
                     or new.alt_text is distinct from old.alt_text
                     or new.ai_generated <> old.ai_generated)
                    -- Retention removes it.
                    and new.content_removed_at is null)
  execute function keep_published_media();
