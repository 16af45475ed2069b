-- The lifetime value is a decimal, so that amounts of money add up exactly. Channels are found by their id on the platform.
--
-- Lists stay sorted by lifetime_value, the amount as a double: nodes compare the rows in memory as doubles, where two decimals may
-- be equal.
--
-- compatible with the program before: it reads and writes lifetime_value, which triggers keep equal to lifetime_amount.

-- The default fills the rows without a rewrite: after one, a snapshot that is older finds the table empty, and a node that waited for
-- the lock to read a list would cache an empty one. So the other rows are updated, which takes three times as long.
alter table conversations add column lifetime_amount numeric not null default 0;
-- Its triggers would note every conversation as changed. Nothing that a list shows has changed.
alter table conversations disable trigger user;
-- By way of the text: a cast of a double to a decimal keeps 15 digits, and the text as many as tell two doubles apart.
set local extra_float_digits = 1;
update conversations set lifetime_amount = lifetime_value::text::numeric where lifetime_value <> 0;
alter table conversations enable trigger user;
-- Null is what the program before leaves there, until the trigger has its turn.
alter table conversations alter column lifetime_amount drop default;

create function amount_of_value() returns trigger language plpgsql
set extra_float_digits = 1 as $$
begin
  new.lifetime_amount := new.lifetime_value::text::numeric;
  return new;
end $$;

create function value_of_amount() returns trigger language plpgsql as $$
begin
  new.lifetime_value := new.lifetime_amount::double precision;
  return new;
end $$;

-- A writer that gives both costs neither trigger.
create trigger conversations_amount_of_inserted before insert on conversations
  for each row when (new.lifetime_amount is null) execute function amount_of_value();
create trigger conversations_value_of_inserted before insert on conversations
  for each row when (new.lifetime_value = 0 and new.lifetime_amount <> 0) execute function value_of_amount();
create trigger conversations_amount_of_updated before update of lifetime_value on conversations
  for each row when (new.lifetime_value <> old.lifetime_value and new.lifetime_amount = old.lifetime_amount)
  execute function amount_of_value();
create trigger conversations_value_of_updated before update of lifetime_amount on conversations
  for each row when (new.lifetime_value = old.lifetime_value and new.lifetime_amount <> old.lifetime_amount)
  execute function value_of_amount();

-- A channel's id is its type and its id on the platform. The primary key begins with the organization, which a call of the platform
-- does not name.
create index channels_by_platform_id on channels (channel_id, organization_id);
