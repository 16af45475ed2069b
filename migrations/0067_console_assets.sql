-- The files of the console of this release and of the one before: a page that was opened before an upgrade still asks for its
-- own, and a node that runs another release has them too.
--
-- compatible with the program before: it serves its own files alone.

-- Unlogged: a node writes its files again when it starts.
create unlogged table console_assets (
  build_id   text not null,
  name       text not null,
  content    bytea not null,
  started_at timestamptz not null,
  primary key (build_id, name)
);
