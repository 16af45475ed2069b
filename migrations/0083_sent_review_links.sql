-- Writers send review links by mail to people whom an administrator has named.
-- compatible with the program before: it sends no such mail, and refuses a link of a writer

alter table organizations
  -- The addresses of people outside to whom members who write may send links; folded as in mail-address.ts.
  add column reviewers text[] not null default '{}',
  -- When the list was last changed, and by whom, written as four_eyes_ended_by.
  add column reviewers_set_at timestamptz,
  add column reviewers_set_by text;

-- The address to which the link was sent: its maker has never seen the link. Null for one that its maker hands over.
alter table review_links add column mail text;

alter table mails
  add column link_id text,
  drop constraint mails_kind_check,
  drop constraint mails_check,
  drop constraint mails_check1,
  add constraint mails_kind_check check (
    kind in ('invitation', 'review_link', 'approval', 'post_failed', 'token_refused', 'key_expiring')),
  add constraint mails_invitation_check check ((kind = 'invitation') = (invitation_id is not null)),
  add constraint mails_link_check check ((kind = 'review_link') = (link_id is not null)),
  add constraint mails_person_check check ((kind in ('invitation', 'review_link')) = (person_id is null));
