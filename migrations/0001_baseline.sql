-- The whole schema. `npm run fold` writes this file; its comments are edited here, and a fold keeps them.
--
-- organization_id leads the primary key of every tenant table and stands in every query, so that no query can cross
-- tenants and the schema can be sharded by tenant. organizations and api_keys are the directory in which a tenant is
-- found from a key, before there is a tenant.

-- Not an identity: the sequence of an unlogged table is unlogged too, and a standby that is promoted may find it unreadable
-- (PostgreSQL 15). Every change of an audience failed from then on. A sequence of its own is logged.
create sequence pending_audience_change_ids;

-- For INSERT and DELETE. The log keeps 10,000 conversations of a channel: of a statement that touches more, only the
-- channels are noted.
create function note_touched_conversations() returns trigger language plpgsql as $$
begin
  insert into pending_audience_changes (organization_id, channel_id, conversation_ids, is_first)
  select organization_id, channel_id, array_agg(conversation_id) filter (where (select count(*) from touched) <= 10000),
         row_number() over (partition by organization_id) = 1
    from touched group by organization_id, channel_id;
  return null;
end $$;

-- For UPDATE. A row whose key changes is touched under both keys.
create function note_updated_conversations() returns trigger language plpgsql as $$
begin
  with touched as (
    select organization_id, channel_id, conversation_id from old_rows
    union
    select organization_id, channel_id, conversation_id from new_rows
  )
  insert into pending_audience_changes (organization_id, channel_id, conversation_ids, is_first)
  select organization_id, channel_id, array_agg(conversation_id) filter (where (select count(*) from touched) <= 10000),
         row_number() over (partition by organization_id) = 1
    from touched group by organization_id, channel_id;
  return null;
end $$;

create function note_truncated_conversations() returns trigger language plpgsql as $$
begin
  insert into pending_audience_changes (organization_id, channel_id)
  select organization_id, channel_id from audiences;
  return null;
end $$;

-- Refuses what is sealed under another key than the current one: a process that has not heard of a rotation would leave it
-- behind, to be lost with the old key. The share lock lets a rotation begin only after those who write under the old key
-- have ended. 57P0S is told as a database that is unavailable for a moment. A value without the id of its key passes
-- until the first rotation.
create function refuse_seal_of_another_key() returns trigger language plpgsql as $$
declare
  sealed_under text := split_part(to_jsonb(new) ->> tg_argv[0], '.', 3);
begin
  perform from master_keys
    where state = 'current'
      and (key_id = sealed_under
           or sealed_under = '' and not exists (select from master_keys where state <> 'current'))
      for share;
  if not found and exists (select from master_keys) then
    raise exception 'the master key is being rotated' using errcode = '57P0S';
  end if;
  return new;
end $$;

-- A revision is never given twice to different content: caches trust it. So no statement lowers a revision or
-- deletes its row; what the triggers cannot see (TRUNCATE, another server, a table restored) begins another epoch
-- (src/database/epoch.ts).
create function refuse_revision_going_back() returns trigger language plpgsql as $$
begin
  raise exception 'a revision never goes back: caches would take old content for the present one';
end $$;

-- Its argument names the column that holds the scope.
create function count_access_change() returns trigger language plpgsql as $$
declare
  before text := to_jsonb(old) ->> tg_argv[0];
  after  text := to_jsonb(new) ->> tg_argv[0];
begin
  perform count_access_change_of(coalesce(after, before));
  if before <> after then
    perform count_access_change_of(before);
  end if;
  return null;
end $$;

-- In small letters by the rules of Unicode. A database with the locale C knows those of ASCII only by itself. The search of
-- posts and the order by name use it, because texts are long and accents count there.
do $$
declare
  known text := (select format('name collate pg_catalog.%I', collname) from pg_collation
                  where collname in ('C.utf8', 'pg_c_utf8') and collencoding in (-1, pg_char_to_encoding('UTF8'))
                    and current_setting('server_encoding') = 'UTF8'
                  order by collname limit 1);
begin
  execute format('create function lowered(name text) returns text language sql immutable as %L',
                 format('select lower(%s)', coalesce(known, 'name')));
end $$;

-- Whole name, last name, user name. One that begins with signs or pictures is there without them too.
create function names_of(first_name text, last_name text, user_name text) returns text[] language plpgsql immutable as $$
declare
  found text[] := '{}';
  name  text;
begin
  foreach name in array array[concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), last_name, user_name] loop
    name := folded(name);
    if name <> '' and left(name, 200) <> all(found) then
      found := found || left(name, 200);
    end if;
    if left(name, 1) collate "C" not between 'a' and 'z' then
      name := left(regexp_replace(name, '^[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u2BFF\u3000-\u303F\uE000-\uF8FF\U0001F000-\U0001FAFF]+', ''), 200);
      if name <> '' and name <> all(found) then
        found := found || name;
      end if;
    end if;
  end loop;
  return found;
end $$;

-- Deletes what the log of these channels holds of before changes_since.
create function trim_audience_changes(organization text, channels text[]) returns void language plpgsql
-- Without statistics the planner would read all of the log for each channel, and a session keeps its plans.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from audience_changes l
   using unnest(channels) as t (channel_id) join audiences a on a.organization_id = organization and a.channel_id = t.channel_id
   where l.organization_id = organization and l.channel_id = t.channel_id and l.revision <= a.changes_since;
end $$;

-- The indexes begin with an expression: one that began with organization_id and channel_id would look to the planner as good
-- as the primary key on a table without statistics (see person_ids_by_cuid).
create function audience_key(organization_id text, channel_id text) returns text language sql immutable parallel safe
  return organization_id || '/' || channel_id;

-- In small letters and without accents, so that Édouard stands among those with an E. Bodies of this kind are resolved here
-- and now: ANALYZE looks for the functions of an index in no schema but the system's.
create function sort_name(first_name text, last_name text, user_name text) returns text language sql immutable parallel safe
  return left(lowered(case when octet_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) = char_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) then coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))
                          else regexp_replace(normalize(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, '')), NFD), '[\u0300-\u036f]', '', 'g') end), 100);

-- In small letters, without accents and without characters that are not seen. What has no decomposition becomes what CLDR's
-- Latin-ASCII makes of it: ß ss, ø o, ł l, and the ı of Turkish an i, as its İ does. Marks that make another letter of
-- Japanese, Hindi or Thai stay. In PL/pgSQL, for a function of SQL that is not inlined costs more than what it does.
do $$
declare
  -- As in lowered.
  known text := (select format('name collate pg_catalog.%I', collname) from pg_collation
                  where collname in ('C.utf8', 'pg_c_utf8') and collencoding in (-1, pg_char_to_encoding('UTF8'))
                    and current_setting('server_encoding') = 'UTF8'
                  order by collname limit 1);
begin
  execute format($create$
    create function folded(name text) returns text language plpgsql immutable parallel safe as $body$
    begin
      if octet_length(name) = char_length(name) then
        return lower(name collate "C");
      end if;
      -- Composed again, so that the beginning of a Korean syllable is no beginning of the name.
      name := normalize(regexp_replace(normalize(name, NFKD), %L, '', 'g'), NFC);
      if octet_length(name) = char_length(name) then
        return lower(name collate "C");
      end if;
      name := lower(%s);
      return translate(replace(replace(replace(replace(name, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
                       'øłđðħıŧŋς‘’ʻʼ‐–—', 'olddhitnσ''''''''---');
    end $body$
  $create$,
    -- Accents, vowel signs of Hebrew and Arabic, variation selectors, and characters that join or direct others.
    '[\u00AD\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u1AB0-\u1AFF'
    '\u1DC0-\u1DFF\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF]+',
    coalesce(known, 'name'));
end $$;

create function count_added_bytes() returns trigger language plpgsql as $$
begin
  insert into source_bytes as b (organization_id, source_id, kept_in, bytes)
  select organization_id, source_id, tg_table_name, sum(octet_length(body)) from added group by 1, 2 order by 1, 2
      on conflict (organization_id, source_id, kept_in) do update set bytes = b.bytes + excluded.bytes;
  return null;
end $$;

-- Of a source that is deleted the count may be gone before its bodies.
create function count_removed_bytes() returns trigger language plpgsql
-- A session keeps its plans: made on an empty table they would scan it, whatever it holds later.
set enable_seqscan = off as $$
begin
  -- In the order in which they are added.
  perform from source_bytes b
    where (organization_id, source_id) in (select organization_id, source_id from removed) and kept_in = tg_table_name
    order by organization_id, source_id for update;
  update source_bytes b set bytes = b.bytes - r.bytes
    from (select organization_id, source_id, sum(octet_length(body)) as bytes from removed group by 1, 2) r
   where b.organization_id = r.organization_id and b.source_id = r.source_id and b.kept_in = tg_table_name;
  return null;
end $$;

create table organizations (
  organization_id       text primary key,
  name                  text not null,
  active                boolean not null default true,
  created_at            timestamptz not null,
  -- What is being deleted is gone for every caller from this moment; its rows follow in batches.
  deleted_at            timestamptz,
  -- No one approves what they wrote or last changed.
  four_eyes             boolean not null default false,
  -- In which its people read times.
  time_zone             text not null default 'UTC',
  -- When four eyes were last switched off, and by whom, written likewise.
  four_eyes_ended_at    timestamptz,
  four_eyes_ended_by    text,
  -- A session without a second factor does not get in.
  require_second_factor boolean not null default false,
  -- The currency that lifetime values are in; null: purchases are kept and not counted.
  currency              text check (currency ~ '^[A-Z]{3}$'),
  -- The switch above those of the channels: it can only take away.
  automation            text not null default 'on' check (automation in ('off', 'shadow', 'on')),
  automation_since      timestamptz,
  -- The addresses of people outside to whom members who write may send links; folded as in mail-address.ts.
  reviewers             text[] not null default '{}',
  -- When the list was last changed, and by whom, written as four_eyes_ended_by.
  reviewers_set_at      timestamptz,
  reviewers_set_by      text,
  -- A code of ISO 639-1: of mails to people who have none of their own, and to those without an account.
  language              text not null default 'en'
);
-- What probes, scrapes and lists ask costs the same however many posts and organizations there are.
create index organizations_in_list_order on organizations (created_at, organization_id) where deleted_at is null;
create index organizations_inactive on organizations (organization_id) where not active;

-- Another currency, or the first one: the worker computes all values again.
create function revalue_audience() returns trigger language plpgsql as $$
begin
  update live_audiences set revalue_after = '' where organization_id = new.organization_id;
  return null;
end $$;

create constraint trigger organizations_count_access_change
  after insert or update or delete on organizations
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create trigger organizations_revalue after update of currency on organizations
  for each row when (new.currency is distinct from old.currency) execute function revalue_audience();

create table api_keys (
  key_id              text primary key,
  organization_id     text not null references organizations,
  secret_sealed       text not null,
  created_at          timestamptz not null,
  revoked_at          timestamptz,
  name                text not null default '',
  -- Null: all that a key may hold.
  permissions         text[],
  -- Addresses and subnets that it may be used from. Empty: any.
  allowed_addresses   text[] not null default '{}',
  expires_at          timestamptz,
  -- Null: as many as the server allows a key; 0: any number.
  requests_per_second integer check (requests_per_second >= 0),
  -- Who issued it.
  created_by_type     text,
  created_by_id       text,
  -- The key that was last issued in place of this one. It may be removed by now.
  replaced_by         text
);
create index api_keys_by_organization on api_keys (organization_id, created_at, key_id);
create index api_keys_by_maker on api_keys (created_by_id);

create constraint trigger api_keys_count_access_change
  after insert or update or delete on api_keys
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create trigger api_keys_seal before insert or update of secret_sealed on api_keys
  for each row execute function refuse_seal_of_another_key('secret_sealed');

create table workspaces (
  organization_id text not null references organizations,
  workspace_id    text not null,
  name            text not null,
  type            text not null check (type in ('VIP', 'STANDARD')),
  deleted_at      timestamptz,
  primary key (organization_id, workspace_id)
);

create constraint trigger workspaces_count_access_change
  after insert or update or delete on workspaces
  deferrable initially deferred for each row execute function count_access_change('organization_id');

create table channels (
  organization_id          text not null references organizations,
  channel_id               text not null,
  type                     text not null check (type in ('FB_PAGE', 'INSTAGRAM_ACCOUNT')),
  name                     text not null,
  -- The page token of a channel, sealed; null while it is not connected to its platform. token_problem is the platform's own
  -- reason why the token no longer works, until a new one is given.
  access_token_sealed      text,
  token_problem            text,
  -- The row of a deleted channel stays: posts that went out there name it.
  deleted_at               timestamptz,
  -- Null while rows of a deleted channel are left. From then on the channel can be created again.
  emptied_at               timestamptz,
  -- Superpowers act where they are switched on: on no channel yet.
  automation               text not null default 'off' check (automation in ('off', 'shadow', 'on')),
  -- When it was last switched on, or to a dry run: comments from before are left alone.
  automation_since         timestamptz,
  -- Stands at the start of every automated message.
  automated_notice         text,
  private_replies_per_hour integer not null default 200
    check (private_replies_per_hour >= 1 and private_replies_per_hour <= 750),
  -- Why the platform stopped the channel, until it is switched on again.
  automation_problem       text,
  automation_problem_at    timestamptz,
  primary key (organization_id, channel_id),
  constraint channels_check check (emptied_at is null or deleted_at is not null)
);
-- A channel's id is its type and its id on the platform. The primary key begins with the organization, which a call of the
-- platform does not name.
create index channels_by_platform_id on channels (channel_id, organization_id);
-- A page that is open asks whose access tokens the platform refuses: few are, and only those are read.
create index channels_refused on channels (organization_id) where token_problem is not null and deleted_at is null;

create constraint trigger channels_count_access_change
  after insert or update of organization_id, channel_id, type, name, deleted_at or delete on channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create trigger channels_seal before insert or update of access_token_sealed on channels
  for each row when (new.access_token_sealed is not null)
  execute function refuse_seal_of_another_key('access_token_sealed');

create table workspace_channels (
  organization_id text not null,
  workspace_id    text not null,
  channel_id      text not null,
  primary key (organization_id, workspace_id, channel_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id),
  foreign key (organization_id, workspace_id) references workspaces (organization_id, workspace_id)
);

-- The VIP marks that are deleted with a connection are noted by the triggers of vip_marks.
create function note_changed_connection() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into pending_audience_changes (organization_id, channel_id, conversation_ids)
    values (old.organization_id, old.channel_id, '{}');
  end if;
  if tg_op <> 'DELETE' then
    insert into pending_audience_changes (organization_id, channel_id, conversation_ids)
    values (new.organization_id, new.channel_id, '{}');
  end if;
  return null;
end $$;

create constraint trigger workspace_channels_count_access_change
  after insert or update or delete on workspace_channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create trigger workspace_channels_note_change after insert or update or delete on workspace_channels
  for each row execute function note_changed_connection();

create table ad_accounts (
  organization_id     text not null references organizations,
  ad_account_id       text not null,
  name                text not null,
  currency            text not null,
  timezone            text not null,
  -- Null while the account is not connected to the platform.
  access_token_sealed text,
  -- The platform's own reason why it refused the token; null while nothing is known against it.
  token_problem       text,
  primary key (organization_id, ad_account_id)
);
create index ad_accounts_refused on ad_accounts (organization_id) where token_problem is not null;

create trigger ad_accounts_seal before insert or update of access_token_sealed on ad_accounts
  for each row when (new.access_token_sealed is not null)
  execute function refuse_seal_of_another_key('access_token_sealed');

-- One row per person who talks on a channel. Instants are milliseconds since the epoch, as on the wire.
-- Ids compare by their bytes (collate "C"), so that the list order is the same on every server.
create table conversations (
  organization_id         text not null,
  channel_id              text not null,
  conversation_id         text collate "C" not null,
  cuid                    text not null,
  user_name               text,
  first_name              text,
  last_name               text,
  profile_pic             text,
  -- YYYY-MM-DD, or --MM-DD where the year is unknown: the month stands at the same place from the right.
  birthday                text,
  last_purchase_at_ms     bigint,
  last_user_message_at_ms bigint,
  last_app_open_at_ms     bigint,
  lifetime_value          double precision not null default 0,
  -- The same as a decimal, so that amounts of money add up exactly. Lists stay sorted by lifetime_value: nodes compare the
  -- rows in memory as doubles, where two decimals may be equal. Triggers keep the two equal.
  lifetime_amount         numeric not null,
  -- The value of a conversation is its opening value and what was bought after opening_at_ms.
  -- Null until intake changes the value for the first time: lifetime_amount is the opening value then.
  opening_amount          numeric,
  -- Null: everything counts.
  opening_at_ms           bigint,
  -- The last purchase that an import gave.
  opening_purchase_ms     bigint,
  -- The times of the profile's fields, by name: the newest value wins, in whatever order they come. A field that was known
  -- before the first source has the time of that; one that is empty without a time is older than all.
  field_times             jsonb,
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);
-- The list order of GET /vip-users. A page walks this index and stops.
create index conversations_in_list_order
  on conversations (organization_id, channel_id, lifetime_value desc, conversation_id);
-- Younger than conversations_in_list_order. Where the planner expects one row either way, as on a table without statistics
-- or on a small channel, it takes the youngest index: to look up a conversation by its id it walked the whole channel in
-- list order, and each VIP mark of an import cost a millisecond.
alter table conversations add primary key (organization_id, channel_id, conversation_id);
-- For the deletions. None begins with organization_id: on a table without statistics such an index looks to the planner as
-- good as the primary key, and may be taken in its place.
create index conversations_by_person on conversations (cuid, organization_id);
create index conversations_by_name
  on conversations (audience_key(organization_id, channel_id), sort_name(first_name, last_name, user_name) collate
    "C", conversation_id);
create index conversations_by_purchase
  on conversations (audience_key(organization_id, channel_id), last_purchase_at_ms desc, conversation_id);
create index conversations_by_message
  on conversations (audience_key(organization_id, channel_id), last_user_message_at_ms desc, conversation_id);
create index conversations_by_birthday
  on conversations (audience_key(organization_id, channel_id), "right"(birthday, 5), conversation_id)
  where birthday is not null;

-- By way of the text: a cast of a double to a decimal keeps 15 digits, and the text as many as tell two doubles apart.
create function amount_of_value() returns trigger language plpgsql
set extra_float_digits = 1 as $$
begin
  new.lifetime_amount := new.lifetime_value::text::numeric;
  return new;
end $$;

create function unname_deleted_conversations() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  delete from conversation_names n
   using (select organization_id, unnest(names_of(first_name, last_name, user_name)) as name, channel_id, conversation_id from touched) t
   where n.organization_id = t.organization_id and n.name = t.name and n.channel_id = t.channel_id
     and n.conversation_id = t.conversation_id;
  return null;
end $$;

create function name_inserted_conversations() returns trigger language plpgsql as $$
begin
  insert into conversation_names (organization_id, name, channel_id, conversation_id)
  select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from touched
   where first_name is not null or last_name is not null or user_name is not null
      on conflict do nothing;
  return null;
end $$;

create function unname_truncated_conversations() returns trigger language plpgsql as $$
begin
  truncate conversation_names;
  return null;
end $$;

create function rename_conversation() returns trigger language plpgsql
set enable_seqscan = off as $$
declare
  before text[] := names_of(old.first_name, old.last_name, old.user_name);
  after  text[] := names_of(new.first_name, new.last_name, new.user_name);
  kept   text[] := '{}';
begin
  -- Names that stay are not written again.
  if row(old.organization_id, old.channel_id, old.conversation_id) = row(new.organization_id, new.channel_id, new.conversation_id) then
    kept := array(select unnest(before) intersect select unnest(after));
  end if;
  delete from conversation_names
   where organization_id = old.organization_id and channel_id = old.channel_id and conversation_id = old.conversation_id
     and name = any(before) and name <> all(kept);
  insert into conversation_names (organization_id, name, channel_id, conversation_id)
  select new.organization_id, name, new.channel_id, new.conversation_id from unnest(after) as n (name) where name <> all(kept)
      on conflict do nothing;
  return null;
end $$;

create function value_of_amount() returns trigger language plpgsql as $$
begin
  new.lifetime_value := new.lifetime_amount::double precision;
  return new;
end $$;

-- A writer that gives both costs neither trigger.
create trigger conversations_amount_of_inserted before insert on conversations
  for each row when (new.lifetime_amount is null) execute function amount_of_value();
create trigger conversations_amount_of_updated before update of lifetime_value on conversations
  for each row when (new.lifetime_value <> old.lifetime_value and new.lifetime_amount = old.lifetime_amount)
  execute function amount_of_value();
create trigger conversations_name_delete after delete on conversations
  referencing old table as touched for each statement execute function unname_deleted_conversations();
create trigger conversations_name_insert after insert on conversations
  referencing new table as touched for each statement execute function name_inserted_conversations();
create trigger conversations_name_truncate after truncate on conversations
  for each statement execute function unname_truncated_conversations();
create trigger conversations_note_delete after delete on conversations
  referencing old table as touched for each statement execute function note_touched_conversations();
create trigger conversations_note_insert after insert on conversations
  referencing new table as touched for each statement execute function note_touched_conversations();
create trigger conversations_note_truncate after truncate on conversations
  for each statement execute function note_truncated_conversations();
create trigger conversations_note_update after update on conversations
  referencing old table as old_rows new table as new_rows for each statement execute function note_updated_conversations();
create trigger conversations_rename after update on conversations for each row
  when (row(old.organization_id, old.channel_id, old.conversation_id, old.first_name, old.last_name, old.user_name)
        is distinct from row(new.organization_id, new.channel_id, new.conversation_id, new.first_name, new.last_name, new.user_name))
  execute function rename_conversation();
create trigger conversations_value_of_inserted before insert on conversations
  for each row when (new.lifetime_value = 0 and new.lifetime_amount <> 0) execute function value_of_amount();
create trigger conversations_value_of_updated before update of lifetime_amount on conversations
  for each row when (new.lifetime_value = old.lifetime_value and new.lifetime_amount <> old.lifetime_amount)
  execute function value_of_amount();

-- Who is a VIP is said per workspace: two workspaces may share a channel and differ in whom they favour.
create table vip_marks (
  organization_id text not null,
  channel_id      text not null,
  workspace_id    text not null,
  conversation_id text collate "C" not null,
  -- Null for a mark that was made by plain SQL.
  marked_at       timestamptz,
  actor_type      text,
  actor_id        text,
  primary key (organization_id, channel_id, workspace_id, conversation_id),
  foreign key (organization_id, channel_id, conversation_id)
    references conversations (organization_id, channel_id, conversation_id) on delete cascade,
  foreign key (organization_id, workspace_id, channel_id)
    references workspace_channels (organization_id, workspace_id, channel_id) on delete cascade
);
create index vip_marks_by_conversation on vip_marks (conversation_id, channel_id, organization_id);

create trigger vip_marks_note_delete after delete on vip_marks
  referencing old table as touched for each statement execute function note_touched_conversations();
create trigger vip_marks_note_insert after insert on vip_marks
  referencing new table as touched for each statement execute function note_touched_conversations();
create trigger vip_marks_note_truncate after truncate on vip_marks
  for each statement execute function note_truncated_conversations();
create trigger vip_marks_note_update after update on vip_marks
  referencing old table as old_rows new table as new_rows for each statement execute function note_updated_conversations();

create table scheduled_posts (
  organization_id     text not null references organizations,
  scheduled_post_id   text not null,
  status              text not null
    check (status in ('DRAFT', 'WAITING_FOR_APPROVAL', 'REJECTED', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED')),
  media               text,
  media_type          text,
  scheduled_for       timestamptz,
  -- The publishing task; there is one exactly while the post is SCHEDULED or PUBLISHING.
  task_id             text,
  notes               text,
  -- Counts the changes: the ETag of the post.
  version             integer not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  -- The publisher's hold on a post. The schedule is the post itself: there is no second queue to fall out of step.
  -- A post is due when it is SCHEDULED at or after scheduled_for, or PUBLISHING with its lease run out. Who holds the lease
  -- has an id of its own for each claim (leased_by), and every write of the publisher names it: a holder that lost the lease
  -- changes nothing.
  leased_by           text,
  leased_until        timestamptz,
  -- Not before this: a back-off, a rate limit, a container that is not ready.
  next_attempt_at     timestamptz,
  -- Approval is of a version, so that what was approved is what goes out: the version that the approver saw; kept with the
  -- post as long as it is on its way out or has ended.
  approved_version    integer,
  approved_at         timestamptz,
  approved_actor_type text check (approved_actor_type in ('key', 'user', 'operator', 'outsider')),
  approved_actor_id   text,
  -- A post without a time comes last: one value for that, so that a place in the list is one comparison of two columns that
  -- an index holds.
  list_time           timestamptz generated always as (coalesce(scheduled_for, 'infinity'::timestamptz)) stored,
  -- Lists are bounded in bytes: the size of a row is known before it is read.
  bytes               integer
    generated always as (octet_length(coalesce(media, '')) + octet_length(coalesce(notes, ''))) stored,
  -- The latest entries of the history that one caller has left by updates, as the next update has to know them: looking for
  -- them in the trail costs that update more than all else.
  history_run         json,
  -- An ended post can lose its content. The post itself stays, with the time at which that happened.
  content_removed_at  timestamptz,
  -- The process whose claim leased_by is, so that its leases end when it is found dead.
  lease_holder        text,
  -- Why the post was last returned; null once its writer has changed the notes. It is the notes of /v1 as long as it is
  -- there.
  review_notes        text,
  -- For people who do not see the picture. Null where there is none.
  alt_text            text,
  -- A raffle is drawn with a public random value that is fixed after its end (docs/raffles.md).
  -- The chain of the public beacon that decides the raffles of the approved version: null: none.
  approved_beacon     text,
  -- What the media at an address outside were when they were approved: the publisher fetches them again, and others go back
  -- to approval. SHA-256 of the bytes, in hexadecimal. Null for media that are not fixed, and for an upload, whose name is
  -- random and whose bytes nobody replaces.
  media_sha256        text check (media_sha256 ~ '^[0-9a-f]{64}$'),
  -- Why they are not fixed: a code of the API. CHANGED of a post that came back because they were no longer those.
  media_problem       text,
  -- When they were last fetched; null where they were not since the post last changed.
  media_checked_at    timestamptz,
  -- The reason that the history names: of several channels the one that comes first in the list of reasons.
  wait_reason         text,
  -- When the wait became one that people are told of; null while the post waits for nothing.
  wait_since          timestamptz,
  -- The number of entries that the history has of this wait.
  wait_changes        integer not null default 0,
  -- When the log last named the wait.
  wait_logged_at      timestamptz,
  primary key (organization_id, scheduled_post_id),
  constraint scheduled_posts_check check ((task_id is not null) = (status in ('SCHEDULED', 'PUBLISHING'))),
  constraint scheduled_posts_check1
    check ((approved_version is not null) = (status in ('SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'FAILED'))),
  constraint scheduled_posts_check2 check ((approved_version is null) = (approved_at is null)),
  constraint scheduled_posts_check3 check ((approved_version is null) = (approved_actor_type is null)),
  constraint scheduled_posts_check4 check (approved_version <= version),
  constraint scheduled_posts_check5 check (media_sha256 is null or media_problem is null),
  constraint scheduled_posts_content_removed_check
    check (content_removed_at is null or (status in ('PUBLISHED', 'FAILED')) and media is null and media_type is null
      and notes is null)
);
-- The order of the claim, so that it reads no more posts than it takes.
create index scheduled_posts_due
  on scheduled_posts (status, scheduled_for, organization_id, scheduled_post_id)
  where status in ('SCHEDULED', 'PUBLISHING');
-- Ids compare by their bytes, so that the list order is the same on every server.
create index scheduled_posts_in_list_order
  on scheduled_posts (organization_id, list_time, scheduled_post_id collate "C");
create index scheduled_posts_by_status
  on scheduled_posts (organization_id, status, list_time, scheduled_post_id collate "C");
-- A page that is open asks whether any post has changed: it looks at those that changed last.
create index scheduled_posts_by_change on scheduled_posts (organization_id, updated_at);
-- An address may be longer than a tree takes.
create index scheduled_posts_by_media on scheduled_posts using hash (media) where media is not null;

create function count_post_status() returns trigger language plpgsql as $$
begin
  update post_counts
     set draft = draft + coalesce((new.status = 'DRAFT')::integer, 0) - coalesce((old.status = 'DRAFT')::integer, 0),
         waiting_for_approval = waiting_for_approval + coalesce((new.status = 'WAITING_FOR_APPROVAL')::integer, 0)
                                                     - coalesce((old.status = 'WAITING_FOR_APPROVAL')::integer, 0),
         rejected = rejected + coalesce((new.status = 'REJECTED')::integer, 0) - coalesce((old.status = 'REJECTED')::integer, 0),
         scheduled = scheduled + coalesce((new.status = 'SCHEDULED')::integer, 0) - coalesce((old.status = 'SCHEDULED')::integer, 0),
         publishing = publishing + coalesce((new.status = 'PUBLISHING')::integer, 0) - coalesce((old.status = 'PUBLISHING')::integer, 0),
         published = published + coalesce((new.status = 'PUBLISHED')::integer, 0) - coalesce((old.status = 'PUBLISHED')::integer, 0),
         failed = failed + coalesce((new.status = 'FAILED')::integer, 0) - coalesce((old.status = 'FAILED')::integer, 0)
   where slot = pg_backend_pid() % 256;
  return null;
end $$;

-- A link to one post is for one round of approval, and so is a place in a link to several. The decision of the holder has
-- ended their own link before.
create function end_review_links() returns trigger language plpgsql as $$
begin
  update review_links set ended_why = 'over', expires_at = least(expires_at, new.updated_at)
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and ended_why is null and expires_at > new.updated_at;
  update review_link_posts set ended = true
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and decision is null and not ended;
  return null;
end $$;

-- The content of an approved post stands, until all of it is removed.
create function keep_approved_content() returns trigger language plpgsql as $$
begin
  if new.approved_version is not null and old.approved_version = new.approved_version
     and (new.media is distinct from old.media or new.media_type is distinct from old.media_type
          or new.alt_text is distinct from old.alt_text)
     -- Retention removes it.
     and new.content_removed_at is null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Other media begin unfixed, and what an approval has fixed stays fixed as long as the approval does. Held here for every
-- writer.
create function keep_fixed_media() returns trigger language plpgsql as $$
begin
  if new.media is distinct from old.media then
    new.media_sha256 := null;
    new.media_problem := null;
    new.media_checked_at := null;
  elsif new.approved_version is not null and old.approved_version = new.approved_version
        and new.media_sha256 is distinct from old.media_sha256 then
    raise exception 'the fixed media of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- A post that is out on a channel stays there as it went out: its media cannot change, nor can its caption and superpower on
-- that channel.
create function keep_published_media() returns trigger language plpgsql as $$
begin
  if exists (select from publications p
              where p.organization_id = new.organization_id and p.scheduled_post_id = new.scheduled_post_id
                and p.state = 'PUBLISHED') then
    raise exception 'what is out on a channel cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- A return asks for another version: when the post waits again, a link to several that works shows it to who returned it.
create function reopen_returned_posts() returns trigger language plpgsql as $$
begin
  update review_link_posts i set decision = null, decided_version = null, returned = true
   where organization_id = new.organization_id and scheduled_post_id = new.scheduled_post_id and decision = 'rejected'
     and exists (select from review_links l
                  where l.organization_id = new.organization_id and l.link_id = i.link_id
                    and l.ended_why is null and l.expires_at > new.updated_at);
  return null;
end $$;

create constraint trigger scheduled_posts_count_rows
  after insert or delete on scheduled_posts
  deferrable initially deferred for each row execute function count_post_status();
create constraint trigger scheduled_posts_count_status
  after update of status on scheduled_posts
  deferrable initially deferred for each row when (old.status <> new.status) execute function count_post_status();
create trigger scheduled_posts_end_review_links
  after update of status on scheduled_posts
  for each row when (old.status = 'WAITING_FOR_APPROVAL' and new.status <> old.status)
  execute function end_review_links();
create trigger scheduled_posts_keep_approved_content
  before update of media, media_type, alt_text on scheduled_posts
  for each row execute function keep_approved_content();
create trigger scheduled_posts_keep_fixed_media
  before update of media, media_sha256, approved_version on scheduled_posts
  for each row when (new.media is distinct from old.media or new.media_sha256 is distinct from old.media_sha256)
  execute function keep_fixed_media();
create trigger scheduled_posts_keep_published_media
  before update of media, media_type, alt_text on scheduled_posts
  for each row when ((new.media is distinct from old.media
                     or coalesce(new.media_type, 'IMAGE') <> coalesce(old.media_type, 'IMAGE')
                     or new.alt_text is distinct from old.alt_text)
                    -- Retention removes it.
                    and new.content_removed_at is null)
  execute function keep_published_media();
create trigger scheduled_posts_reopen_returned
  after update of status on scheduled_posts
  for each row when (new.status = 'WAITING_FOR_APPROVAL' and old.status <> new.status)
  execute function reopen_returned_posts();

create table scheduled_post_channels (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  caption           text,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  superpower        json,
  failed_to_publish boolean not null default false,
  bytes             integer
    generated always as (octet_length(coalesce(caption, '')) + octet_length(coalesce(superpower::text, ''))) stored,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);
create index scheduled_post_channels_by_channel
  on scheduled_post_channels (channel_id, organization_id, scheduled_post_id);

create function keep_approved_channels() returns trigger language plpgsql as $$
declare
  approved  integer;
  removed   timestamptz;
begin
  select approved_version, content_removed_at into approved, removed from scheduled_posts p
   where p.organization_id = coalesce(new.organization_id, old.organization_id)
     and p.scheduled_post_id = coalesce(new.scheduled_post_id, old.scheduled_post_id);
  if tg_op = 'UPDATE' and removed is not null and new.channel_id = old.channel_id
     and new.caption is null and new.superpower is null then
    return null;
  end if;
  -- A post that is deleted takes its channels with it.
  if approved is not null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create function keep_published_channel() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.channel_id = old.channel_id and new.caption is null and new.superpower is null
     and exists (select from scheduled_posts p
                  where p.organization_id = new.organization_id and p.scheduled_post_id = new.scheduled_post_id
                    and p.content_removed_at is not null) then
    return null;
  end if;
  -- A post that is deleted takes its channels with it.
  if exists (select from publications p join scheduled_posts using (organization_id, scheduled_post_id)
              where p.organization_id = old.organization_id and p.scheduled_post_id = old.scheduled_post_id
                and p.channel_id = old.channel_id and p.state = 'PUBLISHED') then
    raise exception 'what is out on a channel cannot change' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create trigger scheduled_post_channels_keep_approved
  after insert or delete on scheduled_post_channels
  for each row execute function keep_approved_channels();
-- What is written again unchanged is no change.
create trigger scheduled_post_channels_keep_approved_content
  after update of channel_id, caption, superpower on scheduled_post_channels
  for each row when (new.channel_id <> old.channel_id or new.caption is distinct from old.caption
                     or new.superpower::text is distinct from old.superpower::text)
  execute function keep_approved_channels();
create trigger scheduled_post_channels_keep_published
  after delete on scheduled_post_channels
  for each row execute function keep_published_channel();
create trigger scheduled_post_channels_keep_published_content
  after update of channel_id, caption, superpower on scheduled_post_channels
  for each row when (new.channel_id <> old.channel_id or new.caption is distinct from old.caption
                     or new.superpower::text is distinct from old.superpower::text)
  execute function keep_published_channel();

-- A hashtag in use on a channel (interface 7.5). The primary key is the rule: of two posts that claim one hashtag at
-- once exactly one gets the row. A claim whose superpower has expired may be taken over; a post that is published,
-- failed or deleted holds none.
create table hashtag_claims (
  organization_id   text not null,
  channel_id        text not null,
  lookup_hashtag    text not null,
  scheduled_post_id text not null,
  -- Milliseconds since the epoch, as on the wire: any integer. Null: never expires.
  expires_at_ms     bigint,
  primary key (organization_id, channel_id, lookup_hashtag),
  constraint hashtag_claims_organization_id_scheduled_post_id_channel_i_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references scheduled_post_channels (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index hashtag_claims_by_post on hashtag_claims (organization_id, scheduled_post_id);

-- Saved superpowers, which a post may name by creativeTemplateId.
create table superpowers (
  organization_id      text not null references organizations,
  creative_template_id text not null,
  name                 text not null,
  superpower           json not null,
  active               boolean not null default true,
  bytes                integer generated always as (octet_length(superpower::text)) stored,
  primary key (organization_id, creative_template_id)
);

-- How far a post has come on one of its channels. Each step's result is stored before the next call is made, so that
-- the process that takes over knows which calls may have gone through.
create table publications (
  organization_id       text not null,
  scheduled_post_id     text not null,
  channel_id            text not null,
  state                 text not null check (state in ('PENDING', 'PUBLISHED', 'FAILED')),
  -- What was made before publishing and may be made again: an Instagram container, an unpublished photo.
  container_id          text,
  -- Set before the one call that publishes. Set without external_id, that call may have gone through: it is never
  -- repeated, only looked for.
  attempted_at          timestamptz,
  external_id           text,
  permalink             text,
  -- How often it was put off; once attempted_at is set, how often it was looked for in vain.
  attempts              integer not null default 0,
  -- Not before this. The post's own next_attempt_at is the soonest of its channels'.
  next_attempt_at       timestamptz,
  -- The true reason of a failure or of the wait, in the platform's own words where it gave any.
  error                 text,
  -- attempted_at by the platform's clock, from which on a publication is searched for when the answer to its call is lost;
  -- null where no answer of the platform had told its clock.
  platform_attempted_at timestamptz,
  -- Digest of the text by which it is searched for then. Set with attempted_at.
  text_digest           text,
  -- A code of interface/post-waits.ts while the publication waits; publications.error has the words that belong to it.
  wait_reason           text,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);
-- What is published on a channel is one post's.
create unique index publications_external_id
  on publications (organization_id, channel_id, external_id)
  where external_id is not null;
-- Of the posts with one text on a channel one at a time is between its call and that call's outcome: what a search finds
-- by this text was published by no other.
create unique index publications_open_call
  on publications (organization_id, channel_id, text_digest)
  where state = 'PENDING' and attempted_at is not null and external_id is null;
-- Calls whose outcome was never found out.
create index publications_without_id
  on publications (organization_id, channel_id, text_digest)
  where attempted_at is not null and external_id is null;

-- Whoever writes that a post is out, the post is watched from then on, and its comments that have come already wait.
create function watch_published_post() returns trigger language plpgsql as $$
begin
  insert into automation_posts
         (organization_id, scheduled_post_id, channel_id, external_id, published_at, next_attempt_at)
  select new.organization_id, new.scheduled_post_id, new.channel_id, new.external_id,
         coalesce(new.attempted_at, now()), coalesce(new.attempted_at, now())
    from scheduled_post_channels
   where organization_id = new.organization_id and scheduled_post_id = new.scheduled_post_id
     and channel_id = new.channel_id and superpower is not null
      on conflict do nothing;
  if found then
    update incoming_comments set waiting = true
     where organization_id = new.organization_id and channel_id = new.channel_id and object_id = new.external_id
       and not waiting;
  end if;
  return null;
end $$;

create trigger watch_published_post after update of state on publications
  for each row when (new.state = 'PUBLISHED' and new.external_id is not null and old.state <> 'PUBLISHED')
  execute function watch_published_post();

-- The first answer to a creation with an Idempotency-Key, for 24 hours.
create table idempotency_keys (
  organization_id text not null references organizations,
  idempotency_key text not null,
  -- SHA-256 of the body.
  body_hash       text not null,
  -- Null only until the end of the transaction that makes the post. json, not jsonb: it goes out as it went out first.
  answer          json,
  created_at      timestamptz not null,
  -- A repeat of a call with an Idempotency-Key passes the checks of channels that the first call passed, as of now.
  -- Each check's channel ids, as a list of lists; an empty one is a check of the role in the organization.
  checked         jsonb,
  primary key (organization_id, idempotency_key)
);
create index idempotency_keys_by_age on idempotency_keys (organization_id, created_at);

-- One row for each channel whose audience ever changed; it outlives the channel, because one that is created again must not
-- start again at revision 1: a cached list of the old channel would look current. The revision grows in every transaction
-- that changes a conversation or a VIP mark of the channel, by the number of conversations that it touched; the row stays
-- locked until that transaction ends, so that revisions become visible in their order.
create table audiences (
  organization_id text not null,
  channel_id      text not null,
  revision        bigint not null,
  -- audience_changes tells of all changes after this revision; of those before it nothing is known any more.
  changes_since   bigint not null,
  primary key (organization_id, channel_id)
);

-- A deleted organization takes its revisions with it: its id is never given again.
create function refuse_audience_deletion() returns trigger language plpgsql as $$
begin
  if exists (select from organizations where organization_id = old.organization_id and deleted_at is null) then
    raise exception 'a revision never goes back: caches would take old content for the present one';
  end if;
  return old;
end $$;

create trigger audiences_only_grow before update on audiences
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger audiences_stay before delete on audiences
  for each row execute function refuse_audience_deletion();

-- The conversations that the transaction of a revision touched: inserted, updated, deleted, marked or unmarked.
create table audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  revision         bigint not null,
  conversation_ids text[] not null,
  primary key (organization_id, channel_id, revision),
  foreign key (organization_id, channel_id) references audiences (organization_id, channel_id) on delete cascade
);

-- The revision of a channel's audience is counted by triggers, so that no writer can forget it, and a row that plain SQL
-- changes or deletes leaves the lists at once. Each statement on conversations, VIP marks or connections notes here what it
-- touched; at the end of the transaction all its notes become one revision of each channel. So the rows in audiences are
-- locked only while the transaction commits.
--
-- What running transactions have touched. Each row is deleted before its transaction commits, so a crash loses nothing that
-- is needed.
create unlogged table pending_audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  transaction_id   xid8 not null default pg_current_xact_id(),
  change_id        bigint not null default nextval('pending_audience_change_ids'::regclass),
  -- Null: any number of conversations. Empty: only the channel's connections.
  conversation_ids text[],
  -- The changes of a transaction are counted by one statement for all channels: one for each channel took 39 ms of processor
  -- time to commit 1,300 events on 100 channels on the embedded engine, and this takes 18. True for the first one of its
  -- statement and organization. Its trigger counts all that is there of its transaction.
  is_first         boolean not null default true,
  -- The transaction is in it, so that a look-up reads no dead rows of earlier ones.
  -- The transaction is in it, so that a look-up reads no dead rows of earlier ones.
  primary key (organization_id, transaction_id, change_id)
);

-- Gives each channel its next revision: the last one plus the number of conversations touched, so that the difference of two
-- revisions says how many changed at most. Channels are locked in their order. Each statement here sees what was committed
-- before it, and so the delete sees the log of every transaction that had the locks on audiences before.
create function count_audience_change() returns trigger language plpgsql
-- A session keeps its plans: made on an empty table they would scan it, whatever it holds later.
set enable_seqscan = off as $$
declare
  channels text[];
begin
  if not exists (
    select from pending_audience_changes
     where organization_id = new.organization_id and transaction_id = new.transaction_id and change_id = new.change_id
  ) then
    return null;
  end if;
  with taken as (
    delete from pending_audience_changes
     where organization_id = new.organization_id and transaction_id = new.transaction_id
    returning channel_id, conversation_ids
  ), touched as (
    select channel_id, bool_or(conversation_ids is null) as any_number,
           array_agg(distinct id) filter (where id is not null) as ids
      from taken left join lateral unnest(conversation_ids) as u (id) on true
     group by channel_id
  ), counts as (
    select channel_id, any_number or coalesce(cardinality(ids), 0) > 10000 as any_number, ids from touched
  ), counted as (
    -- changes_since is not 0 for any number, and stands for that in the update.
    insert into audiences as a (organization_id, channel_id, revision, changes_since)
    select new.organization_id, channel_id, case when any_number then 1 else greatest(1, cardinality(ids)) end, any_number::integer
      from counts order by channel_id
    on conflict (organization_id, channel_id) do update
      set revision = a.revision + excluded.revision,
          changes_since = case when excluded.changes_since > 0 then a.revision + excluded.revision
                               else greatest(a.changes_since, a.revision + excluded.revision - 10000) end
    returning channel_id, revision, changes_since
  ), logged as (
    insert into audience_changes (organization_id, channel_id, revision, conversation_ids)
    select new.organization_id, channel_id, revision, ids from counted join counts using (channel_id)
     where not any_number and ids is not null
  )
  select array_agg(channel_id) into channels from counted where changes_since > 0;
  if channels is not null then
    perform trim_audience_changes(new.organization_id, channels);
  end if;
  return null;
end $$;

create constraint trigger pending_audience_changes_count
  after insert on pending_audience_changes
  deferrable initially deferred for each row when (new.is_first) execute function count_audience_change();

-- Every change on every surface, in the transaction that makes it: one trail for all of them.
-- It outlives what it tells of, and holds no secret.
create table audit_trail (
  organization_id text not null,
  -- Its order. Gaps are transactions that were rolled back.
  audit_id        bigint not null generated always as identity,
  at              timestamptz not null,
  -- A person, too, changes and approves. An operator with an id is a named token.
  -- Who holds a link approves and returns.
  actor_type      text not null check (actor_type in ('key', 'user', 'operator', 'publisher', 'outsider')),
  -- The id of the key.
  actor_id        text,
  -- The operationId; of the publisher's changes publishScheduledPost.
  operation       text not null,
  target_type     text not null,
  target_id       text not null,
  -- Of a scheduled post: its version after the change.
  version         integer,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  changes         json,
  -- The IP address of the caller; null for what no one asked for.
  address         text,
  primary key (organization_id, audit_id),
  -- An operator with an id is a named token; the token of the environment has none.
  constraint audit_trail_actor_id_check
    check ( case when actor_type in ('key', 'user', 'outsider') then actor_id is not null when actor_type =
      'publisher' then actor_id is null else true end)
);
-- The history of a post. A version is written once: a second change that takes itself for the same one fails.
create unique index audit_trail_of_posts
  on audit_trail (organization_id, target_id, version)
  where target_type = 'scheduledPost';
-- The latest entries of one thing. Posts have histories of their own.
create index audit_trail_of_targets
  on audit_trail (organization_id, target_type, target_id, audit_id)
  where version is null;
-- Where a day of a long trail begins.
create index audit_trail_by_time on audit_trail (organization_id, at);

-- Nothing changes an entry. An entry goes only when a file has it.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from audit_exports e where e.organization_id = old.organization_id and e.through >= old.audit_id
  ) then
    return old;
  end if;
  raise exception 'the audit trail is append-only';
end $$;

create trigger audit_trail_is_append_only
  before update or delete on audit_trail
  for each row execute function refuse_audit_change();

-- Made-up data and real data never meet: the demo refuses a service's database, and the service a demo's.
create table installation (
  only_row boolean default true primary key check (only_row),
  purpose  text not null check (purpose in ('service', 'demo'))
);

-- The master keys that this database has had; not the keys themselves. New secrets are sealed under the current one. While
-- a rotation is under way, those of before rest under the retiring one.
create table master_keys (
  key_id        text primary key,
  -- One and the same secret, sealed under each key: a process that cannot open it has the wrong key.
  secret_sealed text not null,
  state         text not null check (state in ('current', 'retiring', 'retired'))
);
create unique index master_keys_current on master_keys (state) where state = 'current';

-- One import per channel at a time, whatever the node. Lost in a crash together with the imports that ran.
create unlogged table running_imports (
  organization_id text not null,
  channel_id      text not null,
  leased_by       text not null,
  leased_until    timestamptz not null,
  primary key (organization_id, channel_id)
);

-- Whom an import leaves out. It holds no name and no id: only who has an id can tell whether it was erased here.
create table erased_people (
  organization_id text not null references organizations,
  -- SHA-256 of the organization's id and the person's cuid.
  person_hash     text not null,
  -- Names the erasure in the audit trail.
  erasure_id      text not null,
  erased_at       timestamptz not null,
  primary key (organization_id, person_hash)
);

-- One row for each publisher, so that its posts wait for seconds when it dies, not for the end of their leases. These name
-- it as their lease_holder. Which one has stopped is told by the reader's own clock, from beats that stay the same, so that
-- no clocks are compared. Who finds one dead deletes its row and ends its leases in one transaction; the row is the proof of
-- life.
create table publishers (
  publisher_id text primary key,
  beats        bigint not null default 0,
  -- The work of a process that gives signs of life: a process may have one row for each kind.
  work         text not null default 'publishing',
  -- The last beat by the clock of the database, by which readers find that no process publishes. It decides about no lease.
  beat_at      timestamptz
);

-- How many posts are in each status: the sums over all slots. A slot alone may count below zero. Each connection counts in
-- its own slot, so that transactions do not wait for each other, and at the end of the transaction, so that the row is its
-- last lock.
create table post_counts (
  slot                 integer primary key,
  draft                bigint not null default 0,
  waiting_for_approval bigint not null default 0,
  rejected             bigint not null default 0,
  scheduled            bigint not null default 0,
  publishing           bigint not null default 0,
  published            bigint not null default 0,
  failed               bigint not null default 0
) with (fillfactor = 20);

insert into post_counts (slot) select generate_series(0, 255);

-- Who may call and what there is to ask for (organizations, keys, workspaces, channels and their connections) is asked at
-- every request and hardly ever changes, so a process keeps it in memory while these numbers stay the same. Triggers count
-- them, so that no writer can forget it, and at the end of the transaction, so that a row is held but briefly. Each
-- organization has its own: a change of one leaves what is kept of the others, and waits for no other organization's commit.
create table access_revisions (
  -- An organization or a person; '' for what belongs to neither. One that never changed has no row.
  scope_id text primary key,
  revision bigint not null
);

create trigger access_revisions_only_grow before update on access_revisions
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger access_revisions_stay before delete on access_revisions
  for each row execute function refuse_revision_going_back();

insert into access_revisions (scope_id, revision) values ('', 0);

-- People, what they may do in which organization, and how they get in.
create table people (
  person_id      text primary key,
  name           text not null,
  mail           text not null,
  -- Does what the operator token does.
  owner          boolean not null default false,
  -- False: no sign-in, no session.
  active         boolean not null default true,
  -- A PHC string; null for a person who has none.
  password_hash  text,
  created_at     timestamptz not null,
  -- A mail address counts only when it is proven: by a mail that was sent to it, or by the identity provider. Until then an
  -- account that an invitation made belongs to the organization of that invitation alone.
  -- Null: nothing has shown that the address is the person's.
  mail_proven_at timestamptz,
  -- The only organization that the account may be a member of. No reference: it outlives the organization, and opens nothing
  -- then.
  bound_to       text,
  -- The account of the same address that took this one's place. The row stays for the names in histories.
  merged_into    text references people on delete cascade,
  -- A code of ISO 639-1; null for the language of the browser.
  language       text,
  -- An IANA name; null for the zone of the organization. Not time_zone: it is joined to organizations.
  own_time_zone  text,
  -- How the browser of the last sign-in writes times and numbers, such as pt-BR or pt; null before the first one.
  browser_locale text,
  constraint people_bound_check check (bound_to is null or mail_proven_at is null and not owner),
  constraint people_merged_check check (merged_into is null or not active)
);
create index people_by_merged on people (merged_into) where merged_into is not null;
-- Letters of ASCII only are folded: U+212A is no K, and what lower() makes of İ depends on the database's locale.
create unique index people_by_mail on people (lower(mail collate "C")) where bound_to is null and merged_into is null;
create unique index people_by_bound_mail
  on people (lower(mail collate "C"), bound_to)
  where bound_to is not null and merged_into is null;

-- What is cached of people ends with these changes, on every node: sessions with their person's, memberships with their
-- organization's. That a session begins or is seen changes nothing cached.
create constraint trigger people_count_access_change
  after update of name, mail, owner, active or delete on people
  deferrable initially deferred for each row execute function count_access_change('person_id');

create table memberships (
  organization_id     text not null references organizations,
  -- The database deletes these, so that none is left by a sign-in that is under way at the same instant.
  person_id           text not null references people on delete cascade,
  role                text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve         boolean not null,
  created_at          timestamptz not null,
  -- Whether the member gets mails about posts that wait and failures.
  notify              boolean not null default true,
  -- As `user:<id>` or `operator:<name>`; null where no one is known to have given it.
  approval_granted_at timestamptz,
  approval_granted_by text,
  -- The kinds of news that the member gets mails about, where `notify` is on.
  mail_kinds          text[] not null default '{returned,approved,failed,mentioned,replied}',
  primary key (organization_id, person_id)
);
create index memberships_by_person on memberships (person_id, organization_id);

create function check_bound_membership() returns trigger language plpgsql as $$
begin
  if exists (select from people where person_id = new.person_id and bound_to <> new.organization_id) then
    raise exception 'person % is bound to another organization', new.person_id using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- A person who leaves and comes back makes a new address.
create function end_calendar_feed() returns trigger language plpgsql as $$
begin
  delete from calendar_feeds where organization_id = old.organization_id and person_id = old.person_id;
  return null;
end $$;

create function end_roles_by_channel() returns trigger language plpgsql as $$
begin
  delete from membership_channels where organization_id = new.organization_id and person_id = new.person_id;
  return null;
end $$;

create trigger memberships_check_bound
  before insert or update of organization_id, person_id on memberships
  for each row execute function check_bound_membership();
create constraint trigger memberships_count_access_change
  after insert or update or delete on memberships
  deferrable initially deferred for each row execute function count_access_change('organization_id');
create trigger memberships_end_calendar_feed
  after delete on memberships
  for each row execute function end_calendar_feed();
create trigger memberships_end_roles_by_channel
  after update of role on memberships
  for each row when (new.role = 'ADMIN' and old.role <> 'ADMIN')
  execute function end_roles_by_channel();

-- Of tokens only the SHA-256 is kept.
create table invitations (
  organization_id text not null references organizations,
  invitation_id   text not null,
  token_hash      text not null unique,
  mail            text not null,
  role            text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve     boolean not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  -- What is in a mail alone: who shows it has read the mail. The other token is seen by the one who invites.
  mail_token_hash text unique,
  -- Who made what lets people in, whose grant the right to approve is, and how long a link may set a password.
  created_by_type text,
  created_by_id   text,
  primary key (organization_id, invitation_id)
);
create index invitations_by_maker on invitations (created_by_id);

-- Links that let one person in, once: to the account of the first owner, or to one that exists.
create table entry_links (
  token_hash      text primary key,
  -- Null: its holder becomes an owner.
  person_id       text references people on delete cascade,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  -- Those that are open end within the hour.
  created_by_type text,
  created_by_id   text
);
create index entry_links_by_person on entry_links (person_id);

create table sessions (
  token_hash         text primary key,
  -- Names it to its person. The token does not follow from it.
  session_id         text not null unique,
  person_id          text not null references people on delete cascade,
  -- How it began: by password, link or identity provider.
  method             text not null check (method in ('password', 'link', 'oidc', 'passkey')),
  user_agent         text,
  created_at         timestamptz not null,
  -- To the minute.
  last_seen_at       timestamptz not null,
  expires_at         timestamptz not null,
  -- Until then the session may set a password without the present one, once.
  password_until     timestamptz,
  -- Wrong present passwords that it has given.
  password_failures  integer not null default 0,
  -- Whether it has passed one.
  second_factor      boolean not null default false,
  -- When its person last proved themselves in it; null: when it began.
  confirmed_at       timestamptz,
  -- What the authenticator is to sign, and until when.
  challenge          text,
  challenge_until    timestamptz,
  address            text,
  -- Noted together with last_seen_at.
  last_address       text,
  -- The ID token of the sign-in: at the sign-out it names to the provider the session that ends. Encrypted under a key that
  -- follows from the session's own token, which only the browser has. Null when there is none, or when it was too long.
  id_token_encrypted text
);
create index sessions_by_person on sessions (person_id, created_at);

create constraint trigger sessions_count_access_change
  after delete on sessions
  deferrable initially deferred for each row execute function count_access_change('person_id');
-- Who may enter an organization follows from it, on every node.
create constraint trigger sessions_count_second_factor
  after update of second_factor on sessions
  deferrable initially deferred for each row when (old.second_factor is distinct from new.second_factor)
  execute function count_access_change('person_id');

-- When a key was last used, to the minute. Apart from api_keys, each change of which makes every process read its keys
-- again.
create table key_uses (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  last_used_at    timestamptz not null,
  primary key (organization_id, key_id)
);

-- Operator tokens beside the one of the environment. Of a token only its SHA-256 is kept: it is 256 random bits.
create table operator_tokens (
  -- Names it in the audit trail, for good: a revoked one keeps it.
  name            text primary key,
  token_hash      text not null unique,
  created_at      timestamptz not null,
  created_by_type text not null,
  created_by_id   text,
  -- Null: never.
  expires_at      timestamptz,
  revoked_at      timestamptz
);

-- Of what belongs to neither.
create function count_directory_change() returns trigger language plpgsql as $$
begin
  perform count_access_change_of('');
  return null;
end $$;

-- Every node refuses a revoked one from its next request on.
create constraint trigger operator_tokens_count_directory_change
  after insert or update or delete on operator_tokens
  deferrable initially deferred for each row execute function count_directory_change();

-- Uploaded images and videos; the files themselves are in MEDIA_DIR.
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
  name            text,
  -- Uploaded files have a small picture for lists: that of a video is its poster. It lies in MEDIA_DIR beside its file.
  -- Null while it has none.
  small_bytes     integer check (small_bytes > 0),
  small_sha256    text,
  primary key (organization_id, media_id),
  constraint media_check check ((duration_ms is not null) = (content_type ~~ 'video/%')),
  constraint media_small_whole check ((small_bytes is null) = (small_sha256 is null))
);
create index media_newest on media (organization_id, created_at desc, media_id desc);

-- Signing in by an identity provider: who a person is there, and which sign-ins were finished.
create table identities (
  issuer     text not null,
  -- The provider's own id of the person: a mail address may go over to another one.
  subject    text not null,
  person_id  text not null references people on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
-- A second subject with the mail address of a person is another person.
create unique index identities_by_person on identities (person_id, issuer);

-- What comes back from the provider counts once, on all nodes. Kept until it could not be finished anyway.
create table finished_visits (
  -- SHA-256 of the state.
  state_hash text primary key,
  expires_at timestamptz not null
);
create index finished_visits_by_end on finished_visits (expires_at);

-- Links by which one who has no account approves or returns posts.
create table review_links (
  organization_id   text not null references organizations,
  link_id           text not null,
  -- SHA-256 of the token.
  token_hash        text not null unique,
  -- Null for a link to several posts, which are in review_link_posts.
  scheduled_post_id text,
  -- Whom the link is for, as the history says it.
  name              text not null,
  -- They have ended before, which the audit trail says.
  made_by           text not null references people on delete cascade,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  -- To the minute; null while no one has opened it.
  opened_at         timestamptz,
  -- The address to which the link was sent: its maker has never seen the link. Null for one that its maker hands over.
  mail              text,
  -- Links that have ended stay for a while, so that people see why. Null while the link works, and where its time was over.
  -- A link that ends takes its end as `expires_at`.
  ended_why         text check (ended_why in ('approved', 'returned', 'over', 'revoked', 'maker')),
  primary key (organization_id, link_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);
create index review_links_by_post on review_links (organization_id, scheduled_post_id);
create index review_links_by_maker on review_links (made_by);
create index review_links_by_end on review_links (organization_id, expires_at);

-- What a post said when it was last approved or returned, for the difference that the next reviewer reads.
create table post_reviews (
  organization_id   text not null,
  scheduled_post_id text not null,
  -- The version that was decided about.
  version           integer not null,
  decision          text not null check (decision in ('approved', 'rejected')),
  decided_at        timestamptz not null,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  content           json not null,
  -- The review and the review notes in place of which this decision stands, for the one who takes it back.
  replaced          jsonb,
  primary key (organization_id, scheduled_post_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);

-- When the service last made a backup by itself: of several nodes on one database one makes it.
create table last_backup (
  only_row      boolean default true primary key check (only_row),
  made_at       timestamptz not null,
  file          text not null,
  bytes         bigint not null,
  -- Whether it holds the master key.
  master_key    boolean not null,
  -- A backup may lack media files: its node has no MEDIA_DIR, or the files are gone.
  missing_media integer not null default 0
);

-- The outbox: written in the transaction that an event tells about, and emptied into deliveries and mails.
create table events (
  organization_id text not null,
  event_id        text not null,
  type            text not null,
  at              timestamptz not null,
  -- Ids alone.
  data            json not null,
  -- The token of the link that a mail shows; bound to the event.
  secret_sealed   text,
  primary key (organization_id, event_id)
);
create index events_oldest on events (at);

create trigger events_seal before insert or update of secret_sealed on events
  for each row when (new.secret_sealed is not null)
  execute function refuse_seal_of_another_key('secret_sealed');

create table webhooks (
  organization_id        text not null references organizations,
  webhook_id             text not null,
  url                    text not null,
  secret_sealed          text not null,
  -- Signs beside the present one until then.
  previous_secret_sealed text,
  previous_until         timestamptz,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  name                   text not null default '',
  -- Null: all of them, also those of later versions.
  events                 text[],
  active                 boolean not null default true,
  primary key (organization_id, webhook_id),
  constraint webhooks_check check ((previous_secret_sealed is null) = (previous_until is null))
);

create trigger webhooks_seal before insert or update of secret_sealed on webhooks
  for each row execute function refuse_seal_of_another_key('secret_sealed');

create table webhook_deliveries (
  organization_id  text not null references organizations,
  -- That of the event.
  event_id         text not null,
  -- In the order in which they were made.
  number           bigint not null generated always as identity,
  type             text not null,
  at               timestamptz not null,
  data             json not null,
  status           text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Since it was last sent by hand, or made.
  attempts         integer not null default 0,
  next_attempt_at  timestamptz,
  -- Of the process that sends it now.
  leased_by        text,
  leased_until     timestamptz,
  last_attempt_at  timestamptz,
  last_status      integer,
  last_error       text,
  webhook_id       text not null,
  -- The beginning of the receiver's answer to the last attempt, as text.
  last_answer      text,
  last_duration_ms integer,
  constraint webhook_deliveries_check check ((status = 'PENDING') = (next_attempt_at is not null)),
  constraint webhook_deliveries_check1 check ((leased_by is null) = (leased_until is null))
);
create index webhook_deliveries_latest on webhook_deliveries (organization_id, number desc);
create index webhook_deliveries_at on webhook_deliveries (at);
alter table webhook_deliveries add primary key (organization_id, webhook_id, event_id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 'PENDING';
create index webhook_deliveries_of_webhook on webhook_deliveries (organization_id, webhook_id, number desc);

-- A mail that is to be sent. Of what is gathered a row for each person and kind, which stays: it says when the last one went
-- out.
create table mails (
  organization_id text not null references organizations,
  -- That of the event, or `<kind>:<person>` of what is gathered.
  mail_id         text not null,
  kind            text not null
    check (kind in ('invitation', 'review_link', 'approval', 'post_failed', 'token_refused', 'key_expiring')),
  person_id       text references people on delete cascade,
  invitation_id   text,
  -- The token of the link.
  secret_sealed   text,
  -- How many there are to tell of.
  count           integer not null,
  -- Since when.
  since           timestamptz not null,
  attempts        integer not null default 0,
  -- Null: nothing is to be sent.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- Another one is not sent before.
  quiet_until     timestamptz,
  link_id         text,
  primary key (organization_id, mail_id),
  constraint mails_check2 check ((leased_by is null) = (leased_until is null)),
  constraint mails_invitation_check check ((kind = 'invitation') = (invitation_id is not null)),
  constraint mails_link_check check ((kind = 'review_link') = (link_id is not null)),
  constraint mails_person_check check ((kind in ('invitation', 'review_link')) = (person_id is null))
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_of_person on mails (person_id) where person_id is not null;

-- Second factors of people: passkeys, authenticator apps, recovery codes; sessions that still need one.
create table passkeys (
  passkey_id    text primary key,
  person_id     text not null references people on delete cascade,
  -- That of the authenticator, in base64url.
  credential_id text not null unique,
  -- COSE, in base64url.
  public_key    text not null,
  -- The domain for which the browser made it.
  rp_id         text not null,
  -- Of the authenticator: a signature with a lower one comes from a copy. 0: it does not count.
  counter       bigint not null,
  transports    text[] not null,
  name          text not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index passkeys_by_person on passkeys (person_id, created_at);

create table totp_secrets (
  person_id     text primary key references people on delete cascade,
  secret_sealed text not null,
  created_at    timestamptz not null,
  -- Null: begun, and not finished with a code.
  confirmed_at  timestamptz,
  -- The 30 seconds whose code was taken last: no code counts twice.
  last_step     bigint not null default 0
);

create trigger totp_secrets_seal before insert or update of secret_sealed on totp_secrets
  for each row execute function refuse_seal_of_another_key('secret_sealed');

create table recovery_codes (
  person_id text not null references people on delete cascade,
  -- SHA-256 of the person and the code.
  code_hash text not null,
  primary key (person_id, code_hash)
);

-- Wrong codes and passwords of a person since the last right one, over all addresses and sessions.
create table factor_failures (
  person_id text not null references people on delete cascade,
  kind      text not null check (kind in ('totp', 'password')),
  count     integer not null,
  last_at   timestamptz not null,
  primary key (person_id, kind)
);

-- A table of its own: a program that does not know of the second factor must not take such a token for a session.
create table half_sessions (
  token_hash         text primary key,
  session_id         text not null unique,
  person_id          text not null references people on delete cascade,
  -- That of the first factor.
  method             text not null,
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  failures           integer not null default 0,
  -- What the authenticator is to sign.
  challenge          text,
  id_token_encrypted text
);
create index half_sessions_by_person on half_sessions (person_id, created_at);

-- The browsers and networks from which people have signed in: a sign-in from another one is told to its person.
create table sign_in_places (
  person_id text not null references people on delete cascade,
  -- Its name and its system, without versions.
  browser   text not null,
  -- The block of the address: /24 of IPv4, /48 of IPv6.
  network   text not null,
  last_at   timestamptz not null,
  primary key (person_id, browser, network)
);

-- A notice to a person by mail, a row for each kind, which stays: it says how many went out in the hour.
create table person_mails (
  person_id       text not null references people on delete cascade,
  kind            text not null,
  -- The latest that are to be told, as JSON, the oldest first.
  items           text[] not null,
  -- How many are to be told; items holds the latest of them.
  count           integer not null,
  since           timestamptz not null,
  -- The hour in which mails are counted, and how many went out in it.
  hour_at         timestamptz,
  sent            integer not null default 0,
  attempts        integer not null default 0,
  -- Null: nothing is to be sent.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- Another one is not sent before.
  quiet_until     timestamptz,
  primary key (person_id, kind),
  constraint person_mails_check check ((leased_by is null) = (leased_until is null))
);
create index person_mails_due on person_mails (next_attempt_at) where next_attempt_at is not null;

-- The last reminder before a key ends. Apart from api_keys, each change of which makes every process read its keys again.
create table key_reminders (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  ends_at         timestamptz not null,
  -- How many days before the end it was.
  days            integer not null,
  primary key (organization_id, key_id)
);

create table operator_token_reminders (
  name    text primary key references operator_tokens on delete cascade,
  ends_at timestamptz not null,
  days    integer not null
);

-- What was done again and again within an hour continues the entry of the audit trail that it repeats, which itself stays as
-- it is.
create table audit_repeats (
  organization_id text not null,
  -- The entry that is repeated.
  audit_id        bigint not null,
  times           integer not null,
  -- When it was last done.
  until           timestamptz not null,
  -- The different changes since the entry, each once; the last one says how it ended.
  states          json not null,
  primary key (organization_id, audit_id)
);

-- A row says which part of an organization's trail is in a file. It outlives the organization, as the trail does.
create table audit_exports (
  organization_id text primary key,
  -- The last entry that was exported: the trail up to it may be removed.
  through         bigint not null,
  -- The last export was of entries from before this instant.
  before          timestamptz not null,
  -- The last file, in AUDIT_EXPORT_DIR.
  file            text not null
);

-- A row names the file of a removed upload until that file is deleted: after a crash the deletion goes on.
create table media_removals (
  organization_id text not null,
  media_id        text not null,
  content_type    text not null,
  primary key (organization_id, media_id)
);

-- Each task of retention is taken, when it is due, by one of the nodes that share the database.
create table housekeeping (
  task     text primary key,
  next_at  timestamptz not null,
  -- ended_at is null until the task was first done to its end. removed counts its rows since the database was made.
  ended_at timestamptz,
  removed  bigint not null default 0
);

-- One way in of one organization.
create table sources (
  organization_id        text not null references organizations,
  source_id              text not null,
  type                   text not null check (type in ('META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS')),
  name                   text not null,
  -- The secret that deliveries are signed with; null for EVENTS.
  secret_sealed          text,
  -- Signs beside it until previous_until.
  previous_secret_sealed text,
  previous_until         timestamptz,
  -- META alone: the secret of an app of Instagram login, and the token of the verification.
  second_secret_sealed   text,
  verify_token_sealed    text,
  -- EVENTS alone: the SHA-256 of the write key, in base64url, and of the one before until previous_until.
  write_key_hash         text,
  previous_key_hash      text,
  -- The amount of an order: total with shipping and tax, or revenue without them.
  value_from             text not null default 'total' check (value_from in ('total', 'revenue')),
  -- Deliveries a second; null: the setting of the server.
  deliveries_per_second  integer check (deliveries_per_second > 0),
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  -- SHOPIFY: the number of the shop, as its first signed order tells it. A redaction of another shop is not applied.
  shop_id                text,
  -- How far events are believed that come with the write key of a source: the key of a page can be read by anyone.
  trust                  text not null default 'full' check (trust in ('full', 'new_people', 'times_only')),
  primary key (organization_id, source_id),
  -- What is signed is believed.
  constraint sources_trust check (trust = 'full' or type = 'EVENTS')
);
-- The address of a delivery names no organization.
create unique index sources_by_id on sources (source_id);
create unique index sources_by_write_key on sources (write_key_hash);
create index sources_by_previous_key on sources (previous_key_hash) where previous_key_hash is not null;

create trigger sources_seal before insert or update of secret_sealed on sources
  for each row when (new.secret_sealed is not null)
  execute function refuse_seal_of_another_key('secret_sealed');
create trigger sources_seal_second before insert or update of second_secret_sealed on sources
  for each row when (new.second_secret_sealed is not null)
  execute function refuse_seal_of_another_key('second_secret_sealed');
create trigger sources_seal_verify before insert or update of verify_token_sealed on sources
  for each row when (new.verify_token_sealed is not null)
  execute function refuse_seal_of_another_key('verify_token_sealed');

-- What a source did last, written every few seconds by the processes that answer.
create table source_activity (
  organization_id     text not null,
  source_id           text not null,
  last_delivery_at    timestamptz,
  last_refusal_at     timestamptz,
  last_refusal_reason text,
  refused             bigint not null default 0,
  -- What was left out because the source is not trusted with it: each would be a problem, and a stranger could hide real
  -- ones among them.
  left_out            bigint not null default 0,
  primary key (organization_id, source_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);

-- Deliveries that wait. The body is kept as it came; what of its headers a decoder needs is beside it.
create table inbox (
  organization_id text not null,
  delivery_id     bigint not null generated always as identity,
  source_id       text not null,
  -- Names the delivery in its repeats; null where the sender gives nothing that does.
  delivery_key    text,
  -- The kind of the delivery that its headers or its address tell: a topic, or the type of a single event.
  topic           text,
  headers         json not null,
  body            bytea not null,
  received_at     timestamptz not null,
  primary key (organization_id, delivery_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create unique index inbox_by_key on inbox (organization_id, source_id, delivery_key) where delivery_key is not null;
-- What waits of one source is summed in steps, each behind the delivery that the one before ended with.
create index inbox_of_source on inbox (organization_id, source_id, delivery_id);

-- Deliveries that were applied, for INTAKE_KEEP_DAYS: a repeat is known by them.
create table kept_deliveries (
  organization_id text not null,
  delivery_id     bigint not null,
  source_id       text not null,
  delivery_key    text,
  topic           text,
  headers         json not null,
  body            bytea not null,
  received_at     timestamptz not null,
  applied_at      timestamptz not null,
  primary key (organization_id, delivery_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create index kept_deliveries_by_key
  on kept_deliveries (organization_id, source_id, delivery_key)
  where delivery_key is not null;
create index kept_deliveries_by_age on kept_deliveries (organization_id, applied_at);
-- The oldest bodies of a source that are still there.
create index kept_deliveries_with_body
  on kept_deliveries (organization_id, source_id, delivery_id)
  where octet_length(body) > 0;

create trigger kept_deliveries_count_added after insert on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
create trigger kept_deliveries_count_after after update on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
-- A body that goes while its row stays.
create trigger kept_deliveries_count_before after update on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger kept_deliveries_count_removed after delete on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();

-- Items of deliveries that could not be read or applied.
create table problems (
  organization_id text not null,
  problem_id      text not null,
  source_id       text not null,
  at              timestamptz not null,
  -- Names the item in its delivery, such as `batch[3]`; null where the whole delivery is meant.
  item            text,
  reason          text not null,
  topic           text,
  headers         json not null,
  -- The delivery, or that item of it alone.
  body            bytea not null,
  -- The file that answers a request for data.
  answer          json,
  primary key (organization_id, problem_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create index problems_by_source on problems (organization_id, source_id, at, problem_id);
create index problems_by_age on problems (organization_id, at);

create trigger problems_count_added after insert on problems
  referencing new table as added for each statement execute function count_added_bytes();
create trigger problems_count_after after update on problems
  referencing new table as added for each statement execute function count_added_bytes();
create trigger problems_count_before after update on problems
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger problems_count_removed after delete on problems
  referencing old table as removed for each statement execute function count_removed_bytes();

-- One row for each organization that ever had a source. Who changes people, purchases or values locks it: one at a time.
create table live_audiences (
  organization_id text primary key references organizations,
  -- A value from before the first source holds all purchases until then.
  live_since_ms   bigint not null,
  -- The values of all people are computed again, as after another currency: of those after this cuid.
  revalue_after   text
);

-- Ids of the outside world, each of one person.
create table person_ids (
  organization_id text not null references organizations,
  kind            text not null,
  id              text collate "C" not null,
  cuid            text not null,
  -- Null: linked by hand, by an import, or by a source that is gone.
  source_id       text,
  at              timestamptz not null,
  primary key (organization_id, kind, id)
);
-- None of the indexes for look-ups by an id begins with organization_id. Where the statistics know small organizations only,
-- such an index looks as good to the planner as the right one: each of 400 people was looked for among all ids of their
-- organization, and each of 1,000 orders among all of its orders: a batch of them took 590 to 1,000 ms on PostgreSQL, and
-- takes 130 to 260.
create index person_ids_by_cuid on person_ids (cuid, organization_id);
create index person_ids_by_id on person_ids (id, organization_id);

-- The fields of a profile that sources gave to an id, each with its time: the newest of all ids of a person wins.
create table person_fields (
  organization_id text not null references organizations,
  id_kind         text not null,
  id              text collate "C" not null,
  field           text not null,
  value           text,
  at_ms           bigint not null,
  source_id       text,
  primary key (organization_id, id_kind, id, field)
);

-- What is known of an id that no conversation has yet waits here too: a purchase names the id that bought.
create table purchases (
  -- No reference: purchases are written by a transaction that holds their organization's row, and organizations are never
  -- deleted. To look each of them up again takes a quarter of an insert.
  organization_id text not null,
  -- The source, or its type where the source was removed.
  source_id       text not null,
  order_id        text collate "C" not null,
  -- The id that bought; null while a refund came first, or where the order names nobody.
  id_kind         text,
  id              text collate "C",
  amount          numeric,
  currency        text,
  at_ms           bigint,
  -- The newest version of an order counts.
  version_ms      bigint not null default 0,
  is_test         boolean not null default false,
  is_cancelled    boolean not null default false,
  -- The arrival of the last delivery that said that the order was removed, and of the last one that it was restored. An
  -- order is removed while neither a restoration nor a version of the order is newer: a removal names no version.
  removed_ms      bigint,
  restored_ms     bigint,
  -- True once a refund of the order came: refunds are looked up for these orders alone.
  has_refunds     boolean not null default false,
  primary key (organization_id, source_id, order_id)
);
create index purchases_by_id on purchases (id, id_kind, organization_id);

create table refunds (
  organization_id text not null,
  source_id       text not null,
  order_id        text collate "C" not null,
  refund_id       text collate "C" not null,
  -- Null: all that is left of the order.
  amount          numeric,
  at_ms           bigint not null,
  primary key (organization_id, source_id, order_id, refund_id),
  foreign key (organization_id, source_id, order_id)
    references purchases (organization_id, source_id, order_id) on delete cascade
);

create function note_refunds() returns trigger language plpgsql
-- A session keeps its plans: made on an empty table they would scan it, whatever it holds later.
set enable_seqscan = off as $$
begin
  update purchases p set has_refunds = true
    from (select distinct organization_id, source_id, order_id from touched) t
   where p.organization_id = t.organization_id and p.source_id = t.source_id and p.order_id = t.order_id and not p.has_refunds;
  return null;
end $$;

create trigger refunds_note after insert on refunds
  referencing new table as touched for each statement execute function note_refunds();

-- Keyed hashes of the ids of people who were forgotten: a late delivery brings nobody back.
create table forgotten_ids (
  organization_id text not null references organizations,
  id_hash         text not null,
  erasure_id      text not null,
  at              timestamptz not null,
  primary key (organization_id, id_hash)
);

-- Comments on posts, handed on to what acts on them.
create table incoming_comments (
  organization_id text not null,
  channel_id      text not null,
  comment_id      text collate "C" not null,
  -- The post or medium, as the platform calls it.
  object_id       text not null,
  parent_id       text,
  person_id       text,
  from_name       text,
  text            text,
  at_ms           bigint not null,
  received_at     timestamptz not null,
  -- A comment waits until it is decided. One on no such post waits no longer, and again when its post is found to be one.
  waiting         boolean not null default true,
  primary key (organization_id, channel_id, comment_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);
-- The comments of a person who is forgotten.
create index incoming_comments_by_person on incoming_comments (organization_id, person_id) where person_id is not null;
create index incoming_comments_waiting on incoming_comments (organization_id, channel_id, object_id) where waiting;
create index incoming_comments_by_object on incoming_comments (organization_id, channel_id, object_id);

-- The subscription of a channel to what its platform sends, and the profiles of conversations that are still to be read.
create table channel_subscriptions (
  organization_id text not null,
  channel_id      text not null,
  source_id       text not null,
  state           text not null check (state in ('PENDING', 'SUBSCRIBED', 'REFUSED')),
  problem         text,
  checked_at      timestamptz,
  next_attempt_at timestamptz,
  attempts        integer not null default 0,
  leased_by       text,
  leased_until    timestamptz,
  primary key (organization_id, channel_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create index channel_subscriptions_due on channel_subscriptions (next_attempt_at) where next_attempt_at is not null;

create table wanted_profiles (
  organization_id text not null,
  channel_id      text not null,
  conversation_id text collate "C" not null,
  next_attempt_at timestamptz,
  attempts        integer not null default 0,
  leased_by       text,
  leased_until    timestamptz,
  primary key (organization_id, channel_id, conversation_id),
  foreign key (organization_id, channel_id, conversation_id)
    references conversations (organization_id, channel_id, conversation_id) on delete cascade
);
create index wanted_profiles_due on wanted_profiles (next_attempt_at) where next_attempt_at is not null;
create index wanted_profiles_of_organization
  on wanted_profiles (organization_id, next_attempt_at)
  where next_attempt_at is not null;

-- Names of conversations for a search by their beginnings, in lower case: whole name, last name, user name. Three indexes on
-- conversations itself make an insert 2.6 times as slow. Triggers keep it, so that every writer is covered. On the embedded
-- engine, 20,000 inserts in batches of 100 take 2.3 s with them and 1.2 s without; 20,000 changes of a value 1.5 s and 1.35
-- s; to delete them all 0.8 s and 0.3 s.
create table conversation_names (
  organization_id text not null,
  name            text collate "C" not null,
  channel_id      text not null,
  conversation_id text collate "C" not null,
  primary key (organization_id, name, channel_id, conversation_id)
);

-- Requests to delete the data of a user of Meta. A row names no one: its code is a hash of what Meta has signed.
create table data_deletions (
  organization_id text not null,
  source_id       text not null,
  code            text not null,
  requested_at    timestamptz not null,
  -- Null while the delivery waits in the inbox or is a problem.
  done_at         timestamptz,
  primary key (organization_id, source_id, code),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create index data_deletions_by_age on data_deletions (organization_id, requested_at);

-- Bodies that are still to be looked through after an erasure: it does so in steps, and a crash between two of them leaves
-- the rest here.
create table body_erasures (
  organization_id text not null references organizations,
  erasure_no      bigint not null generated always as identity,
  -- The ids of forgotten people; null where all of the source goes.
  ids             json,
  source_id       text,
  -- The last delivery that had come. It may wait in the inbox still, and is looked at when it has been applied.
  until_delivery  bigint not null,
  -- How far they are done: kept deliveries first, then problems.
  after_delivery  bigint not null default '-1'::integer,
  after_problem   text not null default '',
  primary key (organization_id, erasure_no),
  constraint body_erasures_check check ((ids is null) <> (source_id is null))
);

-- A superpower that was stopped stays stopped.
create table automation_stops (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  reason            text not null,
  stopped_at        timestamptz not null,
  actor_type        text not null,
  actor_id          text,
  primary key (organization_id, scheduled_post_id, channel_id),
  constraint automation_stops_organization_id_scheduled_post_id_channel_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references scheduled_post_channels (organization_id, scheduled_post_id, channel_id) on delete cascade
);

-- People who asked for no automated messages on a channel, by the platform's id of them there.
create table opt_outs (
  organization_id text not null,
  channel_id      text not null,
  person_id       text collate "C" not null,
  at              timestamptz not null,
  source          text not null check (source in ('comment', 'message', 'hand')),
  primary key (organization_id, channel_id, person_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);

-- A post that is out on a channel with a superpower. The columns of a claim are those of reading its comments.
create table automation_posts (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- What the platform called the post when it was published.
  external_id       text not null,
  -- What comments call it, where that is another id: a video of a page.
  commented_id      text,
  published_at      timestamptz not null,
  polled_at         timestamptz,
  -- Why the last reading failed.
  poll_problem      text,
  -- When the newest comment that was seen was written.
  newest_comment_at timestamptz,
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  leased_by         text,
  leased_until      timestamptz,
  primary key (organization_id, scheduled_post_id, channel_id),
  constraint automation_posts_organization_id_scheduled_post_id_channel_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references scheduled_post_channels (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index automation_posts_by_external_id on automation_posts (organization_id, channel_id, external_id);
create index automation_posts_by_commented_id
  on automation_posts (organization_id, channel_id, commented_id)
  where commented_id is not null;
-- The newest of a channel, for its list.
create index automation_posts_by_newest_comment on automation_posts (organization_id, channel_id, newest_comment_at);
create index automation_posts_by_polled on automation_posts (organization_id, channel_id, polled_at);
create index automation_posts_due on automation_posts (next_attempt_at) where next_attempt_at is not null;
create index automation_posts_of_organization
  on automation_posts (organization_id, next_attempt_at)
  where next_attempt_at is not null;

-- The ledger: one row for each comment that was seen, with the reason of its decision.
create table automation_comments (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  scheduled_post_id text not null,
  parent_id         text,
  -- Null for a person who was forgotten, like the name and the text.
  person_id         text,
  from_name         text,
  text              text,
  commented_at      timestamptz not null,
  decided_at        timestamptz not null,
  -- The place of the condition group that matched, from 0: ids of groups change.
  group_place       integer,
  reason            text not null,
  primary key (organization_id, channel_id, comment_id),
  constraint automation_comments_organization_id_scheduled_post_id_chan_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references automation_posts (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index automation_comments_of_post
  on automation_comments (organization_id, scheduled_post_id, commented_at desc, channel_id, comment_id);
create index automation_comments_by_person
  on automation_comments (organization_id, channel_id, person_id)
  where person_id is not null;
-- What people of the page have answered.
create index automation_comments_of_our_own
  on automation_comments (organization_id, channel_id, parent_id)
  where reason = 'own_comment';

-- One row for each effect of a comment: at most one of a kind, however often the comment is delivered.
create table automation_effects (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  -- A message to someone who wrote within 24 hours, for raffles alone.
  effect            text not null check (effect in ('private_reply', 'public_reply', 'like', 'message')),
  scheduled_post_id text not null,
  group_place       integer not null,
  state             text not null check (state in ('planned', 'attempting', 'done', 'refused', 'unknown', 'skipped')),
  reason            text,
  -- The platform's own words.
  problem           text,
  -- What is sent: {text, media, links}. Null for a like, and for a person who was forgotten.
  reply             json,
  due_at            timestamptz not null,
  -- Null: nothing is to be done, or the private reply is awaited.
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  -- Stored before the call is made.
  attempted_at      timestamptz,
  ended_at          timestamptz,
  external_id       text,
  -- The conversation that a private reply began: its id may be another one than that of the commenter.
  recipient_id      text,
  -- The effects of a lane are made in turn: first by post, then by person, so that nobody who comments six hundred times
  -- stands in front of everybody else (docs/automation.md). Within a lane the queues take turns: each post has its own, and
  -- the messages to the winners of raffles and to the others have one each. Empty in rows of plain SQL.
  queue             text collate "C" not null default '',
  -- Within a queue people take turns. Empty where nothing is said about them, and for a person who was forgotten.
  person_id         text collate "C" not null default '',
  -- The superpower does not say when a person may be answered again: this is the one private reply to the person on the
  -- post.
  once              boolean not null default false,
  primary key (organization_id, channel_id, comment_id, effect),
  foreign key (organization_id, channel_id, comment_id)
    references automation_comments (organization_id, channel_id, comment_id) on delete cascade
);
create index automation_effects_waiting
  on automation_effects (organization_id, channel_id, effect, next_attempt_at)
  where state = 'planned' and next_attempt_at is not null;
create index automation_effects_open
  on automation_effects (organization_id, channel_id, effect)
  where state = 'attempting';
create index automation_effects_of_post on automation_effects (organization_id, scheduled_post_id, channel_id);
create index automation_effects_by_external_id
  on automation_effects (organization_id, channel_id, external_id)
  where external_id is not null;
create index automation_effects_by_recipient
  on automation_effects (organization_id, channel_id, recipient_id)
  where recipient_id is not null;
create index automation_effects_unknown on automation_effects (ended_at) where state = 'unknown';
create index automation_effects_in_turn
  on automation_effects (organization_id, channel_id, effect, queue, person_id, next_attempt_at)
  where state = 'planned' and next_attempt_at is not null;
-- One private reply to a person and post, by any writer. A reply that certainly was not sent does not count.
create unique index automation_effects_once
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where once and effect = 'private_reply' and person_id <> '' and (state in ('planned', 'attempting', 'done',
    'unknown'));
-- Who had a private reply, or would have had in a dry run.
create index automation_effects_of_person
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where effect = 'private_reply' and person_id <> '' and ((state in ('planned', 'attempting', 'done', 'unknown')) or
    reason = 'dry_run');

-- The effects of one kind on one channel are made one after the other. The columns of a claim are those of the lane.
create table automation_lanes (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  -- Moved by each call, so that their number in a time is bounded; in the past it allows some at once.
  open_at         timestamptz,
  -- The last time that nothing stood in the way of a call.
  served_at       timestamptz,
  -- Counts what was planned, so that a holder that ends notices what it has not seen.
  wakes           bigint not null default 0,
  next_attempt_at timestamptz,
  attempts        integer not null default 0,
  leased_by       text,
  leased_until    timestamptz,
  -- The queue that had the last turn.
  after_queue     text collate "C" not null default '',
  primary key (organization_id, channel_id, effect),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);
create index automation_lanes_due on automation_lanes (next_attempt_at) where next_attempt_at is not null;
-- One organization with much to do does not stand in front of the others: what is due is looked up by organization.
create index automation_lanes_of_organization
  on automation_lanes (organization_id, next_attempt_at)
  where next_attempt_at is not null;

-- The people who were answered, for the limits of a group (place) and of the superpower as a whole (place -1).
create table automation_people (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  place             integer not null,
  person_id         text not null,
  -- In a dry run: it counts in dry runs alone, so that nobody is left out for an answer that was not sent.
  is_dry            boolean not null default false,
  last_at           timestamptz not null,
  primary key (organization_id, scheduled_post_id, channel_id, place, person_id, is_dry),
  constraint automation_people_organization_id_scheduled_post_id_channe_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references automation_posts (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index automation_people_by_person on automation_people (organization_id, channel_id, person_id);

-- The seed and the key of the entrants are derived: nothing is stored of them before the draw.
create table raffles (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  ends_at           timestamptz not null,
  winners_max       integer not null check (winners_max > 0),
  -- The draw: the entrants are frozen in the same transaction.
  drawn_at          timestamptz,
  seed              text,
  entrants          integer,
  entrants_sha256   text,
  -- The superpower was stopped before the end.
  cancelled_at      timestamptz,
  -- The last of the entrants without luck for whom a message was planned, in their order.
  told_to           text collate "C",
  -- Every message is planned.
  told_at           timestamptz,
  -- Named at the approval. Null: the seed alone decides.
  beacon_chain      text,
  beacon_round      bigint check (beacon_round > 0),
  -- What the beacon published for the round, stored before the draw.
  beacon_signature  text,
  beacon_fetched_at timestamptz,
  -- Why it could not be fetched the last time.
  beacon_problem    text,
  -- From then on nobody enters. Before the value of the beacon is known, unless the service was down at that time.
  frozen_at         timestamptz,
  -- Who commented before the end and did not enter, by reason: [{reason, people}].
  left_out          json,
  -- When the value is asked for next.
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id, channel_id)
    references automation_posts (organization_id, scheduled_post_id, channel_id) on delete cascade,
  constraint raffles_beacon_is_whole check ((beacon_chain is null) = (beacon_round is null)),
  constraint raffles_check check ((drawn_at is null) = (seed is null)),
  constraint raffles_check2 check (drawn_at is null or cancelled_at is null),
  constraint raffles_entrants_are_frozen check ((entrants_sha256 is null) = (drawn_at is null and frozen_at is null)),
  -- Whoever draws: never without the value of the beacon that was named.
  constraint raffles_wait_for_their_beacon
    check (drawn_at is null or beacon_chain is null or beacon_signature is not null)
);
create index raffles_due on raffles (ends_at) where drawn_at is null and cancelled_at is null;
create index raffles_to_tell on raffles (drawn_at) where drawn_at is not null and told_at is null;
create index raffles_frozen on raffles (next_attempt_at) where frozen_at is not null and drawn_at is null;

-- One row for each person. Someone who is erased before the draw has none; after it the row stays and does not say who.
create table raffle_entrants (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- HMAC of the person's id under the key of the raffle, in hex.
  entrant           text collate "C" not null,
  person_id         text,
  comment_id        text collate "C",
  entered_at        timestamptz not null,
  -- The message for those without luck: its effect, or the reason for which there is none.
  told_comment_id   text collate "C",
  told_effect       text,
  untold_reason     text,
  primary key (organization_id, scheduled_post_id, channel_id, entrant),
  constraint raffle_entrants_organization_id_scheduled_post_id_channel__fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references raffles (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index raffle_entrants_by_person
  on raffle_entrants (organization_id, channel_id, person_id)
  where person_id is not null;

-- Whoever writes it: nobody enters once the list is fixed.
create function keep_entrants_frozen() returns trigger language plpgsql as $$
begin
  if exists (select from raffles r
              where r.organization_id = new.organization_id and r.scheduled_post_id = new.scheduled_post_id
                and r.channel_id = new.channel_id and r.frozen_at is not null) then
    return null;
  end if;
  return new;
end $$;

create trigger raffle_entrants_are_frozen before insert on raffle_entrants
  for each row execute function keep_entrants_frozen();

create table raffle_winners (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  rank              integer not null check (rank > 0),
  entrant           text collate "C" not null,
  drawn_at          timestamptz not null,
  -- A redraw: the rank that it replaces, and why.
  replaces          integer,
  reason            text,
  -- The message for winners, as that of entrants. Null: it is not planned yet.
  planned_at        timestamptz,
  told_comment_id   text collate "C",
  told_effect       text,
  untold_reason     text,
  primary key (organization_id, scheduled_post_id, channel_id, rank),
  constraint raffle_winners_organization_id_scheduled_post_id_channel_id_key unique (organization_id,
      scheduled_post_id, channel_id, entrant),
  constraint raffle_winners_organization_id_scheduled_post_id_channel_i_key1 unique (organization_id,
      scheduled_post_id, channel_id, replaces),
  constraint raffle_winners_organization_id_scheduled_post_id_channel_i_fkey foreign key (organization_id,
      scheduled_post_id, channel_id, entrant)
    references raffle_entrants (organization_id, scheduled_post_id, channel_id, entrant) on delete cascade,
  constraint raffle_winners_check check ((replaces is null) = (reason is null))
);

-- The files of the console of this release and of the one before: a page that was opened before an upgrade still asks for
-- its own, and a node that runs another release has them too. Unlogged: a node writes its files again when it starts.
create unlogged table console_assets (
  build_id   text not null,
  name       text not null,
  content    bytea not null,
  started_at timestamptz not null,
  primary key (build_id, name)
);

-- The discussion of each post: messages of members and of people with a review link.
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
  -- No reference: the discussion stays, and keeps the id of the one who made the link.
  link_of           text,
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
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade,
  constraint discussion_messages_check check ((author_type = 'outsider') = (outsider_name is not null)),
  constraint discussion_messages_check1 check ((author_type = 'outsider') = (link_of is not null)),
  constraint discussion_messages_check2 check (author_type <> 'outsider' or shared),
  constraint discussion_messages_check3 check (reply_to is null or resolved_at is null)
);
create index discussion_messages_by_change on discussion_messages (organization_id, changed_at desc);
create index discussion_messages_open
  on discussion_messages (organization_id, scheduled_post_id)
  where reply_to is null and resolved_at is null;

-- Each person has an inbox in each organization: news about their posts, and mails about them.
create table inbox_entries (
  organization_id   text not null,
  person_id         text not null,
  entry_id          text not null,
  kind              text not null
    check (kind in ('returned', 'approved', 'failed', 'published', 'mentioned', 'replied')),
  scheduled_post_id text not null,
  at                timestamptz not null,
  -- As in the history of the post: `user:<id>`, `publisher`.
  actor             text not null,
  detail            jsonb,
  read_at           timestamptz,
  -- The next mail to the person lists it, unless it is read before.
  to_mail           boolean not null,
  primary key (organization_id, person_id, entry_id),
  foreign key (organization_id, person_id)
    references memberships (organization_id, person_id) on update cascade on delete cascade,
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);
create index inbox_entries_newest on inbox_entries (organization_id, person_id, at, entry_id);
create index inbox_entries_unread on inbox_entries (organization_id, person_id, entry_id) where read_at is null;
create index inbox_entries_of_posts on inbox_entries (organization_id, scheduled_post_id);

-- A row of work for each member who has had mails about news: when the next one is sent.
create table inbox_mails (
  organization_id text not null,
  person_id       text not null,
  -- The entries since the last mail.
  count           integer not null,
  since           timestamptz not null,
  attempts        integer not null default 0,
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  quiet_until     timestamptz,
  primary key (organization_id, person_id),
  foreign key (organization_id, person_id)
    references memberships (organization_id, person_id) on update cascade on delete cascade,
  constraint inbox_mails_check check ((leased_by is null) = (leased_until is null))
);
create index inbox_mails_due on inbox_mails (next_attempt_at) where next_attempt_at is not null;

create table audience_segments (
  organization_id text not null references organizations,
  segment_id      text not null,
  name            text not null,
  -- As the interface has them.
  conditions      jsonb not null,
  created_at      timestamptz not null,
  primary key (organization_id, segment_id)
);

-- The weekly times at which the posts of a channel go out, for those who plan them.
create table posting_slots (
  organization_id text not null,
  channel_id      text not null,
  -- 1 for Monday to 7.
  weekday         smallint not null check (weekday >= 1 and weekday <= 7),
  -- On the organization's wall clock, whatever its offset from UTC is on the day.
  minute_of_day   smallint not null check (minute_of_day >= 0 and minute_of_day <= 1439),
  primary key (organization_id, channel_id, weekday, minute_of_day),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id) on delete cascade
);

-- A calendar program reads the posts of an organization at a secret address, for one person.
create table calendar_feeds (
  organization_id text not null references organizations on delete cascade,
  person_id       text not null references people on delete cascade,
  -- SHA-256 of the token.
  token_hash      text not null unique,
  created_at      timestamptz not null,
  primary key (organization_id, person_id)
);

-- Texts and groups of hashtags that an organization keeps for its posts.
create table saved_texts (
  organization_id text not null references organizations,
  saved_text_id   text not null,
  kind            text not null check (kind in ('TEXT', 'HASHTAGS')),
  name            text not null,
  text            text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (organization_id, saved_text_id)
);
-- People choose one by its name.
create unique index saved_texts_by_name on saved_texts (organization_id, kind, lower(name));

-- Series of posts that repeat: each post of one is an ordinary post, which is approved by itself.
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
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade,
  foreign key (organization_id, series_id) references post_series (organization_id, series_id) on delete cascade
);
create index post_series_posts_of_series on post_series_posts (organization_id, series_id, place);

create table review_link_posts (
  organization_id   text not null,
  link_id           text not null,
  -- The holder knows the post by it, and by no other id.
  number            integer not null,
  scheduled_post_id text not null,
  -- The decision of the holder.
  decision          text check (decision in ('approved', 'rejected')),
  -- The version that the decision made.
  decided_version   integer,
  -- True once the post left the round of approval without a decision of the holder.
  ended             boolean not null default false,
  -- True once the holder has returned the post and it waits again: they decide about the new version.
  returned          boolean not null default false,
  primary key (organization_id, link_id, number),
  foreign key (organization_id, link_id) references review_links (organization_id, link_id) on delete cascade,
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade,
  constraint review_link_posts_check check ((decision is null) = (decided_version is null))
);
create index review_link_posts_by_post on review_link_posts (organization_id, scheduled_post_id);

-- Refused requests that named a key. Apart from key_uses, which a request that was refused is none of.
create table key_refusals (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  -- Since the first one that was counted.
  count           bigint not null,
  last_at         timestamptz not null,
  last_reason     text not null,
  primary key (organization_id, key_id)
);

-- In some channels a member has another role than in the rest of the organization.
create table membership_channels (
  organization_id     text not null,
  person_id           text not null,
  channel_id          text not null,
  -- An administrator is one everywhere.
  role                text not null check (role in ('VIEWER', 'EDITOR')),
  may_approve         boolean not null,
  -- As in memberships: by whom and when the person got the right to approve here; null where no one is known to have given
  -- it.
  approval_granted_at timestamptz,
  approval_granted_by text,
  primary key (organization_id, person_id, channel_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id) on delete cascade,
  foreign key (organization_id, person_id)
    references memberships (organization_id, person_id) on update cascade on delete cascade
);
create index membership_channels_by_channel on membership_channels (organization_id, channel_id);

-- They are cached with the membership.
create constraint trigger membership_channels_count_access_change
  after insert or update or delete on membership_channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');

-- The last backup that a program has fetched, as `greenroom backup` does.
create table last_fetched_backup (
  only_row      boolean default true primary key check (only_row),
  made_at       timestamptz not null,
  bytes         bigint not null,
  -- Whether it holds the master key.
  master_key    boolean not null,
  missing_media integer not null
);

-- The bodies that are kept of one source have a bound, and so triggers count their bytes: a sum over the rows would take
-- longer the more of them there are.
create table source_bytes (
  organization_id text not null,
  source_id       text not null,
  -- The table of the bodies: kept_deliveries or problems. Apart, so that all who write both lock them in the same order.
  kept_in         text not null,
  bytes           bigint not null,
  primary key (organization_id, source_id, kept_in),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);

-- What a worker of intake is doing is stored before it is done, so that a delivery over which the process dies is set aside,
-- and not taken again for ever.
create table intake_attempts (
  organization_id text not null references organizations,
  -- The worker, as publishers names it. The row of one that is not there any more is of a worker that died.
  holder          text not null,
  -- The delivery that is taken by itself, because a worker died in this organization before; null otherwise.
  delivery_id     bigint,
  primary key (organization_id, holder)
);

-- One row for each person of whom something waits in a queue: the holder of the lane takes the one whose turn comes first,
-- and the cost of that is the same however much one of them has planned.
create table automation_turns (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  queue           text collate "C" not null,
  person_id       text collate "C" not null,
  -- Not later than the next effect of the person, and not before the person was last served.
  turn_at         timestamptz not null,
  served_at       timestamptz,
  -- Counts what was planned, so that a holder which finds nothing notices what it has not seen.
  wakes           bigint not null default 0,
  primary key (organization_id, channel_id, effect, queue, person_id),
  foreign key (organization_id, channel_id, effect)
    references automation_lanes (organization_id, channel_id, effect) on delete cascade
);
create index automation_turns_in_order
  on automation_turns (organization_id, channel_id, effect, queue, turn_at, served_at nulls first, person_id);
create index automation_turns_by_person on automation_turns (organization_id, channel_id, person_id);

-- Bodies of deliveries that ask for something to be taken away. The topic of a delivery is not covered by its signature, so
-- the same bytes may come again under another topic, or long after they were applied. Hashes of these bodies, each with the
-- topics under which it was accepted. A row names no one.
create table known_bodies (
  organization_id text not null,
  source_id       text not null,
  -- SHA-256, in base64url.
  body_hash       text not null,
  topic           text not null,
  at              timestamptz not null,
  primary key (organization_id, source_id, body_hash, topic),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);

-- Who was the first in an organization to write a text: under four eyes they are a writer of every post that has it, however
-- it came there.
create table post_texts (
  organization_id text not null references organizations,
  -- Of the text as UTF-8, without the blanks around it. A shorter text than 20 characters has no row.
  text_sha256     bytea not null,
  -- As in the history: user:<id>, key:<id>, operator:<name>.
  actor           text not null,
  written_at      timestamptz not null,
  primary key (organization_id, text_sha256)
);
create index post_texts_by_age on post_texts (organization_id, written_at);

-- Once in a transaction, however many rows it changes.
create function count_access_change_of(scope text) returns void language sql as $$
  insert into access_revisions as r (scope_id, revision) values (scope, 1)
  on conflict (scope_id) do update set revision = r.revision + 1 where r.xmin <> pg_current_xact_id()::xid
$$;

-- Tells whether a member may approve ('approve'), or approve or write ('send'), in every channel of a post: by the role
-- there, or else by that in the organization, which also holds for a post without channels. False for one who is no member.
create function member_may_for_post(text, text, text, text) returns boolean language sql stable as $$
  select coalesce(bool_and(
           coalesce(c.may_approve, m.may_approve)
           or ($4 = 'send' and coalesce(c.role, m.role) in ('EDITOR', 'ADMIN'))), false)
    from memberships m
    left join scheduled_post_channels x on x.organization_id = m.organization_id and x.scheduled_post_id = $3
    left join membership_channels c
           on c.organization_id = m.organization_id and c.person_id = m.person_id and c.channel_id = x.channel_id
   where m.organization_id = $1 and m.person_id = $2
$$;

-- The same for at least one channel, or the organization.
create function member_may_anywhere(text, text, text) returns boolean language sql stable as $$
  select coalesce(bool_or(
           coalesce(m.may_approve, false) or coalesce(c.may_approve, false)
           or ($3 = 'send' and (m.role in ('EDITOR', 'ADMIN') or coalesce(c.role = 'EDITOR', false)))), false)
    from memberships m
    left join membership_channels c on c.organization_id = m.organization_id and c.person_id = m.person_id
   where m.organization_id = $1 and m.person_id = $2
$$;

-- The changes of each post, as a view of the trail.
create view scheduled_post_history as
select organization_id, target_id as scheduled_post_id, version, at,
       actor_type || coalesce(':' || actor_id, '') as actor,
       changes ->> 'action' as action, changes ->> 'fromStatus' as from_status, changes ->> 'toStatus' as to_status,
       changes -> 'detail' as detail
  from audit_trail
 where target_type = 'scheduledPost';
