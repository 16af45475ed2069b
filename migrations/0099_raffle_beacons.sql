-- A raffle is drawn with a public random value that is fixed after its end (docs/raffles.md).
--
-- compatible with the program before: it approves without a beacon, and cannot draw a raffle that has one.

alter table scheduled_posts
  -- The chain of the public beacon that decides the raffles of the approved version: null: none.
  add column approved_beacon text;

alter table raffles
  -- Named at the approval. Null: the seed alone decides.
  add column beacon_chain     text,
  add column beacon_round     bigint check (beacon_round > 0),
  -- What the beacon published for the round, stored before the draw.
  add column beacon_signature text,
  add column beacon_fetched_at timestamptz,
  -- Why it could not be fetched the last time.
  add column beacon_problem   text,
  -- From then on nobody enters. Before the value of the beacon is known, unless the service was down at that time.
  add column frozen_at        timestamptz,
  -- Who commented before the end and did not enter, by reason: [{reason, people}].
  add column left_out         json,
  -- When the value is asked for next.
  add column next_attempt_at  timestamptz,
  add column attempts         integer not null default 0,
  drop constraint raffles_check1,
  add constraint raffles_entrants_are_frozen
      check ((entrants_sha256 is null) = (drawn_at is null and frozen_at is null)),
  add constraint raffles_beacon_is_whole check ((beacon_chain is null) = (beacon_round is null)),
  -- Whoever draws: never without the value of the beacon that was named.
  add constraint raffles_wait_for_their_beacon
      check (drawn_at is null or beacon_chain is null or beacon_signature is not null);
create index raffles_frozen on raffles (next_attempt_at) where frozen_at is not null and drawn_at is null;

-- Whoever writes it: nobody enters once the list is fixed.
create function keep_entrants_frozen() returns trigger language plpgsql as $$
begin
  if exists (select from raffles r
              where r.organization_id = new.organization_id and r.scheduled_post_id = new.scheduled_post_id
                and r.channel_id = new.channel_id and r.frozen_at is not null) then
    return null;
  end if;
  return new;
end $$;
create trigger raffle_entrants_are_frozen before insert on raffle_entrants
  for each row execute function keep_entrants_frozen();
