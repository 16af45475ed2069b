-- When the service last made a backup by itself: of several nodes on one database one makes it.
-- compatible with the program before

create table last_backup (
  only_row   boolean primary key default true check (only_row),
  made_at    timestamptz not null,
  file       text not null,
  bytes      bigint not null,
  -- Whether it holds the master key.
  master_key boolean not null
);
