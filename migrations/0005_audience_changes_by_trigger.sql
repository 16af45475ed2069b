-- The revision of a channel's audience is counted by triggers, so that no writer can forget it, and a row that plain SQL
-- changes or deletes leaves the lists at once. Each statement on conversations, VIP marks or connections notes what it touched;
-- at the end of the transaction all its notes for a channel become one revision. So the channel's row in audiences is locked
-- only while the transaction commits.

-- What running transactions have touched. Each row is deleted before its transaction commits, so a crash loses nothing that
-- is needed. The transaction is part of the key, so that a look-up reads no dead rows of earlier transactions.
create unlogged table pending_audience_changes (
  organization_id  text not null,
  channel_id       text not null,
  transaction_id   xid8 not null default pg_current_xact_id(),
  change_id        bigint not null generated always as identity,
  -- Null: any number of conversations. Empty: the channel's connections alone.
  conversation_ids text[],
  primary key (organization_id, channel_id, transaction_id, change_id)
);

-- A channel that is deleted and created again must not start again at revision 1: a cached list of the old channel would look
-- current.
alter table audiences drop constraint audiences_organization_id_channel_id_fkey;
-- TRUNCATE counts every channel of this table, so every channel with conversations must be in it.
insert into audiences (organization_id, channel_id, revision, changes_since)
select distinct organization_id, channel_id, 0, 0 from conversations
on conflict do nothing;

-- For INSERT and DELETE. The log keeps 10,000 conversations of a channel: of a statement that touches more, only the channels
-- are noted.
create function note_touched_conversations() returns trigger language plpgsql as $$
begin
  insert into pending_audience_changes (organization_id, channel_id, conversation_ids)
  select organization_id, channel_id, array_agg(conversation_id) filter (where (select count(*) from touched) <= 10000)
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
  insert into pending_audience_changes (organization_id, channel_id, conversation_ids)
  select organization_id, channel_id, array_agg(conversation_id) filter (where (select count(*) from touched) <= 10000)
    from touched group by organization_id, channel_id;
  return null;
end $$;

create function note_truncated_conversations() returns trigger language plpgsql as $$
begin
  insert into pending_audience_changes (organization_id, channel_id)
  select organization_id, channel_id from audiences;
  return null;
end $$;

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

create trigger conversations_note_insert after insert on conversations
  referencing new table as touched for each statement execute function note_touched_conversations();
create trigger conversations_note_update after update on conversations
  referencing old table as old_rows new table as new_rows for each statement execute function note_updated_conversations();
create trigger conversations_note_delete after delete on conversations
  referencing old table as touched for each statement execute function note_touched_conversations();
create trigger conversations_note_truncate after truncate on conversations
  for each statement execute function note_truncated_conversations();

create trigger vip_marks_note_insert after insert on vip_marks
  referencing new table as touched for each statement execute function note_touched_conversations();
create trigger vip_marks_note_update after update on vip_marks
  referencing old table as old_rows new table as new_rows for each statement execute function note_updated_conversations();
create trigger vip_marks_note_delete after delete on vip_marks
  referencing old table as touched for each statement execute function note_touched_conversations();
create trigger vip_marks_note_truncate after truncate on vip_marks
  for each statement execute function note_truncated_conversations();

create trigger workspace_channels_note_change after insert or update or delete on workspace_channels
  for each row execute function note_changed_connection();

-- Gives the channel its next revision: the last one plus the number of conversations touched, so that the difference of two
-- revisions says how many changed at most. Each statement here sees what was committed before it, and so the delete sees the
-- log of every transaction that had the lock on audiences before.
create function count_audience_change() returns trigger language plpgsql
-- A session keeps its plans: made on an empty table they would scan it, whatever it holds later.
set enable_seqscan = off as $$
declare
  ids        text[];
  any_number boolean;
  step       bigint;
  counted    record;
begin
  -- The trigger fires for each pending row; the first time counts all of the channel's.
  if not exists (
    select from pending_audience_changes
     where organization_id = new.organization_id and channel_id = new.channel_id
       and transaction_id = new.transaction_id and change_id = new.change_id
  ) then
    return null;
  end if;
  with taken as (
    delete from pending_audience_changes
     where organization_id = new.organization_id and channel_id = new.channel_id and transaction_id = new.transaction_id
    returning conversation_ids
  )
  select bool_or(conversation_ids is null), array(select distinct unnest(conversation_ids) from taken)
    into any_number, ids from taken;
  any_number := any_number or cardinality(ids) > 10000;
  step := case when any_number then 1 else greatest(1, cardinality(ids)) end;

  insert into audiences as a (organization_id, channel_id, revision, changes_since)
  values (new.organization_id, new.channel_id, step, case when any_number then step else 0 end)
  on conflict (organization_id, channel_id) do update
    set revision = a.revision + step,
        changes_since = case when any_number then a.revision + step
                             else greatest(a.changes_since, a.revision + step - 10000) end
  returning revision, changes_since into counted;
  if not any_number and cardinality(ids) > 0 then
    insert into audience_changes (organization_id, channel_id, revision, conversation_ids)
    values (new.organization_id, new.channel_id, counted.revision, ids);
  end if;
  if counted.changes_since > 0 then
    delete from audience_changes
     where organization_id = new.organization_id and channel_id = new.channel_id and revision <= counted.changes_since;
  end if;
  return null;
end $$;

create constraint trigger pending_audience_changes_count
  after insert on pending_audience_changes
  deferrable initially deferred for each row execute function count_audience_change();
