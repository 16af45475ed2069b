-- An account can be deleted, and what belongs to it alone goes with its row.
--
-- compatible with the program before, which deletes no account.

-- The database deletes these, so that none is left by a sign-in that is under way at the same instant.
alter table memberships
  drop constraint memberships_person_id_fkey,
  add constraint memberships_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table sessions
  drop constraint sessions_person_id_fkey,
  add constraint sessions_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table half_sessions
  drop constraint half_sessions_person_id_fkey,
  add constraint half_sessions_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table entry_links
  drop constraint entry_links_person_id_fkey,
  add constraint entry_links_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table identities
  drop constraint identities_person_id_fkey,
  add constraint identities_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table passkeys
  drop constraint passkeys_person_id_fkey,
  add constraint passkeys_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table totp_secrets
  drop constraint totp_secrets_person_id_fkey,
  add constraint totp_secrets_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table recovery_codes
  drop constraint recovery_codes_person_id_fkey,
  add constraint recovery_codes_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table factor_failures
  drop constraint factor_failures_person_id_fkey,
  add constraint factor_failures_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table mails
  drop constraint mails_person_id_fkey,
  add constraint mails_person_id_fkey foreign key (person_id) references people on delete cascade;
alter table calendar_feeds
  drop constraint calendar_feeds_person_id_fkey,
  add constraint calendar_feeds_person_id_fkey foreign key (person_id) references people on delete cascade;
-- They have ended before, which the audit trail says.
alter table review_links
  drop constraint review_links_made_by_fkey,
  add constraint review_links_made_by_fkey foreign key (made_by) references people on delete cascade;
alter table people
  drop constraint people_merged_into_fkey,
  add constraint people_merged_into_fkey foreign key (merged_into) references people on delete cascade;

-- The discussion of a post stays, and keeps the id of the one who made the link.
alter table discussion_messages drop constraint discussion_messages_link_of_fkey;
