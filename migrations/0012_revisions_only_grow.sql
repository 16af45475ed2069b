-- A revision is never given twice to different content: caches trust it. So no statement lowers a revision or
-- deletes its row; what the triggers cannot see (TRUNCATE, another server, a table restored) begins another epoch
-- (src/database/epoch.ts).
-- compatible with the program before

create function refuse_revision_going_back() returns trigger language plpgsql as $$
begin
  raise exception 'a revision never goes back: caches would take old content for the present one';
end $$;

create trigger audiences_only_grow before update on audiences
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger audiences_stay before delete on audiences
  for each row execute function refuse_revision_going_back();
create trigger directory_revision_only_grows before update on directory_revision
  for each row when (new.revision < old.revision) execute function refuse_revision_going_back();
create trigger directory_revision_stays before delete on directory_revision
  for each row execute function refuse_revision_going_back();
