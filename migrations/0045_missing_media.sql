-- A backup may lack media files: its node has no MEDIA_DIR, or the files are gone.
-- compatible with the program before, which leaves the number as it is

alter table last_backup add column missing_media integer not null default 0;
