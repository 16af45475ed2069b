-- A mail address counts only when it is proven: by a mail that was sent to it, or by the identity provider. Until then an
-- account that an invitation made belongs to the organization of that invitation alone. A program that does not know these
-- columns would let such an account into any organization: old nodes take no more requests.

alter table people
  -- Null: nothing has shown that the address is the person's.
  add column mail_proven_at timestamptz,
  -- The only organization that the account may be a member of. No reference: it outlives the organization, and opens nothing then.
  add column bound_to       text,
  -- The account of the same address that took this one's place. The row stays for the names in histories.
  add column merged_into    text references people,
  add constraint people_bound_check check (bound_to is null or (mail_proven_at is null and not owner)),
  add constraint people_merged_check check (merged_into is null or not active);
create index people_by_merged on people (merged_into) where merged_into is not null;

-- Letters of ASCII alone are folded: U+212A is no K, and what lower() makes of İ depends on the database's locale.
drop index people_by_mail;
create unique index people_by_mail on people (lower(mail collate "C")) where bound_to is null and merged_into is null;
create unique index people_by_bound_mail on people (lower(mail collate "C"), bound_to)
 where bound_to is not null and merged_into is null;

-- What is in a mail alone: who shows it has read the mail. The other token is seen by the one who invites.
alter table invitations add column mail_token_hash text unique;

-- A provider links an account by a verified address, or makes one.
update people p set mail_proven_at = (select min(created_at) from identities i where i.person_id = p.person_id);
update people p set bound_to = (select min(organization_id) from memberships m where m.person_id = p.person_id)
 where mail_proven_at is null and not owner
   and (select count(*) from memberships m where m.person_id = p.person_id) = 1;

create function check_bound_membership() returns trigger language plpgsql as $$
begin
  if exists (select from people where person_id = new.person_id and bound_to <> new.organization_id) then
    raise exception 'person % is bound to another organization', new.person_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger memberships_check_bound
  before insert or update of organization_id, person_id on memberships
  for each row execute function check_bound_membership();
