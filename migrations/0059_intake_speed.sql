-- What applying events costs: the values of people are computed with fewer look-ups, and names are looked at only where they change.
--
-- compatible with the program before: triggers keep what it does not know.

-- True once a refund of the order came: refunds are looked up for these orders alone.
alter table purchases add column has_refunds boolean not null default false;
update purchases p set has_refunds = true
 where exists (select from refunds f
                where f.organization_id = p.organization_id and f.source_id = p.source_id and f.order_id = p.order_id);

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

-- Purchases are written by a transaction that holds their organization's row, and organizations are never deleted. To look each of
-- them up again takes a quarter of an insert.
alter table purchases drop constraint purchases_organization_id_fkey;

-- An update of many conversations compared all old rows with all new ones, and few updates change a name.
drop trigger conversations_name_update on conversations;
drop function name_updated_conversations();

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
create trigger conversations_rename after update on conversations for each row
  when (row(old.organization_id, old.channel_id, old.conversation_id, old.first_name, old.last_name, old.user_name)
        is distinct from row(new.organization_id, new.channel_id, new.conversation_id, new.first_name, new.last_name, new.user_name))
  execute function rename_conversation();
