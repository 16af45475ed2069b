-- The last backup that a program has fetched, as `greenroom backup` does.
--
-- compatible with the program before: it records none. Apart from last_backup, which says when the schedule makes the next one.

create table last_fetched_backup (
  only_row      boolean primary key default true check (only_row),
  made_at       timestamptz not null,
  bytes         bigint not null,
  -- Whether it holds the master key.
  master_key    boolean not null,
  missing_media integer not null
);
