-- Who made what lets people in, whose grant the right to approve is, and how long a link may set a password.
-- compatible with the program before, which names no maker, no grant and no such time for what it writes itself

alter table invitations
  add column created_by_type text,
  add column created_by_id   text;
-- Of those that are open the trail knows it.
update invitations i
   set created_by_type = a.actor_type, created_by_id = a.actor_id
  from audit_trail a
 where a.organization_id = i.organization_id and a.operation = 'createInvitation'
   and a.target_type = 'invitation' and a.target_id = i.invitation_id;
create index invitations_by_maker on invitations (created_by_id);
create index review_links_by_maker on review_links (made_by);
create index api_keys_by_maker on api_keys (created_by_id);

-- Those that are open end within the hour.
alter table entry_links
  add column created_by_type text,
  add column created_by_id   text;

-- As `user:<id>` or `operator:<name>`; null where no one is known to have given it.
alter table memberships
  add column approval_granted_at timestamptz,
  add column approval_granted_by text;

-- When four eyes were last switched off, and by whom, written likewise.
alter table organizations
  add column four_eyes_ended_at timestamptz,
  add column four_eyes_ended_by text;

alter table sessions
  -- Until then the session may set a password without the present one, once.
  add column password_until    timestamptz,
  -- Wrong present passwords that it has given.
  add column password_failures integer not null default 0;
