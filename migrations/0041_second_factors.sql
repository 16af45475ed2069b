-- Second factors of people: passkeys, authenticator apps, recovery codes; sessions that still need one.
-- compatible with the program before, which asks for no second factor: it lets in by the first one alone

create table passkeys (
  passkey_id    text primary key,
  person_id     text not null references people,
  -- That of the authenticator, in base64url.
  credential_id text not null unique,
  -- COSE, in base64url.
  public_key    text not null,
  -- The domain for which the browser made it.
  rp_id         text not null,
  -- Of the authenticator: a signature with a lower one comes from a copy. 0: it does not count.
  counter       bigint not null,
  transports    text[] not null,
  name          text not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index passkeys_by_person on passkeys (person_id, created_at);

create table totp_secrets (
  person_id     text primary key references people,
  secret_sealed text not null,
  created_at    timestamptz not null,
  -- Null: begun, and not finished with a code.
  confirmed_at  timestamptz,
  -- The 30 seconds whose code was taken last: no code counts twice.
  last_step     bigint not null default 0
);

create table recovery_codes (
  person_id text not null references people,
  -- SHA-256 of the person and the code.
  code_hash text not null,
  primary key (person_id, code_hash)
);

-- Wrong codes and passwords of a person since the last right one, over all addresses and sessions.
create table factor_failures (
  person_id text not null references people,
  kind      text not null check (kind in ('totp', 'password')),
  count     integer not null,
  last_at   timestamptz not null,
  primary key (person_id, kind)
);

-- A table of its own: a program that does not know of the second factor must not take such a token for a session.
create table half_sessions (
  token_hash text primary key,
  session_id text not null unique,
  person_id  text not null references people,
  -- That of the first factor.
  method     text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  failures   integer not null default 0,
  -- What the authenticator is to sign.
  challenge  text
);
create index half_sessions_by_person on half_sessions (person_id, created_at);

alter table sessions
  -- Whether it has passed one.
  add column second_factor   boolean not null default false,
  -- When its person last proved themselves in it; null: when it began.
  add column confirmed_at    timestamptz,
  -- What the authenticator is to sign, and until when.
  add column challenge       text,
  add column challenge_until timestamptz,
  drop constraint sessions_method_check,
  add constraint sessions_method_check check (method in ('password', 'link', 'oidc', 'passkey'));

-- Who may enter an organization follows from it, on every node.
create constraint trigger sessions_count_second_factor
  after update of second_factor on sessions
  deferrable initially deferred for each row when (old.second_factor is distinct from new.second_factor)
  execute function count_access_change('person_id');

-- A session without a second factor does not get in.
alter table organizations add column require_second_factor boolean not null default false;
