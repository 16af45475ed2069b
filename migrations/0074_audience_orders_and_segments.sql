-- The console sorts a channel's people by more than their value, keeps named segments of them, and says since when someone is a VIP.
--
-- compatible with the program before: it writes the columns and tables that it knows, and the indexes follow by themselves.

-- The indexes begin with an expression: one that began with organization_id and channel_id would look to the planner as good as
-- the primary key on a table without statistics (see 0064_intake_indexes.sql).
create function audience_key(organization_id text, channel_id text) returns text language sql immutable parallel safe
  return organization_id || '/' || channel_id;

-- In small letters and without accents, so that Édouard stands among those with an E. Bodies of this kind are resolved here and
-- now: ANALYZE looks for the functions of an index in no schema but the system's.
create function sort_name(first_name text, last_name text, user_name text) returns text language sql immutable parallel safe
  return left(folded(case when octet_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) = char_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) then coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))
                          else regexp_replace(normalize(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, '')), NFD), '[\u0300-\u036f]', '', 'g') end), 100);

create index conversations_by_name on conversations
  (audience_key(organization_id, channel_id), (sort_name(first_name, last_name, user_name) collate "C"), conversation_id);
create index conversations_by_purchase on conversations
  (audience_key(organization_id, channel_id), last_purchase_at_ms desc, conversation_id);
create index conversations_by_message on conversations
  (audience_key(organization_id, channel_id), last_user_message_at_ms desc, conversation_id);
create index conversations_by_birthday on conversations
  (audience_key(organization_id, channel_id), right(birthday, 5), conversation_id) where birthday is not null;

-- Null for marks that are older, and for those of the program before.
alter table vip_marks
  add column marked_at  timestamptz,
  add column actor_type text,
  add column actor_id   text;

create table audience_segments (
  organization_id text not null references organizations,
  segment_id      text not null,
  name            text not null,
  -- As the interface has them.
  conditions      jsonb not null,
  created_at      timestamptz not null,
  primary key (organization_id, segment_id)
);
