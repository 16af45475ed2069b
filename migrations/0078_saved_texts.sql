-- Texts and groups of hashtags that an organization keeps for its posts.
--
-- compatible with the program before: it reads none of the new table.

create table saved_texts (
  organization_id text not null references organizations,
  saved_text_id   text not null,
  kind            text not null check (kind in ('TEXT', 'HASHTAGS')),
  name            text not null,
  text            text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (organization_id, saved_text_id)
);
-- People choose one by its name.
create unique index saved_texts_by_name on saved_texts (organization_id, kind, lower(name));
