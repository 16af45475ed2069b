-- The language and the time zone of the console, as a person chose them.
--
-- compatible with the program before: it shows the console in English and in the organization's time zone.

alter table people
  -- A code of ISO 639-1; null for the language of the browser.
  add column language text,
  -- An IANA name; null for the zone of the organization. The program before joins this table to one with a time_zone.
  add column own_time_zone text;
