-- Each person has an inbox in each organization: news about their posts, and mails about them.
--
-- compatible with the program before: it writes no news, and sends no mail about them.

create table inbox_entries (
  organization_id   text not null,
  person_id         text not null,
  entry_id          text not null,
  kind              text not null check (kind in ('returned', 'approved', 'failed', 'published', 'mentioned', 'replied')),
  scheduled_post_id text not null,
  at                timestamptz not null,
  -- As in the history of the post: `user:<id>`, `publisher`.
  actor             text not null,
  detail            jsonb,
  read_at           timestamptz,
  -- The next mail to the person lists it, unless it is read before.
  to_mail           boolean not null,
  primary key (organization_id, person_id, entry_id),
  foreign key (organization_id, person_id) references memberships on update cascade on delete cascade,
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade
);
create index inbox_entries_newest on inbox_entries (organization_id, person_id, at, entry_id);
create index inbox_entries_unread on inbox_entries (organization_id, person_id, entry_id) where read_at is null;
create index inbox_entries_of_posts on inbox_entries (organization_id, scheduled_post_id);

-- A row of work for each member who has had mails about news: when the next one is sent.
create table inbox_mails (
  organization_id text not null,
  person_id       text not null,
  -- The entries since the last mail.
  count           integer not null,
  since           timestamptz not null,
  attempts        integer not null default 0,
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  quiet_until     timestamptz,
  primary key (organization_id, person_id),
  foreign key (organization_id, person_id) references memberships on update cascade on delete cascade,
  check ((leased_by is null) = (leased_until is null))
);
create index inbox_mails_due on inbox_mails (next_attempt_at) where next_attempt_at is not null;

alter table memberships
  -- The kinds of news that the member gets mails about, where `notify` is on.
  add column mail_kinds text[] not null default '{returned,approved,failed,mentioned,replied}';
