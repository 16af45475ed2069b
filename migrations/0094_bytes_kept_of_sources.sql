-- The bodies that are kept of one source have a bound, and so the database counts their bytes: a sum over the rows would take
-- longer the more of them there are.
--
-- compatible with the program before: triggers count for it, and it deletes by age alone.

-- Counted by triggers.
create table source_bytes (
  organization_id text not null,
  source_id       text not null,
  -- The table of the bodies: kept_deliveries or problems. Apart, so that all who write both lock them in the same order.
  kept_in         text not null,
  bytes           bigint not null,
  primary key (organization_id, source_id, kept_in),
  foreign key (organization_id, source_id) references sources on delete cascade
);
insert into source_bytes (organization_id, source_id, kept_in, bytes)
select organization_id, source_id, 'kept_deliveries', sum(octet_length(body)) from kept_deliveries group by 1, 2
 union all
select organization_id, source_id, 'problems', sum(octet_length(body)) from problems group by 1, 2;

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

create trigger kept_deliveries_count_added after insert on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
create trigger kept_deliveries_count_removed after delete on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger problems_count_added after insert on problems
  referencing new table as added for each statement execute function count_added_bytes();
create trigger problems_count_removed after delete on problems
  referencing old table as removed for each statement execute function count_removed_bytes();
-- A body that goes while its row stays.
create trigger kept_deliveries_count_before after update on kept_deliveries
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger kept_deliveries_count_after after update on kept_deliveries
  referencing new table as added for each statement execute function count_added_bytes();
create trigger problems_count_before after update on problems
  referencing old table as removed for each statement execute function count_removed_bytes();
create trigger problems_count_after after update on problems
  referencing new table as added for each statement execute function count_added_bytes();

-- The oldest bodies of a source that are still there.
create index kept_deliveries_with_body on kept_deliveries (organization_id, source_id, delivery_id)
  where octet_length(body) > 0;
