-- What a start must know of a database before it works with it: whose data it holds, and under which master key.

-- Made-up data and real data never meet: the demo refuses a service's database, and the service a demo's.
create table installation (
  only_row boolean primary key default true check (only_row),
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

-- Refuses what is sealed under another key than the current one: a process that has not heard of a rotation would leave it
-- behind, to be lost with the old key. The share lock lets a rotation begin only after those who write under the old key
-- have ended. 57P0S is told as a database that is unavailable for a moment. A value without the id of its key is from an
-- earlier version, which knows of no rotation.
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

create trigger api_keys_seal before insert or update of secret_sealed on api_keys
  for each row execute function refuse_seal_of_another_key('secret_sealed');
create trigger channels_seal before insert or update of access_token_sealed on channels
  for each row when (new.access_token_sealed is not null)
  execute function refuse_seal_of_another_key('access_token_sealed');
create trigger ad_accounts_seal before insert or update of access_token_sealed on ad_accounts
  for each row when (new.access_token_sealed is not null)
  execute function refuse_seal_of_another_key('access_token_sealed');
