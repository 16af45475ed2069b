-- Series of posts that repeat: each post of one is an ordinary post, which is approved by itself.
--
-- compatible with the program before: it reads none of the new tables, and a post that it deletes leaves its series.

create table post_series (
  organization_id text not null references organizations,
  series_id       text not null,
  rule            json not null,
  -- The zone in which the rule was read.
  time_zone       text not null,
  created_at      timestamptz not null,
  -- From then on it has no posts that wait for a decision.
  stopped_at      timestamptz,
  primary key (organization_id, series_id)
);

create table post_series_posts (
  organization_id   text not null,
  series_id         text not null,
  scheduled_post_id text not null,
  -- 0 for the post that the others began as copies of.
  place             integer not null check (place >= 0),
  primary key (organization_id, scheduled_post_id),
  foreign key (organization_id, series_id) references post_series on delete cascade,
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade
);
create index post_series_posts_of_series on post_series_posts (organization_id, series_id, place);
