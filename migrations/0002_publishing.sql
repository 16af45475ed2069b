-- The whole life of a scheduled post: who changed it, what saved superpowers there are, and how it is published.

-- The page token of a channel, sealed; null while it is not connected to its platform. token_problem is the platform's own
-- reason why the token no longer works, until a new one is given.
alter table channels
  add column access_token_sealed text,
  add column token_problem       text;

-- Saved superpowers, which a post may name by creativeTemplateId.
create table superpowers (
  organization_id      text not null references organizations,
  creative_template_id text not null,
  name                 text not null,
  superpower           json not null,
  active               boolean not null default true,
  created_at           timestamptz not null,
  primary key (organization_id, creative_template_id)
);

-- The publisher's hold on a post. The schedule is the post itself: there is no second queue to fall out of step.
-- A post is due when it is SCHEDULED at or after scheduled_for, or PUBLISHING with its lease run out. Who holds the lease
-- has an id of its own for each claim (leased_by), and every write of the publisher names it: a holder that lost the lease
-- changes nothing.
alter table scheduled_posts
  add column leased_by       text,
  add column leased_until    timestamptz,
  -- Not before this: a back-off, a rate limit, a container that is not ready.
  add column next_attempt_at timestamptz,
  add column published_at    timestamptz;
create index scheduled_posts_due on scheduled_posts (status, scheduled_for)
  where status in ('SCHEDULED', 'PUBLISHING');
-- Ids compare by their bytes, so that the list order is the same on every server.
create index scheduled_posts_in_list_order
  on scheduled_posts (organization_id, scheduled_for nulls last, scheduled_post_id collate "C");

-- How far a post has come on one of its channels. Each step's result is stored before the next call is made, so that
-- whoever takes over knows which calls may have gone through.
create table publications (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  state             text not null check (state in ('PENDING', 'PUBLISHED', 'FAILED')),
  -- What was made before publishing and may be made again: an Instagram container, an unpublished photo.
  container_id      text,
  -- Set before the one call that publishes. Set without external_id, that call may have gone through: it is never
  -- repeated, only looked for.
  attempted_at      timestamptz,
  external_id       text,
  permalink         text,
  -- How often it was put off; once attempted_at is set, how often it was looked for in vain.
  attempts          integer not null default 0,
  -- Not before this. The post's own next_attempt_at is the soonest of its channels'.
  next_attempt_at   timestamptz,
  -- The true reason of a failure or of the wait, in the platform's own words where it gave any.
  error             text,
  updated_at        timestamptz not null,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade
);
-- What is found on a channel is not taken for ours when it is known to be another post's.
create index publications_by_external_id on publications (organization_id, channel_id, external_id)
  where external_id is not null;

-- Every change of a post, by whom and from what to what. It outlives the post.
create table scheduled_post_history (
  organization_id   text not null,
  scheduled_post_id text not null,
  -- The post's version after the change.
  version           integer not null,
  at                timestamptz not null,
  -- key:<id>, operator, or publisher.
  actor             text not null,
  -- created, updated, submitted, approved, rejected, reverted, retried, claimed, published, failed, deleted
  action            text not null,
  from_status       text,
  to_status         text,
  -- What else there is to say: the fields that changed, the reason.
  detail            json,
  primary key (organization_id, scheduled_post_id, version)
);
create function refuse_history_change() returns trigger language plpgsql as $$
begin
  raise exception 'the history of scheduled posts is append-only';
end $$;
create trigger scheduled_post_history_is_append_only
  before update or delete on scheduled_post_history
  for each row execute function refuse_history_change();

-- The first answer to a creation with an Idempotency-Key, for 24 hours.
create table idempotency_keys (
  organization_id text not null references organizations,
  idempotency_key text not null,
  -- SHA-256 of the body.
  body_hash       text not null,
  -- Null only until the end of the transaction that makes the post. json, not jsonb: it goes out as it went out first.
  answer          json,
  created_at      timestamptz not null,
  primary key (organization_id, idempotency_key)
);
create index idempotency_keys_by_age on idempotency_keys (organization_id, created_at);
