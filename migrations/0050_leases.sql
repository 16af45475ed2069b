-- One form of lease for every table of work: leased_by is the id of the claim, which each write of it names, and leased_until its end.
-- compatible with the program before: both claim at once, and each waits for the leases of the other. While both run, the posts of a new
-- publisher that dies may wait for the end of their leases, two minutes, because the program before does not read lease_holder

-- The process whose claim leased_by is, so that its leases end when it is found dead. The program before has no such column: its
-- leased_by is the id of the process, a slash, and the id of the claim, and is honoured as long as it may run beside this one. lease_holder
-- then says nothing. (The name holder would be ambiguous in a statement of the program before.)
alter table scheduled_posts add column lease_holder text;

alter table running_imports add column leased_by text, add column leased_until timestamptz;
update running_imports set leased_by = import_id, leased_until = expires_at;
-- Keeps both forms equal while the program before runs too, which reads and writes import_id and expires_at alone.
create function keep_leases_of_imports_equal() returns trigger language plpgsql as $$
begin
  if new.leased_by is null
     or (tg_op = 'UPDATE' and (new.import_id, new.expires_at) is distinct from (old.import_id, old.expires_at)) then
    new.leased_by := new.import_id;
    new.leased_until := new.expires_at;
  else
    new.import_id := new.leased_by;
    new.expires_at := new.leased_until;
  end if;
  return new;
end $$;
create trigger running_imports_keep_leases_equal
  before insert or update on running_imports
  for each row execute function keep_leases_of_imports_equal();
alter table running_imports
  alter column leased_by set not null,
  alter column leased_until set not null;
