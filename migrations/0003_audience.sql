-- What a copy of a channel's audience in memory needs to stay current: a revision to compare, and what changed since.

-- One row for each channel whose audience ever changed. The revision grows in every transaction that changes a
-- conversation or a VIP mark of the channel, by the number of conversations that it touched; the row stays locked until
-- that transaction ends, so that revisions become visible in their order.
create table audiences (
  organization_id text not null,
  channel_id      text not null,
  revision        bigint not null,
  -- audience_changes tells of all changes after this revision; of those before it nothing is known any more.
  changes_since   bigint not null,
  primary key (organization_id, channel_id),
  foreign key (organization_id, channel_id) references channels on delete cascade
);

-- The conversations that the transaction of a revision touched: inserted, updated, deleted, marked or unmarked.
create table audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  revision         bigint not null,
  conversation_ids text[] not null,
  primary key (organization_id, channel_id, revision),
  foreign key (organization_id, channel_id) references audiences on delete cascade
);

-- The primary key is made anew so that it is younger than conversations_in_list_order. Where the planner expects one row
-- either way, as on a table without statistics or on a small channel, it takes the youngest index: to look up a
-- conversation by its id it walked the whole channel in list order, and each VIP mark of an import cost a millisecond.
alter table vip_marks drop constraint vip_marks_organization_id_channel_id_conversation_id_fkey;
alter table conversations
  drop constraint conversations_pkey,
  add primary key (organization_id, channel_id, conversation_id);
alter table vip_marks
  add foreign key (organization_id, channel_id, conversation_id) references conversations on delete cascade;
