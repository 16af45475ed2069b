-- The whole schema. A released migration never changes: put a change into a new file.
--
-- organization_id leads the primary key of every tenant table and appears in every query, so no query can cross
-- tenants and the schema can be sharded by tenant. organizations and api_keys are the directory that finds the tenant
-- of a key, before a tenant is known.

-- Not an identity: the sequence of an unlogged table is unlogged too, and a promoted standby may find it unreadable
-- (PostgreSQL 15). Every change of an audience failed from then on. A separate sequence is logged.
create sequence pending_audience_change_ids;

-- For INSERT and DELETE. The log keeps 10,000 conversations of a channel. If a statement touches more, only the
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

-- Refuses a value sealed under any key but the current one: a process that missed a rotation would leave it behind,
-- and it would be lost with the old key. The share lock delays a rotation until every transaction that writes under
-- the old key has ended. Callers see 57P0S as a database that is unavailable for a moment. A value without a key id
-- passes until the first rotation.
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

-- A revision is never given twice to different content, because caches rely on it. So no statement lowers a revision
-- or deletes its row. Whatever the triggers cannot see (TRUNCATE, another server, a restored table) begins another
-- epoch (src/database/epoch.ts).
create function refuse_revision_going_back() returns trigger language plpgsql as $$
begin
  raise exception 'a revision never goes back: caches would take old content for the present one';
end $$;

-- The argument names the column that holds the scope.
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

-- Lower case by the rules of Unicode. A database with the locale C lowers only ASCII. The search of posts and the
-- order by name use this, because texts are long and accents matter there.
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

-- Whole name, last name, user name. A name that begins with signs or emoji is listed without them as well.
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

-- Deletes the log entries of these channels up to changes_since.
create function trim_audience_changes(organization text, channels text[]) returns void language plpgsql
-- Without statistics the planner would read the whole log for each channel, and a session keeps its plans.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from audience_changes l
   using unnest(channels) as t (channel_id) join audiences a on a.organization_id = organization and a.channel_id = t.channel_id
   where l.organization_id = organization and l.channel_id = t.channel_id and l.revision <= a.changes_since;
end $$;

-- These indexes begin with an expression. On a table without statistics, an index that begins with organization_id
-- and channel_id looks as good to the planner as the primary key (see person_ids_by_cuid).
create function audience_key(organization_id text, channel_id text) returns text language sql immutable parallel safe
  return organization_id || '/' || channel_id;

-- Lower case and without accents, so that Édouard sorts with the other names in E. The body is resolved when the
-- function is created, because ANALYZE looks for the functions of an index only in the system's schema.
create function sort_name(first_name text, last_name text, user_name text) returns text language sql immutable parallel safe
  return left(lowered(case when octet_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) = char_length(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))) then coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, ''))
                          else regexp_replace(normalize(coalesce(nullif(first_name, '') || coalesce(' ' || nullif(last_name, ''), ''), nullif(last_name, ''), nullif(user_name, '')), NFD), '[\u0300-\u036f]', '', 'g') end), 100);

-- Lower case, without accents and without invisible characters. Characters without a decomposition become what CLDR's
-- Latin-ASCII makes of them: ß ss, ø o, ł l, and the Turkish ı an i, as its İ does. Marks that make another letter in
-- Japanese, Hindi or Thai are kept. This is PL/pgSQL because calling an SQL function that is not inlined costs more
-- than the work itself.
do $$
declare
  -- As in lowered().
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
      -- Composed again, so that the first half of a Korean syllable does not match as the beginning of a name.
      name := normalize(regexp_replace(normalize(name, NFKD), %L, '', 'g'), NFC);
      if octet_length(name) = char_length(name) then
        return lower(name collate "C");
      end if;
      name := lower(%s);
      return translate(replace(replace(replace(replace(name, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
                       'øłđðħıŧŋς‘’ʻʼ‐–—', 'olddhitnσ''''''''---');
    end $body$
  $create$,
    -- Accents, Hebrew and Arabic vowel signs, variation selectors, joiners and marks of direction.
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

-- When a source is deleted, its count may be gone before its bodies.
create function count_removed_bytes() returns trigger language plpgsql
-- A session keeps its plans: a plan made on an empty table would scan the table, however full it is later.
set enable_seqscan = off as $$
begin
  -- Lock in the order in which rows are added.
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
  -- A deleted organization is gone for every caller from this moment. Its rows are deleted later, in batches.
  deleted_at            timestamptz,
  -- Nobody approves a post that they wrote or changed last.
  four_eyes             boolean not null default false,
  -- The time zone in which its people read times.
  time_zone             text not null default 'UTC',
  -- When four eyes were last switched off, and by whom, as `user:<id>` or `operator:<name>`.
  four_eyes_ended_at    timestamptz,
  four_eyes_ended_by    text,
  -- Sessions without a second factor are refused.
  require_second_factor boolean not null default false,
  -- The currency of lifetime values. Null: purchases are stored but not counted.
  currency              text check (currency ~ '^[A-Z]{3}$'),
  -- The switch above those of the channels. It can only restrict them.
  automation            text not null default 'on' check (automation in ('off', 'shadow', 'on')),
  automation_since      timestamptz,
  -- The outside addresses to which members who write may send links, folded as in mail-address.ts.
  reviewers             text[] not null default '{}',
  -- When the list was last changed, and by whom, in the format of four_eyes_ended_by.
  reviewers_set_at      timestamptz,
  reviewers_set_by      text,
  -- An ISO 639-1 code: the language of emails to people who chose none, and to people without an account.
  language              text not null default 'en'
);
-- Probes, scrapes and lists cost the same however many posts and organizations exist.
create index organizations_in_list_order on organizations (created_at, organization_id) where deleted_at is null;
create index organizations_inactive on organizations (organization_id) where not active;

-- When the currency changes or is first set, the worker computes all values again.
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
  -- Null: every permission that a key may have.
  permissions         text[],
  -- The addresses and subnets that may use the key. Empty: any.
  allowed_addresses   text[] not null default '{}',
  expires_at          timestamptz,
  -- Null: the server's limit. 0: no limit.
  requests_per_second integer check (requests_per_second >= 0),
  -- The actor who issued the key.
  created_by_type     text,
  created_by_id       text,
  -- The last key that was issued to replace this one. That key may have been removed since.
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
  -- The channel's page token, sealed. Null while the channel is not connected to its platform. token_problem is the
  -- platform's reason for refusing the token, until a new token is set.
  access_token_sealed      text,
  token_problem            text,
  -- The row of a deleted channel is kept, because published posts name it.
  deleted_at               timestamptz,
  -- Null while the deleted channel still has rows. Afterwards the channel can be created again.
  emptied_at               timestamptz,
  -- Superpowers act only where they are switched on. By default that is nowhere.
  automation               text not null default 'off' check (automation in ('off', 'shadow', 'on')),
  -- When it was last switched on or to a dry run. Earlier comments are ignored.
  automation_since         timestamptz,
  -- The text at the start of every automated message.
  automated_notice         text,
  private_replies_per_hour integer not null default 200
    check (private_replies_per_hour >= 1 and private_replies_per_hour <= 750),
  -- Why the platform stopped the channel, until it is switched on again.
  automation_problem       text,
  automation_problem_at    timestamptz,
  -- The Facebook page of an Instagram account that is connected by Facebook login: its messages and subscriptions are
  -- edges of the page. Null for other channels, and until the page is known.
  page_id                  text,
  -- When a token of Instagram login is refreshed next: such a token expires after 60 days. Null if the token is not
  -- refreshed.
  token_refresh_at         timestamptz,
  -- When the token was set: the platform refuses to refresh a token that is less than a day old.
  token_set_at             timestamptz,
  -- The login that granted the token, and the permissions that it lacks beyond publishing. Null if the platform was
  -- not asked, or does not list them.
  token_login              text check (token_login in ('facebook', 'instagram')),
  missing_permissions      text[],
  primary key (organization_id, channel_id),
  constraint channels_check check (emptied_at is null or deleted_at is not null)
);
-- A channel's id is its type and its platform id. The primary key begins with the organization, which a call from the
-- platform does not name.
create index channels_by_platform_id on channels (channel_id, organization_id);
-- Open pages ask which access tokens the platform refuses. There are few, and only those are read.
create index channels_refused on channels (organization_id) where token_problem is not null and deleted_at is null;
create index channels_token_refresh on channels (token_refresh_at) where token_refresh_at is not null;

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

-- The triggers of vip_marks note the VIP marks that are deleted together with a connection.
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
  -- The platform's reason for refusing the token. Null while no problem is known.
  token_problem       text,
  primary key (organization_id, ad_account_id)
);
create index ad_accounts_refused on ad_accounts (organization_id) where token_problem is not null;

create trigger ad_accounts_seal before insert or update of access_token_sealed on ad_accounts
  for each row when (new.access_token_sealed is not null)
  execute function refuse_seal_of_another_key('access_token_sealed');

-- One row per person who talks on a channel. Instants are milliseconds since the epoch, as on the wire. Ids compare
-- by their bytes (collate "C"), so the list order is the same on every server.
create table conversations (
  organization_id         text not null,
  channel_id              text not null,
  conversation_id         text collate "C" not null,
  cuid                    text not null,
  user_name               text,
  first_name              text,
  last_name               text,
  profile_pic             text,
  -- YYYY-MM-DD, or --MM-DD if the year is unknown: counted from the right, the month is at the same place in both.
  birthday                text,
  last_purchase_at_ms     bigint,
  last_user_message_at_ms bigint,
  last_app_open_at_ms     bigint,
  lifetime_value          double precision not null default 0,
  -- The same value as a decimal, so that amounts of money add up exactly. Lists are sorted by lifetime_value: nodes
  -- compare rows in memory as doubles, and two different decimals may be equal as doubles. Triggers keep the two
  -- columns in step.
  lifetime_amount         numeric not null,
  -- The value of a conversation is its opening value plus the purchases after opening_at_ms. Null until intake first
  -- changes the value: until then lifetime_amount is the opening value.
  opening_amount          numeric,
  -- Null: every purchase counts.
  opening_at_ms           bigint,
  -- The last purchase according to an import.
  opening_purchase_ms     bigint,
  -- The times of the profile's fields, by name. The newest value wins, in whatever order values arrive. A field that
  -- was known before the first source has the time of that source; an empty field without a time is older than any
  -- other.
  field_times             jsonb,
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);
-- The list order of GET /vip-users. A page walks this index and stops.
create index conversations_in_list_order
  on conversations (organization_id, channel_id, lifetime_value desc, conversation_id);
-- This index must be younger than conversations_in_list_order. If the planner expects one row either way, as on a
-- table without statistics or on a small channel, it takes the youngest index. With the other order, looking up a
-- conversation by its id walked the whole channel in list order, and each VIP mark of an import took a millisecond.
alter table conversations add primary key (organization_id, channel_id, conversation_id);
-- For deletions. Neither begins with organization_id: on a table without statistics such an index looks as good to
-- the planner as the primary key, and may be used instead of it.
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

-- Converts through text: a direct cast of a double to a decimal keeps only 15 digits, while the text has enough
-- digits to distinguish any two doubles.
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
  -- Names that stay the same are not written again.
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

-- A writer that sets both columns pays for neither trigger.
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

-- VIP marks belong to a workspace: two workspaces may share a channel and choose different VIPs.
create table vip_marks (
  organization_id text not null,
  channel_id      text not null,
  workspace_id    text not null,
  conversation_id text collate "C" not null,
  -- Null if the mark was made by plain SQL.
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
  -- The publishing task. It exists exactly while the post is SCHEDULED or PUBLISHING.
  task_id             text,
  notes               text,
  -- Counts the changes. It is the ETag of the post.
  version             integer not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  -- The publisher's hold on a post. The post itself is the schedule, so there is no second queue that could disagree
  -- with it. A post is due when it is SCHEDULED and scheduled_for has come, or when it is PUBLISHING and its lease
  -- has expired. Each claim has its own id (leased_by), and every write of the publisher names it, so a publisher
  -- that has lost the lease changes nothing.
  leased_by           text,
  leased_until        timestamptz,
  -- The next attempt is not made earlier: a back-off, a rate limit, or a container that is not ready.
  next_attempt_at     timestamptz,
  -- An approval is for one version, so what was approved is what is published. This is the version that the approver
  -- saw. It is kept while the post is on its way out, and after it has ended.
  approved_version    integer,
  approved_at         timestamptz,
  approved_actor_type text check (approved_actor_type in ('key', 'user', 'operator', 'outsider')),
  approved_actor_id   text,
  -- A post without a time comes last. One value represents that, so a position in the list is a single comparison of
  -- two indexed columns.
  list_time           timestamptz generated always as (coalesce(scheduled_for, 'infinity'::timestamptz)) stored,
  -- Pages of a list are limited in bytes, so the size of a row must be known before the row is read.
  bytes               integer
    generated always as (octet_length(coalesce(media, '')) + octet_length(coalesce(notes, ''))) stored,
  -- The latest history entries that one caller has made by updates, because the next update needs them. Looking for
  -- them in the trail costs more than the rest of the update.
  history_run         json,
  -- A post that has ended can lose its content. The post itself is kept, with the time of the removal.
  content_removed_at  timestamptz,
  -- The process that made the claim in leased_by: its leases end when it is found dead.
  lease_holder        text,
  -- Why the post was last returned. Null once its writer has changed the notes. While it is set, /v1 shows it as the
  -- notes.
  review_notes        text,
  -- Describes the picture for people who cannot see it. Null if there is none.
  alt_text            text,
  -- The chain of the public beacon that decides the raffles of the approved version (docs/raffles.md). A raffle is
  -- drawn with a public random value that is fixed after the raffle ends. Null: no beacon.
  approved_beacon     text,
  -- SHA-256 (hexadecimal) of media at an outside address when they were approved. The publisher fetches them again,
  -- and returns the post to approval if they differ. Null if the media are not fixed, and for uploads, which have a
  -- random name and are never replaced.
  media_sha256        text check (media_sha256 ~ '^[0-9a-f]{64}$'),
  -- Why the media are not fixed: a code of the API. CHANGED if the post was returned because the media had changed.
  media_problem       text,
  -- When they were last fetched. Null if they were not fetched since the last change of the post.
  media_checked_at    timestamptz,
  -- The reason that the history shows. If several channels wait, it is the one that comes first in the list of
  -- reasons.
  wait_reason         text,
  -- When the wait became one that people are notified about. Null while the post waits for nothing.
  wait_since          timestamptz,
  -- How many entries the history has about this wait.
  wait_changes        integer not null default 0,
  -- When this wait was last logged.
  wait_logged_at      timestamptz,
  -- The writer declares that the content was made or edited with AI. Instagram labels such posts, so it is part of
  -- what is approved.
  ai_generated        boolean not null default false,
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
-- In the order of the claim, so that a claim reads no more posts than it takes.
create index scheduled_posts_due
  on scheduled_posts (status, scheduled_for, organization_id, scheduled_post_id)
  where status in ('SCHEDULED', 'PUBLISHING');
-- Ids compare by their bytes, so the list order is the same on every server.
create index scheduled_posts_in_list_order
  on scheduled_posts (organization_id, list_time, scheduled_post_id collate "C");
create index scheduled_posts_by_status
  on scheduled_posts (organization_id, status, list_time, scheduled_post_id collate "C");
-- Open pages ask whether a post has changed: the query reads the posts that changed last.
create index scheduled_posts_by_change on scheduled_posts (organization_id, updated_at);
-- A hash index, because an address may be longer than a B-tree entry.
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

-- A post is in a link for one round of approval. A link with no other post ends with that round, also when its holder
-- decides: the decision is stored in review_link_posts before the post changes.
create function end_review_links() returns trigger language plpgsql as $$
begin
  update review_links l
     set ended_why = case i.decision when 'approved' then 'approved' when 'rejected' then 'returned' else 'over' end,
         expires_at = least(l.expires_at, new.updated_at)
    from review_link_posts i
   where i.organization_id = old.organization_id and i.scheduled_post_id = old.scheduled_post_id
     and l.organization_id = i.organization_id and l.link_id = i.link_id
     and l.ended_why is null and l.expires_at > new.updated_at
     and not exists (select from review_link_posts other
                      where other.organization_id = i.organization_id and other.link_id = i.link_id
                        and other.number <> i.number);
  update review_link_posts set ended = true
   where organization_id = old.organization_id and scheduled_post_id = old.scheduled_post_id
     and decision is null and not ended;
  return null;
end $$;

-- The content of an approved post cannot change, except that retention removes all of it.
create function keep_approved_content() returns trigger language plpgsql as $$
begin
  if new.approved_version is not null and old.approved_version = new.approved_version
     and (new.media is distinct from old.media or new.media_type is distinct from old.media_type
          or new.alt_text is distinct from old.alt_text or new.ai_generated <> old.ai_generated)
     -- Retention removes the content.
     and new.content_removed_at is null then
    raise exception 'the content of an approved post cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- New media are not fixed yet, and media that an approval has fixed stay fixed for as long as the approval. This
-- holds for every writer.
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

-- A published post keeps its media, and its caption and superpower on each channel where it is published.
create function keep_published_media() returns trigger language plpgsql as $$
begin
  if exists (select from publications p
              where p.organization_id = new.organization_id and p.scheduled_post_id = new.scheduled_post_id
                and p.state = 'PUBLISHED') then
    raise exception 'what is out on a channel cannot change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Returning a post asks for a new version. When the post waits again, a working link to several posts shows it to the
-- person who returned it.
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
  before update of media, media_type, alt_text, ai_generated on scheduled_posts
  for each row execute function keep_approved_content();
create trigger scheduled_posts_keep_fixed_media
  before update of media, media_sha256, approved_version on scheduled_posts
  for each row when (new.media is distinct from old.media or new.media_sha256 is distinct from old.media_sha256)
  execute function keep_fixed_media();
create trigger scheduled_posts_keep_published_media
  before update of media, media_type, alt_text, ai_generated on scheduled_posts
  for each row when ((new.media is distinct from old.media
                     or coalesce(new.media_type, 'IMAGE') <> coalesce(old.media_type, 'IMAGE')
                     or new.alt_text is distinct from old.alt_text
                     or new.ai_generated <> old.ai_generated)
                    -- Retention removes the content.
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
  -- json, not jsonb, to keep the order of the keys.
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
  -- The post may be deleted, and its channels with it.
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
  -- The post may be deleted, and its channels with it.
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
-- Writing the same values again is not a change.
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

-- A hashtag in use on a channel (interface 7.5). The primary key is the rule: if two posts claim a hashtag at once,
-- exactly one gets the row. A claim whose superpower has expired may be taken over. A post that is published, failed
-- or deleted holds no claim.
create table hashtag_claims (
  organization_id   text not null,
  channel_id        text not null,
  lookup_hashtag    text not null,
  scheduled_post_id text not null,
  -- Milliseconds since the epoch, as on the wire: any integer. Null: it never expires.
  expires_at_ms     bigint,
  primary key (organization_id, channel_id, lookup_hashtag),
  constraint hashtag_claims_organization_id_scheduled_post_id_channel_i_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references scheduled_post_channels (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index hashtag_claims_by_post on hashtag_claims (organization_id, scheduled_post_id);

-- Saved superpowers. A post may name one by creativeTemplateId.
create table superpowers (
  organization_id      text not null references organizations,
  creative_template_id text not null,
  name                 text not null,
  superpower           json not null,
  active               boolean not null default true,
  bytes                integer generated always as (octet_length(superpower::text)) stored,
  primary key (organization_id, creative_template_id)
);

-- The progress of a post on one of its channels. The result of each step is stored before the next call, so a process
-- that takes over knows which calls may have gone through.
create table publications (
  organization_id       text not null,
  scheduled_post_id     text not null,
  channel_id            text not null,
  state                 text not null check (state in ('PENDING', 'PUBLISHED', 'FAILED')),
  -- Prepared before publishing, and safe to prepare again: an Instagram container, or an unpublished photo.
  container_id          text,
  -- Set before the one call that publishes. If it is set and external_id is not, the call may have gone through: it
  -- is never repeated, and the service only looks for its post.
  attempted_at          timestamptz,
  external_id           text,
  permalink             text,
  -- How often the attempt was postponed. Once attempted_at is set: how often the post was searched for and not found.
  attempts              integer not null default 0,
  -- The next attempt is not made earlier. The post's own next_attempt_at is the earliest of its channels'.
  next_attempt_at       timestamptz,
  -- The actual reason of a failure or of the wait, in the platform's words if it gave any.
  error                 text,
  -- attempted_at by the platform's clock. If the response to the call is lost, the search for the post begins there.
  -- Null if no response had shown the platform's clock.
  platform_attempted_at timestamptz,
  -- A digest of the text that the search looks for. Set together with attempted_at.
  text_digest           text,
  -- A code of interface/post-waits.ts while the publication waits. publications.error has the text that belongs to
  -- it.
  wait_reason           text,
  -- How often the platform failed on the media before anything was published.
  media_failures        integer not null default 0,
  -- When the prepared container was last replaced because the platform no longer showed it.
  renewed_at            timestamptz,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);
-- A published object belongs to one post.
create unique index publications_external_id
  on publications (organization_id, channel_id, external_id)
  where external_id is not null;
-- Of the posts with the same text on a channel, only one at a time is between its call and the outcome of that call.
-- So what a search finds by this text was published by that post.
create unique index publications_open_call
  on publications (organization_id, channel_id, text_digest)
  where state = 'PENDING' and attempted_at is not null and external_id is null;
-- Calls whose outcome was never found out.
create index publications_without_id
  on publications (organization_id, channel_id, text_digest)
  where attempted_at is not null and external_id is null;

-- Once a writer stores that a post is published, the post is watched, and comments that have already arrived wait to
-- be decided.
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

-- The first response to a creation with an Idempotency-Key. It is kept for 24 hours.
create table idempotency_keys (
  organization_id text not null references organizations,
  idempotency_key text not null,
  -- SHA-256 of the body.
  body_hash       text not null,
  -- Null only until the end of the transaction that creates the post. json, not jsonb, so that a repeat gets the same
  -- bytes.
  answer          json,
  created_at      timestamptz not null,
  -- A repeated call with an Idempotency-Key must pass the channel checks of the first call with today's roles. This
  -- is a list of lists of channel ids, one for each check. An empty list is a check of the role in the organization.
  checked         jsonb,
  primary key (organization_id, idempotency_key)
);
create index idempotency_keys_by_age on idempotency_keys (organization_id, created_at);

-- One row for each channel whose audience has ever changed. It outlives the channel: a channel that is created again
-- must not restart at revision 1, because a cached list of the old channel would look current. Every transaction that
-- changes a conversation or a VIP mark of the channel adds the number of conversations that it touched. The row stays
-- locked until that transaction ends, so revisions become visible in order.
create table audiences (
  organization_id text not null,
  channel_id      text not null,
  revision        bigint not null,
  -- audience_changes has every change after this revision, and nothing reliable before it.
  changes_since   bigint not null,
  primary key (organization_id, channel_id)
);

-- Deleting an organization deletes its revisions. Its id is never used again.
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

-- The conversations that the transaction of a revision inserted, updated, deleted, marked or unmarked.
create table audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  revision         bigint not null,
  conversation_ids text[] not null,
  primary key (organization_id, channel_id, revision),
  foreign key (organization_id, channel_id) references audiences (organization_id, channel_id) on delete cascade
);

-- What running transactions have touched. Each row is deleted before its transaction commits, so a crash loses
-- nothing that is needed.
--
-- Triggers count the revision of a channel's audience, so that no writer can forget it, and rows that plain SQL
-- changes or deletes leave the lists at once. Each statement on conversations, VIP marks or connections notes here
-- what it touched. At the end of the transaction all its notes become one revision of each channel, so the rows in
-- audiences are locked only while the transaction commits.
create unlogged table pending_audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  transaction_id   xid8 not null default pg_current_xact_id(),
  change_id        bigint not null default nextval('pending_audience_change_ids'::regclass),
  -- Null: any number of conversations. Empty: only the channel's connections.
  conversation_ids text[],
  -- True for the first row of its statement and organization. Its trigger counts everything that the transaction has
  -- noted, with one statement for all channels: one statement per channel took 39 ms of processor time to commit
  -- 1,300 events on 100 channels on the embedded engine, and this takes 18.
  is_first         boolean not null default true,
  -- It includes the transaction, so that a lookup does not read dead rows of earlier transactions.
  primary key (organization_id, transaction_id, change_id)
);

-- Gives each channel its next revision: the last one plus the number of conversations touched, so the difference of
-- two revisions is the most that can have changed. Channels are locked in order. Each statement here sees what was
-- committed before it, so the delete sees the log of every transaction that held the locks on audiences earlier.
create function count_audience_change() returns trigger language plpgsql
-- A session keeps its plans: a plan made on an empty table would scan the table, however full it is later.
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
    -- A changes_since of 1 says that any number of conversations may have changed: the update checks for it.
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

-- Every change on every surface, written in the transaction of the change. The trail outlives what it describes, and
-- holds no secrets.
create table audit_trail (
  organization_id text not null,
  -- The order of the trail. A gap is a transaction that was rolled back.
  audit_id        bigint not null generated always as identity,
  at              timestamptz not null,
  -- People change and approve too. An operator with an id is a named token. An outsider, who has a link, approves and
  -- returns.
  actor_type      text not null check (actor_type in ('key', 'user', 'operator', 'publisher', 'outsider')),
  -- The id of the key.
  actor_id        text,
  -- The operationId, or publishScheduledPost for changes by the publisher.
  operation       text not null,
  target_type     text not null,
  target_id       text not null,
  -- The version of a scheduled post after the change.
  version         integer,
  -- json, not jsonb, to keep the order of the keys.
  changes         json,
  -- The IP address of the caller. Null for a change that nobody requested.
  address         text,
  -- The personal token with which the person made the change. Null if they made it without one.
  actor_token     text,
  primary key (organization_id, audit_id),
  -- An operator with an id is a named token. The token of the environment has no id.
  constraint audit_trail_actor_id_check
    check ( case when actor_type in ('key', 'user', 'outsider') then actor_id is not null when actor_type =
      'publisher' then actor_id is null else true end)
);
-- The history of a post. A version is written once: a second change that claims the same version fails.
create unique index audit_trail_of_posts
  on audit_trail (organization_id, target_id, version)
  where target_type = 'scheduledPost';
-- The latest entries about one thing. Posts have their own index.
create index audit_trail_of_targets
  on audit_trail (organization_id, target_type, target_id, audit_id)
  where version is null;
-- Finds the beginning of a day in a long trail.
create index audit_trail_by_time on audit_trail (organization_id, at);

-- An entry never changes, and is removed only after it was exported to a file.
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

-- Made-up data and real data never mix: the demo refuses the database of a service, and a service that of a demo.
create table installation (
  only_row boolean default true primary key check (only_row),
  purpose  text not null check (purpose in ('service', 'demo'))
);

-- The master keys that this database has had, but not the keys themselves. New secrets are sealed under the current
-- key. During a rotation, earlier secrets are still under the retiring key.
create table master_keys (
  key_id        text primary key,
  -- The same secret, sealed under each key. A process that cannot open it has the wrong key.
  secret_sealed text not null,
  state         text not null check (state in ('current', 'retiring', 'retired'))
);
create unique index master_keys_current on master_keys (state) where state = 'current';

-- One import per channel at a time, across all nodes. A crash loses the rows together with the imports that were
-- running.
create unlogged table running_imports (
  organization_id text not null,
  channel_id      text not null,
  leased_by       text not null,
  leased_until    timestamptz not null,
  primary key (organization_id, channel_id)
);

-- People whom imports skip. The table holds no name and no id: only someone who has the id can find out whether it
-- was erased here.
create table erased_people (
  organization_id text not null references organizations,
  -- SHA-256 of the organization's id and the person's cuid.
  person_hash     text not null,
  -- The id of the erasure in the audit trail.
  erasure_id      text not null,
  erased_at       timestamptz not null,
  primary key (organization_id, person_hash)
);

-- One row for each publisher, so that when one dies its posts wait for seconds and not until their leases expire. The
-- leases name the row as their lease_holder. A reader decides by its own clock, from a beat that does not change,
-- which publisher has stopped, so no clocks are compared. The process that finds one dead deletes the row and ends
-- its leases in one transaction. The row is the proof of life.
create table publishers (
  publisher_id text primary key,
  beats        bigint not null default 0,
  -- The kind of work of the process. A process may have one row for each kind.
  work         text not null default 'publishing',
  -- The last beat by the database's clock. Readers use it to see that no process publishes. It decides about no
  -- lease.
  beat_at      timestamptz
);

-- How many posts have each status: the sums over all slots. A single slot may be below zero. Each connection counts
-- in its own slot, so transactions do not wait for each other, and at the end of the transaction, so the row is its
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

-- Every request asks who may call and what exists (organizations, keys, workspaces, channels and their connections).
-- This hardly ever changes, so a process caches it while these numbers stay the same. Triggers count the changes, so
-- no writer can forget them, and at the end of the transaction, so a row is locked only briefly. Each organization
-- has its own number: a change in one keeps the caches of the others, and never waits for another organization's
-- commit.
create table access_revisions (
  -- An organization or a person; '' for what belongs to neither. A scope that never changed has no row.
  scope_id text primary key,
  revision bigint not null
);

create trigger access_revisions_only_grow before update on access_revisions
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger access_revisions_stay before delete on access_revisions
  for each row execute function refuse_revision_going_back();

insert into access_revisions (scope_id, revision) values ('', 0);

-- People, their roles in organizations, and how they sign in.
create table people (
  person_id      text primary key,
  name           text not null,
  mail           text not null,
  -- May do everything that the operator token may.
  owner          boolean not null default false,
  -- False: the person cannot sign in, and has no sessions.
  active         boolean not null default true,
  -- A PHC string. Null for a person without a password.
  password_hash  text,
  created_at     timestamptz not null,
  -- An email address counts only once it is proven, by an email that was sent to it or by the identity provider. Until
  -- then, an account that was made by an invitation is bound to the organization of that invitation. Null: nothing
  -- has proven that the address belongs to the person.
  mail_proven_at timestamptz,
  -- The only organization that the account may join. No foreign key, because the value outlives the organization and
  -- then allows nothing.
  bound_to       text,
  -- The account with the same address that replaced this one. The row is kept for the names in histories.
  merged_into    text references people on delete cascade,
  -- An ISO 639-1 code. Null: the language of the browser.
  language       text,
  -- An IANA time zone. Null: the zone of the organization. It is not called time_zone because queries join this table
  -- to organizations.
  own_time_zone  text,
  -- How the browser of the last sign-in formats times and numbers, such as pt-BR or pt. Null before the first
  -- sign-in.
  browser_locale text,
  constraint people_bound_check check (bound_to is null or mail_proven_at is null and not owner),
  constraint people_merged_check check (merged_into is null or not active)
);
create index people_by_merged on people (merged_into) where merged_into is not null;
-- Only ASCII letters are folded: U+212A is not a K, and lower() of İ depends on the database's locale.
create unique index people_by_mail on people (lower(mail collate "C")) where bound_to is null and merged_into is null;
create unique index people_by_bound_mail
  on people (lower(mail collate "C"), bound_to)
  where bound_to is not null and merged_into is null;

-- These changes end what every node has cached about people: sessions with their person, memberships with their
-- organization. Starting or using a session changes nothing that is cached.
create constraint trigger people_count_access_change
  after update of name, mail, owner, active or delete on people
  deferrable initially deferred for each row execute function count_access_change('person_id');

create table memberships (
  organization_id     text not null references organizations,
  -- The database deletes these rows, so a sign-in at the same instant cannot leave one behind.
  person_id           text not null references people on delete cascade,
  role                text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve         boolean not null,
  created_at          timestamptz not null,
  -- Whether the member gets emails about waiting posts and failures.
  notify              boolean not null default true,
  -- By whom, as `user:<id>` or `operator:<name>`. Null if it is not known.
  approval_granted_at timestamptz,
  approval_granted_by text,
  -- The kinds of news that the member gets emails about while `notify` is on.
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

-- For tokens, only the SHA-256 is stored.
create table invitations (
  organization_id text not null references organizations,
  invitation_id   text not null,
  token_hash      text not null unique,
  mail            text not null,
  role            text not null check (role in ('VIEWER', 'EDITOR', 'ADMIN')),
  may_approve     boolean not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  -- This token appears only in the email, so using it proves access to the mailbox. The other token is visible to the
  -- person who invites.
  mail_token_hash text unique,
  -- The actor who created it. It decides who granted the right to approve, and how long a link may set a password.
  created_by_type text,
  created_by_id   text,
  primary key (organization_id, invitation_id)
);
create index invitations_by_maker on invitations (created_by_id);

-- Links that sign one person in, once: to the first owner's account, or to an existing account.
create table entry_links (
  token_hash      text primary key,
  -- Null: the holder becomes an owner.
  person_id       text references people on delete cascade,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  -- Open links expire within an hour.
  created_by_type text,
  created_by_id   text
);
create index entry_links_by_person on entry_links (person_id);

create table sessions (
  token_hash         text primary key,
  -- The id that the person sees. The token cannot be derived from it.
  session_id         text not null unique,
  person_id          text not null references people on delete cascade,
  -- How it began: by password, link or identity provider.
  method             text not null check (method in ('password', 'link', 'oidc', 'passkey')),
  user_agent         text,
  created_at         timestamptz not null,
  -- To the minute.
  last_seen_at       timestamptz not null,
  expires_at         timestamptz not null,
  -- Until then the session may set a password once, without the current one.
  password_until     timestamptz,
  -- How many wrong current passwords it has sent.
  password_failures  integer not null default 0,
  -- Whether the session has passed a second factor.
  second_factor      boolean not null default false,
  -- When the person last confirmed their identity in this session. Null: at its start.
  confirmed_at       timestamptz,
  -- What the authenticator has to sign, and until when.
  challenge          text,
  challenge_until    timestamptz,
  address            text,
  -- Updated together with last_seen_at.
  last_address       text,
  -- The ID token of the sign-in. At sign-out it tells the provider which session ends. It is encrypted under a key
  -- derived from the session's token, which only the browser has. Null if there is none, or if it was too long.
  id_token_encrypted text
);
create index sessions_by_person on sessions (person_id, created_at);

create constraint trigger sessions_count_access_change
  after delete on sessions
  deferrable initially deferred for each row execute function count_access_change('person_id');
-- The second factor decides who may enter an organization, on every node.
create constraint trigger sessions_count_second_factor
  after update of second_factor on sessions
  deferrable initially deferred for each row when (old.second_factor is distinct from new.second_factor)
  execute function count_access_change('person_id');

-- When a key was last used, to the minute. This is not in api_keys because every change there makes all processes
-- read their keys again.
create table key_uses (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  last_used_at    timestamptz not null,
  primary key (organization_id, key_id)
);

-- Operator tokens in addition to the one in the environment. Only the SHA-256 of a token is stored; a token is 256
-- random bits.
create table operator_tokens (
  -- The name in the audit trail. A revoked token keeps it.
  name            text primary key,
  token_hash      text not null unique,
  created_at      timestamptz not null,
  created_by_type text not null,
  created_by_id   text,
  -- Null: it never expires.
  expires_at      timestamptz,
  revoked_at      timestamptz
);

-- Counts a change of what belongs to no organization and no person.
create function count_directory_change() returns trigger language plpgsql as $$
begin
  perform count_access_change_of('');
  return null;
end $$;

-- Every node refuses a revoked token from its next request on.
create constraint trigger operator_tokens_count_directory_change
  after insert or update or delete on operator_tokens
  deferrable initially deferred for each row execute function count_directory_change();

-- Uploaded images and videos. The files themselves are in MEDIA_DIR.
create table media (
  organization_id text not null references organizations,
  media_id        text not null,
  content_type    text not null check (content_type in ('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime')),
  bytes           bigint not null check (bytes > 0),
  width           integer not null check (width > 0),
  height          integer not null check (height > 0),
  -- For videos only.
  duration_ms     bigint,
  created_at      timestamptz not null,
  name            text,
  -- Uploaded files have a small picture for lists. For a video it is the poster. It is in MEDIA_DIR next to the file.
  -- Null if there is none.
  small_bytes     integer check (small_bytes > 0),
  small_sha256    text,
  primary key (organization_id, media_id),
  constraint media_check check ((duration_ms is not null) = (content_type ~~ 'video/%')),
  constraint media_small_whole check ((small_bytes is null) = (small_sha256 is null))
);
create index media_newest on media (organization_id, created_at desc, media_id desc);

-- Sign-in by an identity provider: who a person is there, and which sign-ins are complete.
create table identities (
  issuer     text not null,
  -- The provider's own id of the person: an email address may pass to another person.
  subject    text not null,
  person_id  text not null references people on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
-- A second subject with a person's email address is another person.
create unique index identities_by_person on identities (person_id, issuer);

-- A callback from the provider is accepted once, across all nodes. A row is kept until the sign-in would have expired
-- anyway.
create table finished_visits (
  -- SHA-256 of the state.
  state_hash text primary key,
  expires_at timestamptz not null
);
create index finished_visits_by_end on finished_visits (expires_at);

-- Links by which people without an account approve or return posts.
create table review_links (
  organization_id text not null references organizations,
  link_id         text not null,
  -- SHA-256 of the token.
  token_hash      text not null unique,
  -- The name of the link's recipient, as the history shows it.
  name            text not null,
  -- A link ends before its maker is deleted, and the audit trail says so.
  made_by         text not null references people on delete cascade,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  -- To the minute. Null: it was never opened.
  opened_at       timestamptz,
  -- The address that the link was sent to: its maker has never seen the link. Null if its maker passes it on.
  mail            text,
  -- Links that have ended are kept for a while, so that people see why they ended. Null while the link works, and if
  -- it expired. A link that ends sets expires_at to that time.
  ended_why       text check (ended_why in ('approved', 'returned', 'over', 'revoked', 'maker')),
  primary key (organization_id, link_id)
);
create index review_links_by_maker on review_links (made_by);
create index review_links_by_end on review_links (organization_id, expires_at);

-- The content of a post when it was last approved or returned: the next reviewer sees the difference.
create table post_reviews (
  organization_id   text not null,
  scheduled_post_id text not null,
  -- The version that the decision was about.
  version           integer not null,
  decision          text not null check (decision in ('approved', 'rejected')),
  decided_at        timestamptz not null,
  -- json, not jsonb, to keep the order of the keys.
  content           json not null,
  -- The earlier review and review notes, for undoing this decision.
  replaced          jsonb,
  primary key (organization_id, scheduled_post_id),
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade
);

-- When the service last made a scheduled backup: if several nodes share a database, one of them makes it.
create table last_backup (
  only_row      boolean default true primary key check (only_row),
  made_at       timestamptz not null,
  file          text not null,
  bytes         bigint not null,
  -- Whether the backup contains the master key.
  master_key    boolean not null,
  -- A backup may lack media files: the node has no MEDIA_DIR, or the files are gone.
  missing_media integer not null default 0
);

-- The outbox. Events are written in the transaction that they report, and turned into deliveries and emails.
create table events (
  organization_id text not null,
  event_id        text not null,
  type            text not null,
  at              timestamptz not null,
  -- Only ids.
  data            json not null,
  -- The token of the link in the email, sealed for this event.
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
  -- Used together with the current secret until then.
  previous_secret_sealed text,
  previous_until         timestamptz,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  name                   text not null default '',
  -- Null: all events, including those of later versions.
  events                 text[],
  active                 boolean not null default true,
  primary key (organization_id, webhook_id),
  constraint webhooks_check check ((previous_secret_sealed is null) = (previous_until is null))
);

create trigger webhooks_seal before insert or update of secret_sealed on webhooks
  for each row execute function refuse_seal_of_another_key('secret_sealed');

create table webhook_deliveries (
  organization_id  text not null references organizations,
  -- The id of the event.
  event_id         text not null,
  -- The order in which deliveries were created.
  number           bigint not null generated always as identity,
  type             text not null,
  at               timestamptz not null,
  data             json not null,
  status           text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Since the delivery was created, or was last sent by hand.
  attempts         integer not null default 0,
  next_attempt_at  timestamptz,
  -- The process that is sending it.
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

-- Emails to send. Emails that collect news have one row for each person and kind. The row is kept, because it says when
-- the last email was sent.
create table mails (
  organization_id text not null references organizations,
  -- The id of the event, or `<kind>:<person>` for an email that collects news.
  mail_id         text not null,
  kind            text not null
    check (kind in ('invitation', 'review_link', 'approval', 'post_failed', 'token_refused', 'key_expiring')),
  person_id       text references people on delete cascade,
  invitation_id   text,
  -- The token of the link.
  secret_sealed   text,
  -- How many items the email will report.
  count           integer not null,
  -- The time of the first of them.
  since           timestamptz not null,
  attempts        integer not null default 0,
  -- Null: there is nothing to send.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- No other email is sent before then.
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

-- Second factors of people: passkeys, authenticator apps, recovery codes, and sessions that still need one.
create table passkeys (
  passkey_id    text primary key,
  person_id     text not null references people on delete cascade,
  -- The authenticator's id for it, in base64url.
  credential_id text not null unique,
  -- COSE, in base64url.
  public_key    text not null,
  -- The domain for which the browser created it.
  rp_id         text not null,
  -- The authenticator's counter: a signature with a lower number comes from a copy. 0: the authenticator does not
  -- count.
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
  -- Null: the setup has not been confirmed with a code.
  confirmed_at  timestamptz,
  -- The 30-second step of the last accepted code: no code is accepted twice.
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

-- A person's wrong codes and passwords since the last right one, over all addresses and sessions.
create table factor_failures (
  person_id text not null references people on delete cascade,
  kind      text not null check (kind in ('totp', 'password')),
  count     integer not null,
  last_at   timestamptz not null,
  primary key (person_id, kind)
);

-- A separate table, because a program that does not know second factors must not accept such a token as a session.
create table half_sessions (
  token_hash         text primary key,
  session_id         text not null unique,
  person_id          text not null references people on delete cascade,
  -- How the first factor was given.
  method             text not null,
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  failures           integer not null default 0,
  -- What the authenticator has to sign.
  challenge          text,
  id_token_encrypted text
);
create index half_sessions_by_person on half_sessions (person_id, created_at);

-- The browsers and networks that people have signed in from. A sign-in from a new one is reported to the person.
create table sign_in_places (
  person_id text not null references people on delete cascade,
  -- Its name and its system, without versions.
  browser   text not null,
  -- The block of the address: /24 of IPv4, /48 of IPv6.
  network   text not null,
  last_at   timestamptz not null,
  primary key (person_id, browser, network)
);

-- Notices to a person by email, one row for each kind. The row is kept, because it counts the emails of the current
-- hour.
create table person_mails (
  person_id       text not null references people on delete cascade,
  kind            text not null,
  -- The latest items to report, as JSON, oldest first.
  items           text[] not null,
  -- How many items to report. items has only the latest of them.
  count           integer not null,
  since           timestamptz not null,
  -- The hour in which emails are counted, and how many were sent in it.
  hour_at         timestamptz,
  sent            integer not null default 0,
  attempts        integer not null default 0,
  -- Null: there is nothing to send.
  next_attempt_at timestamptz,
  leased_by       text,
  leased_until    timestamptz,
  -- No other email is sent before then.
  quiet_until     timestamptz,
  primary key (person_id, kind),
  constraint person_mails_check check ((leased_by is null) = (leased_until is null))
);
create index person_mails_due on person_mails (next_attempt_at) where next_attempt_at is not null;

-- The last reminder before a key expires. This is not in api_keys because every change there makes all processes read
-- their keys again.
create table key_reminders (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  ends_at         timestamptz not null,
  -- How many days before the expiry it was sent.
  days            integer not null,
  primary key (organization_id, key_id)
);

create table operator_token_reminders (
  name    text primary key references operator_tokens on delete cascade,
  ends_at timestamptz not null,
  days    integer not null
);

-- An action that is repeated within an hour extends the entry of the audit trail that it repeats. The entry itself
-- does not change.
create table audit_repeats (
  organization_id text not null,
  -- The entry that is repeated.
  audit_id        bigint not null,
  times           integer not null,
  -- When the action was last repeated.
  until           timestamptz not null,
  -- The distinct changes since the entry, each once. The last one is the current state.
  states          json not null,
  primary key (organization_id, audit_id)
);

-- How far an organization's trail has been exported to files. The row outlives the organization, as the trail does.
create table audit_exports (
  organization_id text primary key,
  -- The last exported entry: the trail up to it may be removed.
  through         bigint not null,
  -- The last export covered the entries before this time.
  before          timestamptz not null,
  -- The last file, in AUDIT_EXPORT_DIR.
  file            text not null
);

-- The file of a removed upload, until the file is deleted: after a crash the deletion continues.
create table media_removals (
  organization_id text not null,
  media_id        text not null,
  content_type    text not null,
  primary key (organization_id, media_id)
);

-- Each retention task. When it is due, one of the nodes that share the database runs it.
create table housekeeping (
  task     text primary key,
  next_at  timestamptz not null,
  -- Null until the task was first completed. removed counts the rows that it has ever removed.
  ended_at timestamptz,
  removed  bigint not null default 0
);

-- A source that delivers to one organization.
create table sources (
  organization_id        text not null references organizations,
  source_id              text not null,
  type                   text not null check (type in ('META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS')),
  name                   text not null,
  -- The secret that signs deliveries. Null for EVENTS.
  secret_sealed          text,
  -- Accepted as well until previous_until.
  previous_secret_sealed text,
  previous_until         timestamptz,
  -- META only: the app secret of Instagram login, and the verification token.
  second_secret_sealed   text,
  verify_token_sealed    text,
  -- EVENTS only: the SHA-256 of the write key, in base64url, and of the previous one until previous_until.
  write_key_hash         text,
  previous_key_hash      text,
  -- Which amount of an order counts: the total with shipping and tax, or the revenue without them.
  value_from             text not null default 'total' check (value_from in ('total', 'revenue')),
  -- Deliveries per second. Null: the server's setting.
  deliveries_per_second  integer check (deliveries_per_second > 0),
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  -- SHOPIFY only: the number of the shop, from its first signed order. A redaction by another shop is not applied.
  shop_id                text,
  -- How far events with the source's write key are trusted: anyone can read the key of a web page.
  trust                  text not null default 'full' check (trust in ('full', 'new_people', 'times_only')),
  -- WOOCOMMERCE only: the states of orders that count without a date of payment, and the states that never count.
  -- Shops define their own states.
  counted_statuses       text[] not null default '{}',
  uncounted_statuses     text[] not null default '{}',
  primary key (organization_id, source_id),
  -- Signed deliveries are always trusted.
  constraint sources_trust check (trust = 'full' or type = 'EVENTS')
);
-- The address of a delivery does not name the organization.
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

-- The last activity of a source. The processes that response write it every few seconds.
create table source_activity (
  organization_id     text not null,
  source_id           text not null,
  last_delivery_at    timestamptz,
  last_refusal_at     timestamptz,
  last_refusal_reason text,
  refused             bigint not null default 0,
  -- How many items were left out because the source is not trusted with them. They are not stored as problems,
  -- because a stranger could hide real problems among them.
  left_out            bigint not null default 0,
  primary key (organization_id, source_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);

-- Deliveries that wait. The body is kept as it came, together with the headers that a decoder needs.
create table inbox (
  organization_id text not null,
  delivery_id     bigint not null generated always as identity,
  source_id       text not null,
  -- Identifies repeats of the delivery. Null if the sender provides nothing that does.
  delivery_key    text,
  -- The kind of the delivery, from its headers or its address: a topic, or the type of a single event.
  topic           text,
  headers         json not null,
  body            bytea not null,
  received_at     timestamptz not null,
  primary key (organization_id, delivery_id),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);
create unique index inbox_by_key on inbox (organization_id, source_id, delivery_key) where delivery_key is not null;
-- The backlog of a source is summed in steps. Each step starts after the last delivery of the one before.
create index inbox_of_source on inbox (organization_id, source_id, delivery_id);

-- Applied deliveries, kept for INTAKE_KEEP_DAYS to recognize repeats.
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
-- The oldest bodies of a source that still exist.
create index kept_deliveries_with_body
  on kept_deliveries (organization_id, source_id, delivery_id)
  where octet_length(body) > 0;

create trigger kept_deliveries_count_added after insert on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
create trigger kept_deliveries_count_after after update on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
-- When the body is removed and the row is kept.
create trigger kept_deliveries_count_before after update on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger kept_deliveries_count_removed after delete on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();

-- Parts of deliveries that could not be read or applied.
create table problems (
  organization_id text not null,
  problem_id      text not null,
  source_id       text not null,
  at              timestamptz not null,
  -- The path of the item in its delivery, such as `batch[3]`. Null: the whole delivery.
  item            text,
  reason          text not null,
  topic           text,
  headers         json not null,
  -- The delivery, or only that item.
  body            bytea not null,
  -- The file that answers a data request.
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

-- One row for each organization that has ever had a source. A transaction that changes people, purchases or values
-- locks it, so there is one at a time.
create table live_audiences (
  organization_id text primary key references organizations,
  -- A value from before the first source includes all purchases until this time.
  live_since_ms   bigint not null,
  -- After a change of currency, the values of all people are computed again. Those after this cuid remain.
  revalue_after   text
);

-- Ids from other systems. Each belongs to one person.
create table person_ids (
  organization_id text not null references organizations,
  kind            text not null,
  id              text collate "C" not null,
  cuid            text not null,
  -- Null: linked by hand or by an import, or the source no longer exists.
  source_id       text,
  at              timestamptz not null,
  primary key (organization_id, kind, id)
);
-- No lookup index here begins with organization_id. If the statistics know only small organizations, such an index
-- looks as good to the planner as the right one: each of 400 people was searched for among all ids of the
-- organization, and each of 1,000 orders among all its orders. On PostgreSQL a batch of them took 590 to 1,000 ms,
-- and now takes 130 to 260 ms.
create index person_ids_by_cuid on person_ids (cuid, organization_id);
create index person_ids_by_id on person_ids (id, organization_id);

-- The profile fields that sources sent for an id, each with its time. Of all ids of a person, the newest value wins.
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

-- Purchases. Until a conversation has the id that bought, the purchases of that id wait here too.
create table purchases (
  -- No foreign key: a transaction that writes purchases holds the row of their organization, and organizations are
  -- never deleted. Checking every row would take a quarter of an insert.
  organization_id text not null,
  -- The source, or its type if the source was removed.
  source_id       text not null,
  order_id        text collate "C" not null,
  -- The id that bought. Null if a refund arrived before the order, or if the order names no customer.
  id_kind         text,
  id              text collate "C",
  amount          numeric,
  currency        text,
  at_ms           bigint,
  -- The newest version of an order counts.
  version_ms      bigint not null default 0,
  is_test         boolean not null default false,
  is_cancelled    boolean not null default false,
  -- When the last delivery arrived that removed the order, and the last that restored it. An order is removed if the
  -- removal is newer than the restoration and the version of the order: a removal names no version.
  removed_ms      bigint,
  restored_ms     bigint,
  -- True once a refund of the order has arrived: refunds are looked up only for these orders.
  has_refunds     boolean not null default false,
  -- Shops send an order several times within a second, as it is created, paid and refunded. So payment and refunds
  -- are kept apart from the cancellation. none: not paid yet. implied: by the state of the order. stated: by the
  -- shop, with a time. Between versions with the same time, a stated payment is newer.
  payment         text not null default 'implied' check (payment in ('none', 'implied', 'stated')),
  -- The newest version says that everything was refunded, but not by which refund: the refund that represents it
  -- counts.
  is_refunded     boolean not null default false,
  primary key (organization_id, source_id, order_id)
);
create index purchases_by_id on purchases (id, id_kind, organization_id);

create table refunds (
  organization_id text not null,
  source_id       text not null,
  order_id        text collate "C" not null,
  refund_id       text collate "C" not null,
  -- Null: the rest of the order.
  amount          numeric,
  at_ms           bigint not null,
  primary key (organization_id, source_id, order_id, refund_id),
  foreign key (organization_id, source_id, order_id)
    references purchases (organization_id, source_id, order_id) on delete cascade
);

create function note_refunds() returns trigger language plpgsql
-- A session keeps its plans: a plan made on an empty table would scan the table, however full it is later.
set enable_seqscan = off as $$
begin
  update purchases p set has_refunds = true
    from (select distinct organization_id, source_id, order_id from touched) t
   where p.organization_id = t.organization_id and p.source_id = t.source_id and p.order_id = t.order_id and not p.has_refunds;
  return null;
end $$;

create trigger refunds_note after insert on refunds
  referencing new table as touched for each statement execute function note_refunds();

-- Keyed hashes of the ids of erased people, so that a late delivery does not bring them back.
create table forgotten_ids (
  organization_id text not null references organizations,
  id_hash         text not null,
  erasure_id      text not null,
  at              timestamptz not null,
  primary key (organization_id, id_hash)
);

-- Comments on posts, stored for the automation.
create table incoming_comments (
  organization_id text not null,
  channel_id      text not null,
  comment_id      text collate "C" not null,
  -- The platform's id of the post or medium.
  object_id       text not null,
  parent_id       text,
  person_id       text,
  from_name       text,
  text            text,
  at_ms           bigint not null,
  received_at     timestamptz not null,
  -- A comment waits until it is decided. A comment on an unknown post does not wait, but waits again once its post is
  -- found.
  waiting         boolean not null default true,
  primary key (organization_id, channel_id, comment_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);
-- The comments of a person who is erased.
create index incoming_comments_by_person on incoming_comments (organization_id, person_id) where person_id is not null;
create index incoming_comments_waiting on incoming_comments (organization_id, channel_id, object_id) where waiting;
create index incoming_comments_by_object on incoming_comments (organization_id, channel_id, object_id);

-- The subscription of a channel to its platform's webhooks, and the conversations whose profiles are still to be
-- read.
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

-- Names of conversations, for a search by their beginnings, in lower case: whole name, last name, user name. Three
-- indexes on conversations instead would make an insert 2.6 times as slow. Triggers maintain the table, so every
-- writer is covered. On the embedded engine, 20,000 inserts in batches of 100 take 2.3 s with them and 1.2 s without;
-- 20,000 changes of a value take 1.5 s and 1.35 s; deleting all rows takes 0.8 s and 0.3 s.
create table conversation_names (
  organization_id text not null,
  name            text collate "C" not null,
  channel_id      text not null,
  conversation_id text collate "C" not null,
  primary key (organization_id, name, channel_id, conversation_id)
);

-- Data deletion requests from Meta. A row identifies nobody: its code is a hash of what Meta signed.
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

-- Bodies that remain to be searched after an erasure. The search runs in steps, and after a crash it continues from
-- here.
create table body_erasures (
  organization_id text not null references organizations,
  erasure_no      bigint not null generated always as identity,
  -- The ids of the erased people. Null: everything of the source is erased.
  ids             json,
  source_id       text,
  -- The last delivery at the time of the erasure. If it is still in the inbox, it is searched once it was applied.
  until_delivery  bigint not null,
  -- The progress: kept deliveries first, then problems.
  after_delivery  bigint not null default '-1'::integer,
  after_problem   text not null default '',
  primary key (organization_id, erasure_no),
  constraint body_erasures_check check ((ids is null) <> (source_id is null))
);

-- Superpowers that were stopped. They stay stopped.
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

-- People who asked for no automated messages on a channel, by their platform id there.
create table opt_outs (
  organization_id text not null,
  channel_id      text not null,
  person_id       text collate "C" not null,
  at              timestamptz not null,
  source          text not null check (source in ('comment', 'message', 'hand')),
  primary key (organization_id, channel_id, person_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id)
);

-- A post with a superpower that is published on a channel. The columns of a claim are for reading its comments.
create table automation_posts (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- The platform's id of the post at its publication.
  external_id       text not null,
  -- The id that comments use, if it differs: a video of a page.
  commented_id      text,
  published_at      timestamptz not null,
  polled_at         timestamptz,
  -- Why the last reading failed.
  poll_problem      text,
  -- When the newest known comment was written.
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

-- The ledger: one row for each comment that was seen, with the reason of the decision.
create table automation_comments (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  scheduled_post_id text not null,
  parent_id         text,
  -- Null for an erased person, as are the name and the text.
  person_id         text,
  from_name         text,
  text              text,
  commented_at      timestamptz not null,
  decided_at        timestamptz not null,
  -- The position of the condition group that matched, from 0: the ids of groups change.
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
-- Answers by the people who run the page.
create index automation_comments_of_our_own
  on automation_comments (organization_id, channel_id, parent_id)
  where reason = 'own_comment';

-- The effects of a comment, at most one of each kind, however often the comment is delivered.
create table automation_effects (
  organization_id   text not null,
  channel_id        text not null,
  comment_id        text collate "C" not null,
  -- A message to a person who wrote within 24 hours: for raffles only.
  effect            text not null check (effect in ('private_reply', 'public_reply', 'like', 'message')),
  scheduled_post_id text not null,
  group_place       integer not null,
  state             text not null check (state in ('planned', 'attempting', 'done', 'refused', 'unknown', 'skipped')),
  reason            text,
  -- In the platform's words.
  problem           text,
  -- What is sent: {text, media, links}. Null for a like, and for an erased person.
  reply             json,
  due_at            timestamptz not null,
  -- Null: there is nothing to do, or it waits for the private reply.
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  -- Stored before the call.
  attempted_at      timestamptz,
  ended_at          timestamptz,
  external_id       text,
  -- The conversation that a private reply started: its id may differ from the commenter's.
  recipient_id      text,
  -- The queue within the lane. Queues take turns: each post has one, and the messages to winners and to other
  -- entrants of raffles have one each. Within a queue people take turns, so someone who comments six hundred times
  -- delays nobody else (docs/automation.md). Empty in rows that plain SQL wrote.
  queue             text collate "C" not null default '',
  -- People take turns within a queue. Empty if it does not matter, and for an erased person.
  person_id         text collate "C" not null default '',
  -- The superpower does not limit how often a person is answered, so this is the only private reply to the person on
  -- the post.
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
-- One private reply per person and post, by any writer. A reply that was certainly not sent does not count.
create unique index automation_effects_once
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where once and effect = 'private_reply' and person_id <> '' and (state in ('planned', 'attempting', 'done',
    'unknown'));
-- People who got a private reply, or would have got one in a dry run.
create index automation_effects_of_person
  on automation_effects (organization_id, channel_id, scheduled_post_id, person_id)
  where effect = 'private_reply' and person_id <> '' and ((state in ('planned', 'attempting', 'done', 'unknown')) or
    reason = 'dry_run');

-- The effects of one kind on one channel run one after another. The columns of a claim are those of the lane.
create table automation_lanes (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  -- Each call moves it forward, which limits the rate of calls. A time in the past allows a few at once.
  open_at         timestamptz,
  -- The last time that nothing prevented a call.
  served_at       timestamptz,
  -- Counts the planned effects, so that a holder that is finishing notices the ones it has not seen.
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
-- A busy organization does not delay the others: due lanes are looked up by organization.
create index automation_lanes_of_organization
  on automation_lanes (organization_id, next_attempt_at)
  where next_attempt_at is not null;

-- The people who were answered, for the limits of a group (place) and of the whole superpower (place -1).
create table automation_people (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  place             integer not null,
  person_id         text not null,
  -- Answered in a dry run. It counts only in dry runs, so nobody misses a response because of one that was not sent.
  is_dry            boolean not null default false,
  last_at           timestamptz not null,
  primary key (organization_id, scheduled_post_id, channel_id, place, person_id, is_dry),
  constraint automation_people_organization_id_scheduled_post_id_channe_fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references automation_posts (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index automation_people_by_person on automation_people (organization_id, channel_id, person_id);

-- The seed and the key of the entrants are derived, so nothing about them is stored before the draw.
create table raffles (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  ends_at           timestamptz not null,
  winners_max       integer not null check (winners_max > 0),
  -- When the raffle was drawn. The entrants are frozen in the same transaction.
  drawn_at          timestamptz,
  seed              text,
  entrants          integer,
  entrants_sha256   text,
  -- When the superpower was stopped before the end.
  cancelled_at      timestamptz,
  -- The last entrant without a prize for whom a message was planned, in order.
  messages_planned_to text collate "C",
  -- When every message was planned.
  messages_planned_at timestamptz,
  -- Set by the approval. Null: only the seed decides.
  beacon_chain      text,
  beacon_round      bigint check (beacon_round > 0),
  -- The beacon's value for the round, stored before the draw.
  beacon_signature  text,
  beacon_fetched_at timestamptz,
  -- Why the value could not be fetched the last time.
  beacon_problem    text,
  -- Nobody enters after this time. It is before the beacon's value is known, unless the service was down.
  frozen_at         timestamptz,
  -- Who commented before the end but did not enter, by reason: [{reason, people}].
  left_out          json,
  -- When the value is requested next.
  next_attempt_at   timestamptz,
  attempts          integer not null default 0,
  primary key (organization_id, scheduled_post_id, channel_id),
  foreign key (organization_id, scheduled_post_id, channel_id)
    references automation_posts (organization_id, scheduled_post_id, channel_id) on delete cascade,
  constraint raffles_beacon_is_whole check ((beacon_chain is null) = (beacon_round is null)),
  constraint raffles_check check ((drawn_at is null) = (seed is null)),
  constraint raffles_check2 check (drawn_at is null or cancelled_at is null),
  constraint raffles_entrants_are_frozen check ((entrants_sha256 is null) = (drawn_at is null and frozen_at is null)),
  -- No writer can draw without the value of the beacon that was named.
  constraint raffles_wait_for_their_beacon
    check (drawn_at is null or beacon_chain is null or beacon_signature is not null)
);
create index raffles_due on raffles (ends_at) where drawn_at is null and cancelled_at is null;
create index raffles_to_message on raffles (drawn_at) where drawn_at is not null and messages_planned_at is null;
create index raffles_frozen on raffles (next_attempt_at) where frozen_at is not null and drawn_at is null;

-- One row for each person. A person who is erased before the draw has no row. After the draw the row is kept but no
-- longer identifies the person.
create table raffle_entrants (
  organization_id   text not null,
  scheduled_post_id text not null,
  channel_id        text not null,
  -- HMAC of the person's id under the raffle's key, in hexadecimal.
  entrant           text collate "C" not null,
  person_id         text,
  comment_id        text collate "C",
  entered_at        timestamptz not null,
  -- The message to entrants without a prize: its effect, or why there is none.
  message_comment_id text collate "C",
  message_effect    text,
  not_sent_reason   text,
  primary key (organization_id, scheduled_post_id, channel_id, entrant),
  constraint raffle_entrants_organization_id_scheduled_post_id_channel__fkey foreign key (organization_id,
      scheduled_post_id, channel_id)
    references raffles (organization_id, scheduled_post_id, channel_id) on delete cascade
);
create index raffle_entrants_by_person
  on raffle_entrants (organization_id, channel_id, person_id)
  where person_id is not null;

-- Nobody can enter once the list is frozen, whatever writes the row.
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
  -- The message to the winner, as for entrants. Null: not planned yet.
  planned_at        timestamptz,
  message_comment_id text collate "C",
  message_effect    text,
  not_sent_reason   text,
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

-- The console's files of this release and the previous one: a page that was opened before an upgrade still requests
-- its own files, and a node with another release must have them. Unlogged: a node writes its files again when it
-- starts.
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
  -- The position among the messages of the post.
  place             integer not null,
  -- The message that begins the thread. Null for that message itself. Threads have one level.
  reply_to          text,
  -- Whether people with a review link see the message. A thread is shared from its first message, or not at all.
  shared            boolean not null,
  author_type       text not null,
  author_id         text,
  -- The name on the link of a person without an account, and the person who made the link, because the link itself
  -- ends.
  outsider_name     text,
  -- No foreign key: the discussion is kept, with the id of the person who made the link.
  link_of           text,
  -- Empty once the message is deleted: it is kept while it has replies.
  text              text not null,
  -- Ids of people.
  mentions          text[] not null,
  created_at        timestamptz not null,
  -- Open pages ask for the latest changes.
  changed_at        timestamptz not null,
  edited_at         timestamptz,
  deleted_at        timestamptz,
  -- For the message that begins a thread: when the thread was resolved, and by whom.
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

-- The inbox of each person in each organization: news about their posts, and emails about the news.
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
  -- Listed in the next email to the person, unless it is read first.
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

-- When the next email is sent to each member who has had emails about news.
create table inbox_mails (
  organization_id text not null,
  person_id       text not null,
  -- The entries since the last email.
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
  -- In the format of the interface.
  conditions      jsonb not null,
  created_at      timestamptz not null,
  primary key (organization_id, segment_id)
);

-- The weekly times at which posts of a channel are usually published, for people who plan them.
create table posting_slots (
  organization_id text not null,
  channel_id      text not null,
  -- 1 (Monday) to 7.
  weekday         smallint not null check (weekday >= 1 and weekday <= 7),
  -- On the organization's wall clock, whatever its UTC offset on that day.
  minute_of_day   smallint not null check (minute_of_day >= 0 and minute_of_day <= 1439),
  primary key (organization_id, channel_id, weekday, minute_of_day),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id) on delete cascade
);

-- The secret address at which a calendar program reads an organization's posts, for one person.
create table calendar_feeds (
  organization_id text not null references organizations on delete cascade,
  person_id       text not null references people on delete cascade,
  -- SHA-256 of the token.
  token_hash      text not null unique,
  created_at      timestamptz not null,
  primary key (organization_id, person_id)
);

-- Texts and groups of hashtags that an organization saves for its posts.
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
-- People choose a text by its name.
create unique index saved_texts_by_name on saved_texts (organization_id, kind, lower(name));

-- Series of repeating posts. Each post of a series is an ordinary post with its own approval.
create table post_series (
  organization_id text not null references organizations,
  series_id       text not null,
  rule            json not null,
  -- The time zone in which the rule was read.
  time_zone       text not null,
  created_at      timestamptz not null,
  -- After this time it has no posts that wait for a decision.
  stopped_at      timestamptz,
  primary key (organization_id, series_id)
);

create table post_series_posts (
  organization_id   text not null,
  series_id         text not null,
  scheduled_post_id text not null,
  -- 0 for the post that the others were copied from.
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
  -- The number by which the holder knows the post. It is the only id they see.
  number            integer not null,
  scheduled_post_id text not null,
  -- The decision of the holder.
  decision          text check (decision in ('approved', 'rejected')),
  -- The version that resulted from the decision.
  decided_version   integer,
  -- True if the post left the round of approval without the holder's decision.
  ended             boolean not null default false,
  -- True if the holder returned the post and it waits again: they decide about the new version.
  returned          boolean not null default false,
  primary key (organization_id, link_id, number),
  foreign key (organization_id, link_id) references review_links (organization_id, link_id) on delete cascade,
  foreign key (organization_id, scheduled_post_id)
    references scheduled_posts (organization_id, scheduled_post_id) on delete cascade,
  constraint review_link_posts_check check ((decision is null) = (decided_version is null))
);
create index review_link_posts_by_post on review_link_posts (organization_id, scheduled_post_id);

-- Refused requests that named a key. They are not in key_uses, because a refused request is not a use.
create table key_refusals (
  organization_id text not null,
  key_id          text not null references api_keys on delete cascade,
  -- Since the first request that was counted.
  count           bigint not null,
  last_at         timestamptz not null,
  last_reason     text not null,
  primary key (organization_id, key_id)
);

-- Roles of members in single channels, which differ from their role in the organization.
create table membership_channels (
  organization_id     text not null,
  person_id           text not null,
  channel_id          text not null,
  -- There is no administrator of a single channel.
  role                text not null check (role in ('VIEWER', 'EDITOR')),
  may_approve         boolean not null,
  -- As in memberships: who gave the person the right to approve here, and when. Null if it is not known.
  approval_granted_at timestamptz,
  approval_granted_by text,
  primary key (organization_id, person_id, channel_id),
  foreign key (organization_id, channel_id) references channels (organization_id, channel_id) on delete cascade,
  foreign key (organization_id, person_id)
    references memberships (organization_id, person_id) on update cascade on delete cascade
);
create index membership_channels_by_channel on membership_channels (organization_id, channel_id);

-- These roles are cached with the membership.
create constraint trigger membership_channels_count_access_change
  after insert or update or delete on membership_channels
  deferrable initially deferred for each row execute function count_access_change('organization_id');

-- The last backup that a program fetched, as `greenroom backup` does.
create table last_fetched_backup (
  only_row      boolean default true primary key check (only_row),
  made_at       timestamptz not null,
  bytes         bigint not null,
  -- Whether the backup contains the master key.
  master_key    boolean not null,
  missing_media integer not null
);

-- The total size of the stored bodies of a source is limited, so triggers count their bytes: a sum over the rows
-- would take longer the more there are.
create table source_bytes (
  organization_id text not null,
  source_id       text not null,
  -- The table of the bodies: kept_deliveries or problems. Separate rows, so that transactions that write both lock
  -- them in the same order.
  kept_in         text not null,
  bytes           bigint not null,
  primary key (organization_id, source_id, kept_in),
  foreign key (organization_id, source_id) references sources (organization_id, source_id) on delete cascade
);

-- What an intake worker is about to do, stored before it does it: a delivery that kills the process is set aside, and
-- not retried forever.
create table intake_attempts (
  organization_id text not null references organizations,
  -- The worker's row in publishers. If that row is gone, the worker has died.
  holder          text not null,
  -- The delivery that is processed separately because a worker died in this organization earlier. Otherwise null.
  delivery_id     bigint,
  primary key (organization_id, holder)
);

-- One row for each person with effects in a queue. The holder of the lane takes the person whose turn is first, at
-- the same cost however many effects one person has.
create table automation_turns (
  organization_id text not null,
  channel_id      text not null,
  effect          text not null,
  queue           text collate "C" not null,
  person_id       text collate "C" not null,
  -- At the latest the person's next effect, and at the earliest the time when the person was last served.
  turn_at         timestamptz not null,
  served_at       timestamptz,
  -- Counts the planned effects, so that a holder that finds nothing notices the ones it has not seen.
  wakes           bigint not null default 0,
  primary key (organization_id, channel_id, effect, queue, person_id),
  foreign key (organization_id, channel_id, effect)
    references automation_lanes (organization_id, channel_id, effect) on delete cascade
);
create index automation_turns_in_order
  on automation_turns (organization_id, channel_id, effect, queue, turn_at, served_at nulls first, person_id);
create index automation_turns_by_person on automation_turns (organization_id, channel_id, person_id);

-- Bodies of deliveries that ask to remove something. The signature of a delivery does not cover its topic, so the
-- same bytes may come again under another topic, or long after they were applied. The table has hashes of these
-- bodies, each with the topics under which it was accepted. A row identifies nobody.
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

-- Who first wrote a text in an organization. Under four eyes they count as a writer of every post with that text,
-- however it got there.
create table post_texts (
  organization_id text not null references organizations,
  -- SHA-256 of the trimmed text in UTF-8. Texts shorter than 20 characters have no row.
  text_sha256     bytea not null,
  -- As in the history: user:<id>, key:<id>, operator:<name>.
  actor           text not null,
  written_at      timestamptz not null,
  primary key (organization_id, text_sha256)
);
create index post_texts_by_age on post_texts (organization_id, written_at);

-- Bearer tokens that people create for programs that act for them, such as the command line. A person can also sign a
-- program in with a code that the program shows. For tokens and codes, only the SHA-256 is stored.
create table personal_tokens (
  token_hash    text primary key,
  -- The id that the person and the audit trail see. The token cannot be derived from it.
  token_id      text not null unique,
  person_id     text not null references people on delete cascade,
  name          text not null,
  -- The most that the token may do: in an organization it may do what both the scopes and the person's role allow.
  scopes        text[] not null,
  -- The only organization in which the token works. Null: all organizations of the person. No foreign key, because
  -- without the organization the token allows nothing.
  bound_to      text,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  -- Whether the session that created the token had passed a second factor: organizations may require it.
  second_factor boolean not null,
  -- To the minute. Null: it was never used.
  last_used_at  timestamptz
);
create index personal_tokens_by_person on personal_tokens (person_id, created_at);

-- These changes end what every node has cached about a token. Creating or using one changes nothing that is cached.
create constraint trigger personal_tokens_count_access_change
  after delete or update of second_factor on personal_tokens
  deferrable initially deferred for each row execute function count_access_change('person_id');

-- A program that waits for a person to sign it in (RFC 8628).
create table device_logins (
  device_code_hash text primary key,
  -- The hash of the code that the person types in.
  user_code_hash   text not null unique,
  -- The program's name for itself, and the scopes that it asks for. Null: the person chooses the scopes.
  name             text not null,
  scopes           text[],
  address          text not null,
  -- The block of the program's address: each block may have only a few logins at a time.
  network          text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- The program may not ask for the response before this time.
  next_poll_at     timestamptz not null,
  interval_seconds integer not null,
  -- Null: the person has not answered.
  allowed          boolean,
  -- What the person allowed. The token is created when the program fetches it.
  person_id        text references people on delete cascade,
  granted          jsonb,
  constraint device_logins_check
    check ((allowed is true) = (granted is not null) and (allowed is null) = (person_id is null))
);
create index device_logins_by_network on device_logins (network, created_at);
create index device_logins_by_end on device_logins (expires_at);
create index device_logins_by_person on device_logins (person_id) where person_id is not null;

-- Counts once per transaction, however many rows it changes.
create function count_access_change_of(scope text) returns void language sql as $$
  insert into access_revisions as r (scope_id, revision) values (scope, 1)
  on conflict (scope_id) do update set revision = r.revision + 1 where r.xmin <> pg_current_xact_id()::xid
$$;

-- Whether a member may approve ('approve'), or approve or write ('send'), in every channel of a post. The role in a
-- channel overrides the role in the organization, which also applies to a post without channels. False for people who
-- are not members.
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
