-- A link to one post becomes a link to posts that has one: every link has its posts in review_link_posts.

insert into review_link_posts (organization_id, link_id, number, scheduled_post_id, ended)
select organization_id, link_id, 1, scheduled_post_id, coalesce(ended_why in ('approved', 'returned', 'over'), false)
  from review_links
 where scheduled_post_id is not null;

-- The index on the column goes with it.
alter table review_links drop column scheduled_post_id;

-- A place in a link is for one round of approval. A link that has no other post ends with it, also by the decision of its
-- holder, which is in the place before the post changes.
create or replace function end_review_links() returns trigger language plpgsql as $$
begin
  update review_links l
     set ended_why = case i.decision when 'approved' then 'approved' when 'rejected' then 'returned' else 'over' end,
         expires_at = least(l.expires_at, new.updated_at)
    from review_link_posts i
   where i.organization_id = old.organization_id and i.scheduled_post_id = old.scheduled_post_id
     and l.organization_id = i.organization_id and l.link_id = i.link_id
     and l.ended_why is null and l.expires_at > new.updated_at
     and not exists (select from review_link_posts other
                      where other.organization_id = i.organization_id and other.link_id = i.link_id
                        and other.number <> i.number);
  update review_link_posts set ended = true
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and decision is null and not ended;
  return null;
end $$;
