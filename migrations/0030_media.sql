-- Uploaded images and videos; the files themselves are in MEDIA_DIR.
--
-- compatible with the program before: it knows no uploads.

create table media (
  organization_id text not null references organizations,
  media_id        text not null,
  content_type    text not null check (content_type in ('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime')),
  bytes           bigint not null check (bytes > 0),
  width           integer not null check (width > 0),
  height          integer not null check (height > 0),
  -- Of a video.
  duration_ms     bigint,
  created_at      timestamptz not null,
  primary key (organization_id, media_id),
  check ((duration_ms is not null) = (content_type like 'video/%'))
);

create index media_newest on media (organization_id, created_at desc, media_id desc);
