-- A calendar program reads the posts of an organization at a secret address, for one person.
--
-- compatible with the program before: it knows nothing of the table, and the trigger ends what it leaves behind.

create table calendar_feeds (
  organization_id text not null references organizations on delete cascade,
  person_id       text not null references people,
  -- SHA-256 of the token.
  token_hash      text not null unique,
  created_at      timestamptz not null,
  primary key (organization_id, person_id)
);

-- A person who leaves and comes back makes a new address.
create function end_calendar_feed() returns trigger language plpgsql as $$
begin
  delete from calendar_feeds where organization_id = old.organization_id and person_id = old.person_id;
  return null;
end $$;
create trigger memberships_end_calendar_feed
  after delete on memberships
  for each row execute function end_calendar_feed();
