-- What is told to people and programs outside: events, the webhook of an organization, mails.
-- compatible with the program before, which writes no event and sends none

-- The outbox: written in the transaction that an event tells about, and emptied into deliveries and mails.
create table events (
  organization_id text not null,
  event_id        text not null,
  type            text not null,
  at              timestamptz not null,
  -- Ids alone.
  data            json not null,
  -- The token of the link that a mail shows; bound to the event.
  secret_sealed   text,
  primary key (organization_id, event_id)
);
create index events_oldest on events (at);

create table webhooks (
  organization_id        text primary key references organizations,
  webhook_id             text not null,
  url                    text not null,
  secret_sealed          text not null,
  -- Signs beside the present one until then.
  previous_secret_sealed text,
  previous_until         timestamptz,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  check ((previous_secret_sealed is null) = (previous_until is null))
);

create table webhook_deliveries (
  organization_id text not null references organizations,
  -- That of the event.
  event_id        text not null,
  -- In the order in which they were made.
  number          bigint generated always as identity,
  type            text not null,
  at              timestamptz not null,
  data            json not null,
  status          text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Since it was last sent by hand, or made.
  attempts        integer not null default 0,
  next_attempt_at timestamptz,
  -- Of the process that sends it now.
  leased_by       text,
  leased_until    timestamptz,
  last_attempt_at timestamptz,
  last_status     integer,
  last_error      text,
  primary key (organization_id, event_id),
  check ((status = 'PENDING') = (next_attempt_at is not null)),
  check ((leased_by is null) = (leased_until is null))
);
create index webhook_deliveries_due on webhook_deliveries (organization_id, next_attempt_at) where status = 'PENDING';
create index webhook_deliveries_latest on webhook_deliveries (organization_id, number desc);
create index webhook_deliveries_at on webhook_deliveries (at);

-- The platform's own reason why it refused the token; null while nothing is known against it.
alter table ad_accounts add column token_problem text;

-- A mail that is to be sent. Of what is gathered a row for each person and kind, which stays: it says when the last one went out.
create table mails (
  organization_id text not null references organizations,
  -- That of the event, or `<kind>:<person>` of what is gathered.
  mail_id         text not null,
  kind            text not null check (kind in ('invitation', 'approval', 'post_failed', 'token_refused')),
  person_id       text references people,
  invitation_id   text,
  -- The token of the link.
  secret_sealed   text,
  -- How many there are to tell of.
  count           integer not null,
  -- Since when.
  since           timestamptz not null,
  attempts        integer not null default 0,
  -- Null: nothing is to be sent.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- Another one is not sent before.
  quiet_until     timestamptz,
  primary key (organization_id, mail_id),
  check ((kind = 'invitation') = (invitation_id is not null)),
  check ((kind = 'invitation') = (person_id is null)),
  check ((leased_by is null) = (leased_until is null))
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_of_person on mails (person_id) where person_id is not null;

-- Whether the member gets mails about posts that wait and failures.
alter table memberships add column notify boolean not null default true;
