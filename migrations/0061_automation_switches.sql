-- Superpowers act where they are switched on: on no channel yet.
--
-- compatible with the program before: it frees a hashtag when its post is out, and knows nothing of the new columns.

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

-- A hashtag is held as long as its superpower lives: from now on also when its post is out. Where two posts have one, the
-- later one keeps it.
insert into hashtag_claims (organization_id, scheduled_post_id, channel_id, lookup_hashtag, expires_at_ms)
select organization_id, scheduled_post_id, channel_id, lookup_hashtag, expires_at_ms
  from (select c.organization_id, c.scheduled_post_id, c.channel_id, c.superpower ->> 'lookupHashtag' as lookup_hashtag,
               p.updated_at, case when e.given is null or e.given = 0 then null
                                  when abs(e.given) < 100000000000 then e.given * 1000 else e.given end as expires_at_ms
          from scheduled_post_channels c
          join scheduled_posts p using (organization_id, scheduled_post_id)
         cross join lateral (select (c.superpower ->> 'expirationDate')::bigint as given) e
         where p.status = 'PUBLISHED' and c.superpower ->> 'lookupHashtag' is not null) living
 where expires_at_ms is null or expires_at_ms > extract(epoch from now()) * 1000
 order by updated_at desc, scheduled_post_id
    on conflict do nothing;
