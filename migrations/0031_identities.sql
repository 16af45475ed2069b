-- Signing in by an identity provider: who a person is there, and which sign-ins were finished.
-- compatible with the program before, which signs in by password and link alone

create table identities (
  issuer     text not null,
  -- The provider's own id of the person: a mail address may go over to another one.
  subject    text not null,
  person_id  text not null references people,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
-- A second subject with the mail address of a person is another person.
create unique index identities_by_person on identities (person_id, issuer);

-- What comes back from the provider counts once, on all nodes. Kept until it could not be finished anyway.
create table finished_visits (
  -- SHA-256 of the state.
  state_hash text primary key,
  expires_at timestamptz not null
);
create index finished_visits_by_end on finished_visits (expires_at);
