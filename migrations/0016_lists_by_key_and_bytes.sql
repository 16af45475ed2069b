-- Lists go by key, and are bounded in bytes: the size of a row is known before it is read.
-- compatible with the program before

alter table scheduled_posts
  -- A post without a time comes last: one value for that, so that a place in the list is one comparison of two columns that an
  -- index holds.
  add column list_time timestamptz generated always as (coalesce(scheduled_for, 'infinity')) stored,
  add column bytes integer generated always as
    (octet_length(coalesce(media, '')) + octet_length(coalesce(notes, ''))) stored;
alter table scheduled_post_channels
  add column bytes integer generated always as
    (octet_length(coalesce(caption, '')) + octet_length(coalesce(superpower::text, ''))) stored;
alter table superpowers
  add column bytes integer generated always as (octet_length(superpower::text)) stored;

-- Ids compare by their bytes, so that the order is the same on every server.
drop index scheduled_posts_in_list_order;
create index scheduled_posts_in_list_order
  on scheduled_posts (organization_id, list_time, scheduled_post_id collate "C");
create index scheduled_posts_by_status
  on scheduled_posts (organization_id, status, list_time, scheduled_post_id collate "C");
drop index scheduled_post_channels_by_channel;
create index scheduled_post_channels_by_channel
  on scheduled_post_channels (channel_id, organization_id, scheduled_post_id);
