-- Links by which one who has no account approves or returns one post.
-- compatible with the program before, which knows no such caller

create table review_links (
  organization_id   text not null references organizations,
  link_id           text not null,
  -- SHA-256 of the token.
  token_hash        text not null unique,
  scheduled_post_id text not null,
  -- Whom the link is for, as the history says it.
  name              text not null,
  made_by           text not null references people,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  primary key (organization_id, link_id),
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade
);
create index review_links_by_post on review_links (organization_id, scheduled_post_id);

-- A link is for one round of approval: whatever ends that ends the link for good.
create function end_review_links() returns trigger language plpgsql as $$
begin
  delete from review_links
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id;
  return null;
end $$;
create trigger scheduled_posts_end_review_links
  after update of status on scheduled_posts
  for each row when (old.status = 'WAITING_FOR_APPROVAL' and new.status <> old.status)
  execute function end_review_links();

-- Who holds a link approves and returns.
alter table audit_trail
  drop constraint audit_trail_actor_type_check,
  drop constraint audit_trail_actor_id_check,
  add constraint audit_trail_actor_type_check
    check (actor_type in ('key', 'user', 'operator', 'publisher', 'outsider')),
  add constraint audit_trail_actor_id_check check (
    case when actor_type in ('key', 'user', 'outsider') then actor_id is not null
         when actor_type = 'publisher' then actor_id is null
         else true end);
alter table scheduled_posts
  drop constraint scheduled_posts_approved_actor_type_check,
  add constraint scheduled_posts_approved_actor_type_check
    check (approved_actor_type in ('key', 'user', 'operator', 'outsider'));
