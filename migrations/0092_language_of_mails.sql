-- The languages in which mails are written.
--
-- compatible with the program before, which writes them in English.

alter table organizations
  -- A code of ISO 639-1: of mails to people who have none of their own, and to those without an account.
  add column language text not null default 'en';

alter table people
  -- How the browser of the last sign-in writes times and numbers, such as pt-BR or pt; null before the first one.
  add column browser_locale text;
