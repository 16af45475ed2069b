-- What was issued in place of a key, and what was refused to it.
--
-- compatible with the program before, which neither writes nor reads these: a key that it rotates names no other.

alter table api_keys
  -- The key that was last issued in place of this one. It may be removed by now.
  add column replaced_by text;

-- Refused requests that named a key. Apart from key_uses, which a request that was refused is none of.
create table key_refusals (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  -- Since the first one that was counted.
  count           bigint not null,
  last_at         timestamptz not null,
  last_reason     text not null,
  primary key (organization_id, key_id)
);
