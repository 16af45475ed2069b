-- Superpowers act where they are switched on: on no channel yet.
alter table channels
  add column automation text not null default 'off' check (automation in ('off', 'shadow', 'on')),
  -- When it was last switched on, or to a dry run: comments from before are left alone.
  add column automation_since timestamptz,
  -- Stands at the start of every automated message.
  add column automated_notice text,
  add column private_replies_per_hour integer not null default 200 check (private_replies_per_hour between 1 and 750),
  -- Why the platform stopped the channel, until somebody switches it on again.
  add column automation_problem text,
  add column automation_problem_at timestamptz;

-- The switch above those of the channels: it can only take away.
alter table organizations
  add column automation text not null default 'on' check (automation in ('off', 'shadow', 'on')),
  add column automation_since timestamptz;

-- A superpower that somebody stopped stays stopped.
create table automation_stops (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  reason            text not null,
  stopped_at        timestamptz not null,
  actor_type        text not null,
  actor_id          text,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id, channel_id) references scheduled_post_channels on delete cascade
);

-- People who asked for no automated messages on a channel, by the platform's id of them there.
create table opt_outs (
  organization_id text not null,
  channel_id      text not null,
  person_id       text collate "C" not null,
  at              timestamptz not null,
  source          text not null check (source in ('comment', 'message', 'hand')),
  primary key (organization_id, channel_id, person_id),
  foreign key (organization_id, channel_id) references channels
);
