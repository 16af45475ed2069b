-- One import per channel at a time, whatever the node. Lost in a crash together with the imports that ran.
create unlogged table running_imports (
  organization_id text not null,
  channel_id text not null,
  import_id text not null,
  expires_at timestamptz not null,
  primary key (organization_id, channel_id)
);
