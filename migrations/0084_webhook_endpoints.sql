-- An organization has several webhooks, each with the events that it wants; a delivery is to one of them, and keeps the answer.
--
-- compatible with the program before: it finds the one webhook that there is, and a trigger names that one in its deliveries.
-- Add a second webhook once no node of that program runs (docs/upgrading.md).

alter table webhooks
  add column name   text not null default '',
  -- Null: all of them, also those of later versions.
  add column events text[],
  add column active boolean not null default true;

alter table webhooks drop constraint webhooks_pkey;
alter table webhooks add primary key (organization_id, webhook_id);

alter table webhook_deliveries
  add column webhook_id       text,
  -- The beginning of the receiver's answer to the last attempt, as text.
  add column last_answer      text,
  add column last_duration_ms integer;

update webhook_deliveries d
   set webhook_id = coalesce((select w.webhook_id from webhooks w where w.organization_id = d.organization_id), '');

alter table webhook_deliveries alter column webhook_id set not null;
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add primary key (organization_id, webhook_id, event_id);

drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 'PENDING';
create index webhook_deliveries_of_webhook on webhook_deliveries (organization_id, webhook_id, number desc);

create function name_webhook_of_delivery() returns trigger language plpgsql as $$
begin
  if new.webhook_id is null then
    select w.webhook_id into new.webhook_id from webhooks w
     where w.organization_id = new.organization_id order by w.created_at, w.webhook_id limit 1;
  end if;
  return new;
end $$;
create trigger webhook_deliveries_of_the_program_before before insert on webhook_deliveries
  for each row execute function name_webhook_of_delivery();
