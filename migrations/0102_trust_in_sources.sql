-- How far events are believed that come with the write key of a source: the key of a page can be read by anyone. A source that is there
-- keeps full trust.
--
-- compatible with the program before: it reads neither column, and so believes every source fully while it still runs.

alter table sources
  add column trust text not null default 'full' check (trust in ('full', 'new_people', 'times_only')),
  -- What is signed is believed.
  add constraint sources_trust check (trust = 'full' or type = 'EVENTS');

-- What was left out because the source is not trusted with it: each would be a problem, and a stranger could hide real ones among them.
alter table source_activity add column left_out bigint not null default 0;
