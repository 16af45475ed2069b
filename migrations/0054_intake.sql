-- Intake: what shops, apps and inboxes send is stored before it is read, and then applied to the audience.
--
-- compatible with the program before: it reads none of the new tables. Its imports leave the opening values of conversations as they
-- are, so an organization that has sources is imported by this program alone.

-- The currency that lifetime values are in; null: purchases are kept and not counted.
alter table organizations add column currency text check (currency ~ '^[A-Z]{3}$');

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
  primary key (organization_id, source_id)
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
  primary key (organization_id, source_id),
  foreign key (organization_id, source_id) references sources on delete cascade
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
  foreign key (organization_id, source_id) references sources on delete cascade
);
create unique index inbox_by_key on inbox (organization_id, source_id, delivery_key) where delivery_key is not null;
create index inbox_by_source on inbox (organization_id, source_id);

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
  foreign key (organization_id, source_id) references sources on delete cascade
);
create index kept_deliveries_by_key on kept_deliveries (organization_id, source_id, delivery_key)
  where delivery_key is not null;
create index kept_deliveries_by_age on kept_deliveries (organization_id, applied_at);

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
  foreign key (organization_id, source_id) references sources on delete cascade
);
create index problems_by_source on problems (organization_id, source_id, at, problem_id);
create index problems_by_age on problems (organization_id, at);

-- One row for each organization that ever had a source. Who changes people, purchases or values locks it: one at a time.
create table live_audiences (
  organization_id text not null primary key references organizations,
  -- A value from before the first source holds all purchases until then.
  live_since_ms   bigint not null,
  -- The values of all people are computed again, as after another currency: of those after this cuid.
  revalue_after   text
);

-- The value of a conversation is its opening value and what was bought after opening_at_ms.
alter table conversations
  -- Null until intake changes the value for the first time: lifetime_amount is the opening value then.
  add column opening_amount      numeric,
  -- Null: everything counts.
  add column opening_at_ms       bigint,
  -- The last purchase that an import gave.
  add column opening_purchase_ms bigint,
  -- The times of the profile's fields, by name: the newest value wins, in whatever order they come. A field that was known before the first
  -- source has the time of that; one that is empty without a time is older than all.
  add column field_times         jsonb;

-- Another currency, or the first one: the worker computes all values again.
create function revalue_audience() returns trigger language plpgsql as $$
begin
  update live_audiences set revalue_after = '' where organization_id = new.organization_id;
  return null;
end $$;
create trigger organizations_revalue after update of currency on organizations
  for each row when (new.currency is distinct from old.currency) execute function revalue_audience();

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
create index person_ids_by_cuid on person_ids (organization_id, cuid);
create index person_ids_by_id on person_ids (organization_id, id);

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
  organization_id text not null references organizations,
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
  primary key (organization_id, source_id, order_id)
);
create index purchases_by_id on purchases (organization_id, id_kind, id);

create table refunds (
  organization_id text not null,
  source_id       text not null,
  order_id        text collate "C" not null,
  refund_id       text collate "C" not null,
  -- Null: all that is left of the order.
  amount          numeric,
  at_ms           bigint not null,
  primary key (organization_id, source_id, order_id, refund_id),
  foreign key (organization_id, source_id, order_id) references purchases on delete cascade
);

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
  primary key (organization_id, channel_id, comment_id),
  foreign key (organization_id, channel_id) references channels
);

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
  foreign key (organization_id, channel_id) references channels,
  foreign key (organization_id, source_id) references sources on delete cascade
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
  foreign key (organization_id, channel_id, conversation_id) references conversations on delete cascade
);
create index wanted_profiles_due on wanted_profiles (next_attempt_at) where next_attempt_at is not null;

-- Names of conversations for a search by their beginnings, in lower case: whole name, last name, user name. Three indexes on conversations
-- itself make an insert 2.6 times as slow. Triggers keep it, so that every writer is covered. On the embedded engine, 20,000 inserts in
-- batches of 100 take 2.3 s with them and 1.2 s without; 20,000 changes of a value 1.5 s and 1.35 s; to delete them all 0.8 s and 0.3 s.
create table conversation_names (
  organization_id text not null,
  name            text collate "C" not null,
  channel_id      text not null,
  conversation_id text collate "C" not null,
  primary key (organization_id, name, channel_id, conversation_id)
);

-- In small letters by the rules of Unicode. A database with the locale C knows those of ASCII alone by itself.
do $$
declare
  known text := (select format('name collate pg_catalog.%I', collname) from pg_collation
                  where collname in ('C.utf8', 'pg_c_utf8') and collencoding in (-1, pg_char_to_encoding('UTF8'))
                    and current_setting('server_encoding') = 'UTF8'
                  order by collname limit 1);
begin
  execute format('create function folded(name text) returns text language sql immutable as %L',
                 format('select lower(%s)', coalesce(known, 'name')));
end $$;

create function names_of(first_name text, last_name text, user_name text) returns text[] language sql immutable as $$
  select array(select distinct left(folded(name), 200)
                 from unnest(array[concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), last_name, user_name]) as n (name)
                where name <> '')
$$;

create function name_inserted_conversations() returns trigger language plpgsql as $$
begin
  insert into conversation_names (organization_id, name, channel_id, conversation_id)
  select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from touched
   where first_name is not null or last_name is not null or user_name is not null
      on conflict do nothing;
  return null;
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

create function name_updated_conversations() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  -- Few updates change a name.
  if not exists (
    select from old_rows o join new_rows n using (organization_id, channel_id, conversation_id)
     where row(o.first_name, o.last_name, o.user_name) is distinct from row(n.first_name, n.last_name, n.user_name)
  ) and (select count(*) from old_rows) = (select count(*) from old_rows join new_rows using (organization_id, channel_id, conversation_id)) then
    return null;
  end if;
  -- Names that stay are not written again.
  delete from conversation_names n
   using (select organization_id, unnest(names_of(first_name, last_name, user_name)) as name, channel_id, conversation_id from old_rows
          except
          select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from new_rows) t
   where n.organization_id = t.organization_id and n.name = t.name and n.channel_id = t.channel_id
     and n.conversation_id = t.conversation_id;
  insert into conversation_names (organization_id, name, channel_id, conversation_id)
  select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from new_rows
  except
  select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from old_rows
      on conflict do nothing;
  return null;
end $$;

create function unname_truncated_conversations() returns trigger language plpgsql as $$
begin
  truncate conversation_names;
  return null;
end $$;

create trigger conversations_name_insert after insert on conversations
  referencing new table as touched for each statement execute function name_inserted_conversations();
create trigger conversations_name_update after update on conversations
  referencing old table as old_rows new table as new_rows for each statement execute function name_updated_conversations();
create trigger conversations_name_delete after delete on conversations
  referencing old table as touched for each statement execute function unname_deleted_conversations();
create trigger conversations_name_truncate after truncate on conversations
  for each statement execute function unname_truncated_conversations();

insert into conversation_names (organization_id, name, channel_id, conversation_id)
select organization_id, unnest(names_of(first_name, last_name, user_name)), channel_id, conversation_id from conversations;
