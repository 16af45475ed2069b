-- Rules of publishing that races cannot break, and a claim that walks its index.

alter table publications
  -- attempted_at by the platform's clock, from which on a publication is searched for when the answer to its call is lost;
  -- null where no answer of the platform had told its clock.
  add column platform_attempted_at timestamptz,
  -- Digest of the text by which it is searched for then. Set with attempted_at.
  add column text_digest text;

-- Two posts may have adopted one published item. It stays with the one that was attempted first. The others keep their
-- state, because their history tells it; one that is still pending is searched for again.
with ranked as (
  select organization_id, scheduled_post_id, channel_id, external_id,
         row_number() over (partition by organization_id, channel_id, external_id
                            order by coalesce(attempted_at, updated_at), scheduled_post_id) as place
    from publications
   where external_id is not null)
update publications p
   set external_id = null, permalink = null,
       error = concat_ws(' ', p.error, 'It may not have been published: ' || ranked.external_id ||
               ' is another post''s. Look at the channel.')
  from ranked
 where ranked.place > 1
   and p.organization_id = ranked.organization_id and p.scheduled_post_id = ranked.scheduled_post_id
   and p.channel_id = ranked.channel_id;

drop index publications_by_external_id;
-- What is published on a channel is one post's.
create unique index publications_external_id on publications (organization_id, channel_id, external_id)
  where external_id is not null;
-- Of the posts with one text on a channel one at a time is between its call and that call's outcome: what a search finds
-- by this text was published by no other.
create unique index publications_open_call on publications (organization_id, channel_id, text_digest)
  where state = 'PENDING' and attempted_at is not null and external_id is null;
-- Calls whose outcome was never found out.
create index publications_without_id on publications (organization_id, channel_id, text_digest)
  where attempted_at is not null and external_id is null;

-- The order of the claim, so that it reads no more posts than it takes.
drop index scheduled_posts_due;
create index scheduled_posts_due on scheduled_posts (status, scheduled_for, organization_id, scheduled_post_id)
  where status in ('SCHEDULED', 'PUBLISHING');
