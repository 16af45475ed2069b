-- What a key may do, from where, until when, how often, and who issued it. A program that does not know these columns would
-- let a restricted key do everything: old nodes take no more requests.

alter table api_keys
  add column name                text not null default '',
  -- Null: all that a key may hold.
  add column permissions         text[],
  -- Addresses and subnets that it may be used from. Empty: any.
  add column allowed_addresses   text[] not null default '{}',
  add column expires_at          timestamptz,
  -- Null: as many as the server allows a key; 0: any number.
  add column requests_per_second integer check (requests_per_second >= 0),
  -- Null for a key that was issued before this was written down.
  add column created_by_type     text,
  add column created_by_id       text;

-- When a key was last used, to the minute. Apart from api_keys, each change of which makes every process read its keys again.
create table key_uses (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  last_used_at    timestamptz not null,
  primary key (organization_id, key_id)
);
