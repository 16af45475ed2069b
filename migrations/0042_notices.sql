-- Where sessions are used from, notices to people, and reminders of keys and tokens that end.
-- compatible with the program before, which notes no addresses; of what a new node has stored it drops notices, and leaves mails about keys
-- that end to the new one

-- Null for a session that the program before began.
alter table sessions
  add column address      text,
  -- Noted together with last_seen_at.
  add column last_address text;

-- The browsers and networks from which people have signed in: a sign-in from another one is told to its person.
create table sign_in_places (
  person_id text not null references people on delete cascade,
  -- Its name and its system, without versions.
  browser   text not null,
  -- The block of the address: /24 of IPv4, /48 of IPv6.
  network   text not null,
  last_at   timestamptz not null,
  primary key (person_id, browser, network)
);

-- A notice to a person by mail, a row for each kind, which stays: it says how many went out in the hour.
create table person_mails (
  person_id       text not null references people on delete cascade,
  kind            text not null,
  -- The latest that are to be told, as JSON, the oldest first.
  items           text[] not null,
  -- How many are to be told; items holds the latest of them.
  count           integer not null,
  since           timestamptz not null,
  -- The hour in which mails are counted, and how many went out in it.
  hour_at         timestamptz,
  sent            integer not null default 0,
  attempts        integer not null default 0,
  -- Null: nothing is to be sent.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- Another one is not sent before.
  quiet_until     timestamptz,
  primary key (person_id, kind),
  check ((leased_by is null) = (leased_until is null))
);
create index person_mails_due on person_mails (next_attempt_at) where next_attempt_at is not null;

-- The last reminder before a key ends. Apart from api_keys, each change of which makes every process read its keys again.
create table key_reminders (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  ends_at         timestamptz not null,
  -- How many days before the end it was.
  days            integer not null,
  primary key (organization_id, key_id)
);

create table operator_token_reminders (
  name    text primary key references operator_tokens on delete cascade,
  ends_at timestamptz not null,
  days    integer not null
);

alter table mails
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in ('invitation', 'approval', 'post_failed', 'token_refused', 'key_expiring'));
