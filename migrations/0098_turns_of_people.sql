-- The effects of a lane are made in turn: first by post, then by person, so that nobody who comments six hundred times stands in
-- front of everybody else (docs/automation.md).
--
-- compatible with the program before: its effects name neither a queue nor a person, and are one queue beside the others. It takes
-- the effects of a lane in the order of their times, as it always did.

alter table automation_effects
  -- Within a lane the queues take turns: each post has its own, and the messages to the winners of raffles and to the others have
  -- one each. Empty: planned by a program of before, or for a post of before.
  add column queue     text collate "C" not null default '',
  -- Within a queue people take turns. Empty where nothing is said about them, and for a person who was forgotten.
  add column person_id text collate "C" not null default '',
  -- The superpower does not say when a person may be answered again: this is the one private reply to the person on the post.
  add column once      boolean not null default false;

create index automation_effects_in_turn
  on automation_effects (organization_id, channel_id, effect, queue, person_id, next_attempt_at)
  where state = 'planned' and next_attempt_at is not null;

-- One private reply to a person and post, whoever writes it. One that certainly was not sent leaves the place free.
create unique index automation_effects_once
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where once and effect = 'private_reply' and person_id <> '' and state in ('planned', 'attempting', 'done', 'unknown');

-- Who had a private reply, or would have had in a dry run.
create index automation_effects_of_person
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where effect = 'private_reply' and person_id <> ''
    and (state in ('planned', 'attempting', 'done', 'unknown') or reason = 'dry_run');

-- One row for each person of whom something waits in a queue: the holder of the lane takes the one whose turn comes first, and the
-- cost of that is the same however much one of them has planned.
create table automation_turns (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  queue           text collate "C" not null,
  person_id       text collate "C" not null,
  -- Not later than the next effect of the person, and not before the person was last served.
  turn_at         timestamptz not null,
  served_at       timestamptz,
  -- Counts what was planned, so that a holder which finds nothing notices what it has not seen.
  wakes           bigint not null default 0,
  primary key (organization_id, channel_id, effect, queue, person_id),
  foreign key (organization_id, channel_id, effect) references automation_lanes on delete cascade
);
create index automation_turns_in_order
  on automation_turns (organization_id, channel_id, effect, queue, turn_at, served_at nulls first, person_id);
create index automation_turns_by_person on automation_turns (organization_id, channel_id, person_id);

-- The queue that had the last turn.
alter table automation_lanes add column after_queue text collate "C" not null default '';

-- People who had a private reply on a post whose comments are still read have had it from now on too. What waits keeps its order.
update automation_effects e set person_id = m.person_id
  from automation_comments m, automation_posts p
 where e.effect = 'private_reply' and e.state in ('attempting', 'done', 'unknown')
   and m.organization_id = e.organization_id and m.channel_id = e.channel_id and m.comment_id = e.comment_id
   and m.person_id is not null
   and p.organization_id = e.organization_id and p.scheduled_post_id = e.scheduled_post_id and p.channel_id = e.channel_id
   and p.next_attempt_at is not null;
