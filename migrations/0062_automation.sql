-- Comments on published posts, the decisions about them, and the effects of these (docs/automation.md).
--
-- compatible with the program before: a trigger watches the posts that it publishes, and its comments wait as all do.

-- A post that is out on a channel with a superpower. The columns of a claim are those of reading its comments.
create table automation_posts (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- What the platform called the post when it was published.
  external_id       text not null,
  -- What comments call it, where that is another id: a video of a page.
  commented_id      text,
  published_at      timestamptz not null,
  polled_at         timestamptz,
  -- Why the last reading failed.
  poll_problem      text,
  -- When the newest comment that was seen was written.
  newest_comment_at timestamptz,
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  leased_by         text,
  leased_until      timestamptz,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id, channel_id) references scheduled_post_channels on delete cascade
);
create index automation_posts_by_external_id on automation_posts (organization_id, channel_id, external_id);
create index automation_posts_by_commented_id on automation_posts (organization_id, channel_id, commented_id)
  where commented_id is not null;
-- The newest of a channel, for its list.
create index automation_posts_by_newest_comment on automation_posts (organization_id, channel_id, newest_comment_at);
create index automation_posts_by_polled on automation_posts (organization_id, channel_id, polled_at);
create index automation_posts_due on automation_posts (next_attempt_at) where next_attempt_at is not null;

-- A comment waits until it is decided. One on no such post waits no longer, and again when its post is found to be one.
alter table incoming_comments add column waiting boolean not null default true;
create index incoming_comments_waiting on incoming_comments (organization_id, channel_id, object_id) where waiting;
create index incoming_comments_by_object on incoming_comments (organization_id, channel_id, object_id);

-- The ledger: one row for each comment that was seen, with the reason of its decision.
create table automation_comments (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  scheduled_post_id text not null,
  parent_id         text,
  -- Null for a person who was forgotten, like the name and the text.
  person_id         text,
  from_name         text,
  text              text,
  commented_at      timestamptz not null,
  decided_at        timestamptz not null,
  -- The place of the condition group that matched, from 0: ids of groups change.
  group_place       integer,
  reason            text not null,
  primary key (organization_id, channel_id, comment_id),
  foreign key (organization_id, scheduled_post_id, channel_id) references automation_posts on delete cascade
);
create index automation_comments_of_post
  on automation_comments (organization_id, scheduled_post_id, commented_at desc, channel_id, comment_id);
create index automation_comments_by_person on automation_comments (organization_id, channel_id, person_id)
  where person_id is not null;
-- What people of the page have answered.
create index automation_comments_of_our_own on automation_comments (organization_id, channel_id, parent_id)
  where reason = 'own_comment';

-- One row for each effect of a comment: at most one of a kind, however often the comment is delivered.
create table automation_effects (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  effect            text not null check (effect in ('private_reply', 'public_reply', 'like')),
  scheduled_post_id text not null,
  group_place       integer not null,
  state             text not null
                    check (state in ('planned', 'attempting', 'done', 'refused', 'unknown', 'skipped')),
  reason            text,
  -- The platform's own words.
  problem           text,
  -- What is sent: {text, media, links}. Null for a like, and for a person who was forgotten.
  reply             json,
  due_at            timestamptz not null,
  -- Null: nothing is to be done, or the private reply is awaited.
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  -- Stored before the call is made.
  attempted_at      timestamptz,
  ended_at          timestamptz,
  external_id       text,
  -- The conversation that a private reply began: its id may be another one than that of the commenter.
  recipient_id      text,
  primary key (organization_id, channel_id, comment_id, effect),
  foreign key (organization_id, channel_id, comment_id) references automation_comments on delete cascade
);
create index automation_effects_waiting on automation_effects (organization_id, channel_id, effect, next_attempt_at)
  where state = 'planned' and next_attempt_at is not null;
create index automation_effects_open on automation_effects (organization_id, channel_id, effect)
  where state = 'attempting';
create index automation_effects_of_post on automation_effects (organization_id, scheduled_post_id, channel_id);
create index automation_effects_by_external_id on automation_effects (organization_id, channel_id, external_id)
  where external_id is not null;
create index automation_effects_by_recipient on automation_effects (organization_id, channel_id, recipient_id)
  where recipient_id is not null;
create index automation_effects_unknown on automation_effects (ended_at) where state = 'unknown';

-- The effects of one kind on one channel are made one after the other. The columns of a claim are those of the lane.
create table automation_lanes (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  -- Moved by each call, so that their number in a time is bounded; in the past it allows some at once.
  open_at         timestamptz,
  -- The last time that nothing stood in the way of a call.
  served_at       timestamptz,
  -- Counts what was planned, so that a holder that ends notices what it has not seen.
  wakes           bigint not null default 0,
  next_attempt_at timestamptz,
  attempts        integer not null default 0,
  leased_by       text,
  leased_until    timestamptz,
  primary key (organization_id, channel_id, effect),
  foreign key (organization_id, channel_id) references channels
);
create index automation_lanes_due on automation_lanes (next_attempt_at) where next_attempt_at is not null;

-- The people who were answered, for the limits of a group (place) and of the superpower as a whole (place -1).
create table automation_people (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  place             integer not null,
  person_id         text not null,
  -- In a dry run: it counts in dry runs alone, so that nobody is left out for an answer that was not sent.
  is_dry            boolean not null default false,
  last_at           timestamptz not null,
  primary key (organization_id, scheduled_post_id, channel_id, place, person_id, is_dry),
  foreign key (organization_id, scheduled_post_id, channel_id) references automation_posts on delete cascade
);
create index automation_people_by_person on automation_people (organization_id, channel_id, person_id);

-- Whoever writes that a post is out, the post is watched from then on, and its comments that have come already wait.
create function watch_published_post() returns trigger language plpgsql as $$
begin
  insert into automation_posts
         (organization_id, scheduled_post_id, channel_id, external_id, published_at, next_attempt_at)
  select new.organization_id, new.scheduled_post_id, new.channel_id, new.external_id,
         coalesce(new.attempted_at, now()), coalesce(new.attempted_at, now())
    from scheduled_post_channels
   where organization_id = new.organization_id and scheduled_post_id = new.scheduled_post_id
     and channel_id = new.channel_id and superpower is not null
      on conflict do nothing;
  if found then
    update incoming_comments set waiting = true
     where organization_id = new.organization_id and channel_id = new.channel_id and object_id = new.external_id
       and not waiting;
  end if;
  return null;
end $$;
create trigger watch_published_post after update of state on publications
  for each row when (new.state = 'PUBLISHED' and new.external_id is not null and old.state <> 'PUBLISHED')
  execute function watch_published_post();

insert into automation_posts (organization_id, scheduled_post_id, channel_id, external_id, published_at, next_attempt_at)
select organization_id, scheduled_post_id, channel_id, external_id, attempted_at, now()
  from publications join scheduled_post_channels using (organization_id, scheduled_post_id, channel_id)
 where state = 'PUBLISHED' and external_id is not null and superpower is not null
   and attempted_at > now() - interval '7 days';
