-- Orders that a shop removes and restores, and the requests of Meta's users to delete their data, whose state can be asked for.
--
-- compatible with the program before: it reads neither. An order that was removed counts for it until this program applies the next
-- delivery that concerns the order's buyer.

-- The arrival of the last delivery that said that the order was removed, and of the last one that it was restored. An order is removed
-- while neither a restoration nor a version of the order is newer: a removal names no version.
alter table purchases
  add column removed_ms  bigint,
  add column restored_ms bigint;

-- Requests to delete the data of a user of Meta. A row names no one: its code is a hash of what Meta has signed.
create table data_deletions (
  organization_id text not null,
  source_id       text not null,
  code            text not null,
  requested_at    timestamptz not null,
  -- Null while the delivery waits in the inbox or is a problem.
  done_at         timestamptz,
  primary key (organization_id, source_id, code),
  foreign key (organization_id, source_id) references sources on delete cascade
);
create index data_deletions_by_age on data_deletions (organization_id, requested_at);
