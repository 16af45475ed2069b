-- What a post said when it was last approved or returned, for the difference that the next reviewer reads.
--
-- compatible with the program before: it writes none, so that a decision it makes leaves the one before here.

create table post_reviews (
  organization_id   text not null,
  scheduled_post_id text not null,
  -- The version that was decided about.
  version           integer not null,
  decision          text not null check (decision in ('approved', 'rejected')),
  decided_at        timestamptz not null,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  content           json not null,
  primary key (organization_id, scheduled_post_id),
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade
);
