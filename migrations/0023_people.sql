-- People, what they may do in which organization, and how they get in.
-- compatible with the program before

create table people (
  person_id     text primary key,
  name          text not null,
  mail          text not null,
  -- Does what the operator token does.
  owner         boolean not null default false,
  -- False: no sign-in, no session.
  active        boolean not null default true,
  -- A PHC string; null for a person who has none.
  password_hash text,
  created_at    timestamptz not null
);
create unique index people_by_mail on people (lower(mail));

create table memberships (
  organization_id text not null references organizations,
  person_id       text not null references people,
  role            text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve     boolean not null,
  created_at      timestamptz not null,
  primary key (organization_id, person_id)
);
create index memberships_by_person on memberships (person_id, organization_id);

-- Of tokens only the SHA-256 is kept.
create table invitations (
  organization_id text not null references organizations,
  invitation_id   text not null,
  token_hash      text not null unique,
  mail            text not null,
  role            text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve     boolean not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  primary key (organization_id, invitation_id)
);

-- Links that let one person in, once: to the account of the first owner, or to one that exists.
create table entry_links (
  token_hash text primary key,
  -- Null: its holder becomes an owner.
  person_id  text references people,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index entry_links_by_person on entry_links (person_id);

create table sessions (
  token_hash   text primary key,
  -- Names it to its person. The token does not follow from it.
  session_id   text not null unique,
  person_id    text not null references people,
  -- How it began: by password, link or identity provider.
  method       text not null check (method in ('password', 'link', 'oidc')),
  user_agent   text,
  created_at   timestamptz not null,
  -- To the minute.
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null
);
create index sessions_by_person on sessions (person_id, created_at);

alter table organizations
  -- No one approves what they wrote or last changed.
  add column four_eyes boolean not null default false,
  -- In which its people read times.
  add column time_zone text not null default 'UTC';

-- What is cached of people ends with these changes, on every node: sessions with their person's, memberships with their
-- organization's. That a session begins or is seen changes nothing cached.
create constraint trigger people_count_access_change
  after update of name, mail, owner, active or delete on people
  deferrable initially deferred for each row execute function count_access_change('person_id');
create constraint trigger memberships_count_access_change
  after insert or update or delete on memberships
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create constraint trigger sessions_count_access_change
  after delete on sessions
  deferrable initially deferred for each row execute function count_access_change('person_id');

-- A person, too, changes and approves. An operator with an id is a named token.
alter table audit_trail
  drop constraint audit_trail_actor_type_check,
  drop constraint audit_trail_check,
  add constraint audit_trail_actor_type_check check (actor_type in ('key', 'user', 'operator', 'publisher')),
  add constraint audit_trail_actor_id_check check (
    case when actor_type in ('key', 'user') then actor_id is not null
         when actor_type = 'publisher' then actor_id is null
         else true end);
alter table scheduled_posts
  drop constraint scheduled_posts_approved_actor_type_check,
  add constraint scheduled_posts_approved_actor_type_check check (approved_actor_type in ('key', 'user', 'operator'));
