-- What the media at an address outside were when they were approved: the publisher fetches them again, and others go back to
-- approval.
--
-- compatible with the program before: it leaves the columns as they are, and publishes without comparing.

alter table scheduled_posts
  -- SHA-256 of the bytes, in hexadecimal. Null for media that are not fixed, and for an upload, whose name is random and
  -- whose bytes nobody replaces.
  add column media_sha256 text check (media_sha256 ~ '^[0-9a-f]{64}$'),
  -- Why they are not fixed: a code of the API. CHANGED of a post that came back because they were no longer those.
  add column media_problem text,
  -- When they were last fetched; null where they were not since the post last changed.
  add column media_checked_at timestamptz,
  add check (media_sha256 is null or media_problem is null);

-- Other media begin unfixed, and what an approval has fixed stays fixed as long as the approval does. Held here for every writer.
create function keep_fixed_media() returns trigger language plpgsql as $$
begin
  if new.media is distinct from old.media then
    new.media_sha256 := null;
    new.media_problem := null;
    new.media_checked_at := null;
  elsif new.approved_version is not null and old.approved_version = new.approved_version
        and new.media_sha256 is distinct from old.media_sha256 then
    raise exception 'the fixed media of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger scheduled_posts_keep_fixed_media
  before update of media, media_sha256, approved_version on scheduled_posts
  for each row when (new.media is distinct from old.media or new.media_sha256 is distinct from old.media_sha256)
  execute function keep_fixed_media();
