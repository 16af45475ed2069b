-- The discussion of each post: messages of members and of people with a review link.
--
-- compatible with the program before: it does not know these tables, and what it deletes takes their rows along.

create table discussion_messages (
  organization_id   text not null,
  scheduled_post_id text not null,
  message_id        text not null,
  -- The order of the messages of a post.
  place             integer not null,
  -- The message that begins the thread; null for that one itself. A thread is one level deep.
  reply_to          text,
  -- Whether people with a review link see it too. A thread is shared as a whole, from its beginning.
  shared            boolean not null,
  author_type       text not null,
  author_id         text,
  -- The name on the link of a person without an account, and the person who made the link: the link itself ends.
  outsider_name     text,
  link_of           text references people,
  -- Empty once the message is deleted: it stays while others have replied to it.
  text              text not null,
  -- Ids of people.
  mentions          text[] not null,
  created_at        timestamptz not null,
  -- Pages that are open ask what has changed last.
  changed_at        timestamptz not null,
  edited_at         timestamptz,
  deleted_at        timestamptz,
  -- Of the message that begins a thread: when the thread was resolved, and by whom.
  resolved_at       timestamptz,
  resolved_by_type  text,
  resolved_by_id    text,
  primary key (organization_id, scheduled_post_id, message_id),
  unique (organization_id, scheduled_post_id, place),
  foreign key (organization_id, scheduled_post_id) references scheduled_posts on delete cascade,
  check ((author_type = 'outsider') = (outsider_name is not null)),
  check ((author_type = 'outsider') = (link_of is not null)),
  check (author_type <> 'outsider' or shared),
  check (reply_to is null or resolved_at is null)
);

create index discussion_messages_by_change on discussion_messages (organization_id, changed_at desc);
