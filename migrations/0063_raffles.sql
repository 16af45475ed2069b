-- Raffles of published posts (docs/raffles.md).
--
-- compatible with the program before: it reads none of the new tables.

-- A message to someone who wrote within 24 hours, for raffles alone.
alter table automation_effects
  drop constraint automation_effects_effect_check,
  add constraint automation_effects_effect_check check (effect in ('private_reply', 'public_reply', 'like', 'message'));

-- The seed and the key of the entrants are derived: nothing is stored of them before the draw.
create table raffles (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  ends_at           timestamptz not null,
  winners_max       integer not null check (winners_max > 0),
  -- The draw: the entrants are frozen in the same transaction.
  drawn_at          timestamptz,
  seed              text,
  entrants          integer,
  entrants_sha256   text,
  -- The superpower was stopped before the end.
  cancelled_at      timestamptz,
  -- The last of the entrants without luck for whom a message was planned, in their order.
  told_to           text collate "C",
  -- Every message is planned.
  told_at           timestamptz,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id, channel_id) references automation_posts on delete cascade,
  check ((drawn_at is null) = (seed is null)),
  check ((drawn_at is null) = (entrants_sha256 is null)),
  check (drawn_at is null or cancelled_at is null)
);
create index raffles_due on raffles (ends_at) where drawn_at is null and cancelled_at is null;
create index raffles_to_tell on raffles (drawn_at) where drawn_at is not null and told_at is null;

-- One row for each person. Someone who is erased before the draw has none; after it the row stays and does not say who.
create table raffle_entrants (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- HMAC of the person's id under the key of the raffle, in hex.
  entrant           text collate "C" not null,
  person_id         text,
  comment_id        text collate "C",
  entered_at        timestamptz not null,
  -- The message for those without luck: its effect, or the reason for which there is none.
  told_comment_id   text collate "C",
  told_effect       text,
  untold_reason     text,
  primary key (organization_id, scheduled_post_id, channel_id, entrant),
  foreign key (organization_id, scheduled_post_id, channel_id) references raffles on delete cascade
);
create index raffle_entrants_by_person on raffle_entrants (organization_id, channel_id, person_id)
  where person_id is not null;

create table raffle_winners (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  rank              integer not null check (rank > 0),
  entrant           text collate "C" not null,
  drawn_at          timestamptz not null,
  -- A redraw: the rank that it replaces, and why.
  replaces          integer,
  reason            text,
  -- The message for winners, as that of entrants. Null: it is not planned yet.
  planned_at        timestamptz,
  told_comment_id   text collate "C",
  told_effect       text,
  untold_reason     text,
  primary key (organization_id, scheduled_post_id, channel_id, rank),
  unique (organization_id, scheduled_post_id, channel_id, entrant),
  unique (organization_id, scheduled_post_id, channel_id, replaces),
  foreign key (organization_id, scheduled_post_id, channel_id, entrant) references raffle_entrants on delete cascade,
  check ((replaces is null) = (reason is null))
);
