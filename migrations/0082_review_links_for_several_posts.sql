-- A review link can be to several posts, which its holder decides about one by one.
-- compatible with the program before: it makes links to one post alone, and finds no post for a link to several

alter table review_links
  -- Null for a link to several posts, which are in review_link_posts.
  alter column scheduled_post_id drop not null,
  -- To the minute; null while no one has opened it.
  add column opened_at timestamptz;

create table review_link_posts (
  organization_id   text not null,
  link_id           text not null,
  -- The holder knows the post by it, and by no other id.
  number            integer not null,
  scheduled_post_id text not null,
  -- The decision of the holder.
  decision          text check (decision in ('approved', 'rejected')),
  -- The version that the decision made.
  decided_version   integer,
  -- True once the post left the round of approval without a decision of the holder.
  ended             boolean not null default false,
  primary key (organization_id, link_id, number),
  foreign key (organization_id, link_id) references review_links on delete cascade,
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade,
  check ((decision is null) = (decided_version is null))
);
create index review_link_posts_by_post on review_link_posts (organization_id, scheduled_post_id);

-- Like a link to one post, a place in a link is for one round of approval.
create or replace function end_review_links() returns trigger language plpgsql as $$
begin
  delete from review_links
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id;
  update review_link_posts set ended = true
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and decision is null and not ended;
  return null;
end $$;
