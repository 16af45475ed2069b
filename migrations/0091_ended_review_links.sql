-- Review links that have ended stay for a while, so that people see why; a post that the holder returned is theirs again
-- when it waits again; the open threads of a post are counted by an index.
-- compatible with the program before: to it a link that has ended has expired, and it deletes those; a place that opens
-- again is open to it

alter table review_links
  -- Null while the link works, and where its time was over. A link that ends takes its end as `expires_at`.
  add column ended_why text check (ended_why in ('approved', 'returned', 'over', 'revoked', 'maker'));
create index review_links_by_end on review_links (organization_id, expires_at);

-- A link to one post is for one round of approval, and so is a place in a link to several. The decision of the holder has
-- ended their own link before.
create or replace function end_review_links() returns trigger language plpgsql as $$
begin
  update review_links set ended_why = 'over', expires_at = least(expires_at, new.updated_at)
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and ended_why is null and expires_at > new.updated_at;
  update review_link_posts set ended = true
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and decision is null and not ended;
  return null;
end $$;

-- True once the holder has returned the post and it waits again: they decide about the new version.
alter table review_link_posts add column returned boolean not null default false;

-- A return asks for another version: when the post waits again, a link to several that works shows it to who returned it.
create function reopen_returned_posts() returns trigger language plpgsql as $$
begin
  update review_link_posts i set decision = null, decided_version = null, returned = true
   where organization_id = new.organization_id and scheduled_post_id = new.scheduled_post_id and decision = 'rejected'
     and exists (select from review_links l
                  where l.organization_id = new.organization_id and l.link_id = i.link_id
                    and l.ended_why is null and l.expires_at > new.updated_at);
  return null;
end $$;
create trigger scheduled_posts_reopen_returned
  after update of status on scheduled_posts
  for each row when (new.status = 'WAITING_FOR_APPROVAL' and old.status <> new.status)
  execute function reopen_returned_posts();

create index discussion_messages_open on discussion_messages (organization_id, scheduled_post_id)
  where reply_to is null and resolved_at is null;
