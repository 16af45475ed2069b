-- Uploaded files have a small picture for lists: that of a video is its poster. It lies in MEDIA_DIR beside its file.
--
-- compatible with the program before: it shows the files themselves. A file that it deletes leaves its small picture
-- there, which nothing names any more.

alter table media
  -- Null while it has none.
  add column small_bytes integer check (small_bytes > 0),
  add column small_sha256 text,
  add constraint media_small_whole check ((small_bytes is null) = (small_sha256 is null));
