-- What was done again and again within an hour continues the entry of the audit trail that it repeats, which itself stays as it is.
-- compatible with the program before, which writes an entry for each

create table audit_repeats (
  organization_id text not null,
  -- The entry that is repeated.
  audit_id        bigint not null,
  times           integer not null,
  -- When it was last done.
  until           timestamptz not null,
  -- The different changes since the entry, each once; the last one says how it ended.
  states          json not null,
  primary key (organization_id, audit_id)
);

-- The latest entries of one thing. Posts have histories of their own.
create index audit_trail_of_targets on audit_trail (organization_id, target_type, target_id, audit_id)
  where version is null;
