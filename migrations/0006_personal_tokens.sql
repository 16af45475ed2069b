-- A person makes bearer tokens for programs that act for them, such as the command line, and signs a program in by a code
-- that the program shows. Of tokens and codes only the SHA-256 is kept.
--
-- compatible with the program before: it knows no such tokens, refuses them, and writes entries without one.

create table personal_tokens (
  token_hash    text primary key,
  -- Names it to its person and in the audit trail. The token does not follow from it.
  token_id      text not null unique,
  person_id     text not null references people on delete cascade,
  name          text not null,
  -- The most that it may do: in an organization it does what both these and the rights of its person there allow.
  scopes        text[] not null,
  -- The only organization in which it may be used; null for all of its person's. No reference: it opens nothing without it.
  bound_to      text,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  -- Whether the session that made it had passed one: organizations may require it.
  second_factor boolean not null,
  -- To the minute; null: never.
  last_used_at  timestamptz
);
create index personal_tokens_by_person on personal_tokens (person_id, created_at);

-- What is cached of a token ends with these, on every node. That it is made or used changes nothing cached.
create constraint trigger personal_tokens_count_access_change
  after delete or update of second_factor on personal_tokens
  deferrable initially deferred for each row execute function count_access_change('person_id');

-- A program that waits for a person to let it in (RFC 8628).
create table device_logins (
  device_code_hash text primary key,
  -- Of what the person types in.
  user_code_hash   text not null unique,
  -- What the program calls itself and asks for; null: it leaves the scopes to the person.
  name             text not null,
  scopes           text[],
  address          text not null,
  -- Its block of addresses: each has few at a time.
  network          text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- The program asks no sooner than this whether the person has answered.
  next_poll_at     timestamptz not null,
  interval_seconds integer not null,
  -- Null: the person has not answered.
  allowed          boolean,
  -- What the person has allowed; the token is made when the program fetches it.
  person_id        text references people on delete cascade,
  granted          jsonb,
  constraint device_logins_check check ((allowed is true) = (granted is not null) and (allowed is null) = (person_id is null))
);
create index device_logins_by_network on device_logins (network, created_at);
create index device_logins_by_end on device_logins (expires_at);
create index device_logins_by_person on device_logins (person_id) where person_id is not null;

alter table audit_trail
  -- The personal token with which the actor, a person, made the change; null where they made it themselves.
  add column actor_token text;
