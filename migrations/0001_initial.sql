-- The tables of the first version.
--
-- organization_id leads the primary key of every tenant table and stands in every query, so that no query can cross
-- tenants and the schema can be sharded by tenant. organizations and api_keys are the directory in which a tenant is
-- found from a key, before there is a tenant.

create table organizations (
  organization_id text primary key,
  name            text not null,
  active          boolean not null default true,
  created_at      timestamptz not null
);

create table api_keys (
  key_id          text primary key,
  organization_id text not null references organizations,
  secret_sealed   text not null,
  created_at      timestamptz not null,
  revoked_at      timestamptz
);
create index api_keys_by_organization on api_keys (organization_id, created_at, key_id);

create table workspaces (
  organization_id text not null references organizations,
  workspace_id    text not null,
  name            text not null,
  type            text not null check (type in ('VIP', 'STANDARD')),
  primary key (organization_id, workspace_id)
);

create table channels (
  organization_id text not null references organizations,
  channel_id      text not null,
  type            text not null check (type in ('FB_PAGE', 'INSTAGRAM_ACCOUNT')),
  name            text not null,
  primary key (organization_id, channel_id)
);

create table workspace_channels (
  organization_id text not null,
  workspace_id    text not null,
  channel_id      text not null,
  primary key (organization_id, workspace_id, channel_id),
  foreign key (organization_id, workspace_id) references workspaces,
  foreign key (organization_id, channel_id) references channels
);

create table ad_accounts (
  organization_id     text not null references organizations,
  ad_account_id       text not null,
  name                text not null,
  currency            text not null,
  timezone            text not null,
  -- Null while the account is not connected to the platform.
  access_token_sealed text,
  primary key (organization_id, ad_account_id)
);

-- One row per person who talks on a channel. Instants are milliseconds since the epoch, as on the wire.
-- Ids compare by their bytes (collate "C"), so that the list order is the same on every server.
create table conversations (
  organization_id           text not null,
  channel_id                text not null,
  conversation_id           text collate "C" not null,
  cuid                      text not null,
  user_name                 text,
  first_name                text,
  last_name                 text,
  profile_pic               text,
  -- YYYY-MM-DD, or --MM-DD where the year is unknown: the month stands at the same place from the right.
  birthday                  text,
  birthday_month            smallint generated always as (substr(right(birthday, 5), 1, 2)::smallint) stored,
  last_purchase_at_ms       bigint,
  last_user_message_at_ms   bigint,
  last_app_open_at_ms       bigint,
  lifetime_value            double precision not null default 0,
  primary key (organization_id, channel_id, conversation_id),
  foreign key (organization_id, channel_id) references channels
);
-- The list order of GET /vip-users. A page walks this index and stops.
create index conversations_in_list_order
  on conversations (organization_id, channel_id, lifetime_value desc, conversation_id);

-- Who is a VIP is said per workspace: two workspaces may share a channel and differ in whom they favour.
create table vip_marks (
  organization_id text not null,
  channel_id      text not null,
  workspace_id    text not null,
  conversation_id text collate "C" not null,
  primary key (organization_id, channel_id, workspace_id, conversation_id),
  foreign key (organization_id, workspace_id, channel_id) references workspace_channels on delete cascade,
  foreign key (organization_id, channel_id, conversation_id) references conversations on delete cascade
);

create table scheduled_posts (
  organization_id   text not null references organizations,
  scheduled_post_id text not null,
  status            text not null check (status in
    ('DRAFT', 'WAITING_FOR_APPROVAL', 'REJECTED', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED')),
  media             text,
  media_type        text,
  scheduled_for     timestamptz,
  -- The publishing task; there is one exactly while the post is SCHEDULED or PUBLISHING.
  task_id           text check ((task_id is not null) = (status in ('SCHEDULED', 'PUBLISHING'))),
  notes             text,
  -- Counts the changes: the ETag of the post.
  version           integer not null default 1,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (organization_id, scheduled_post_id)
);

create table scheduled_post_channels (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  caption           text,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  superpower        json,
  failed_to_publish boolean not null default false,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade,
  foreign key (organization_id, channel_id) references channels
);

-- A hashtag in use on a channel (interface 7.5). The primary key is the rule: of two posts that claim one hashtag at
-- once exactly one gets the row. A claim whose superpower has expired may be taken over; a post that is published,
-- failed or deleted holds none.
create table hashtag_claims (
  organization_id   text not null,
  channel_id        text not null,
  lookup_hashtag    text not null,
  scheduled_post_id text not null,
  -- Milliseconds since the epoch, as on the wire: any integer. Null: never expires.
  expires_at_ms     bigint,
  primary key (organization_id, channel_id, lookup_hashtag),
  foreign key (organization_id, scheduled_post_id, channel_id)
    references scheduled_post_channels (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index hashtag_claims_by_post on hashtag_claims (organization_id, scheduled_post_id);
