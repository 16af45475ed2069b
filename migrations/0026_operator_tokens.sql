-- Operator tokens beside the one of the environment. Of a token only its SHA-256 is kept: it is 256 random bits.
-- compatible with the program before, which knows no token but that of the environment

create table operator_tokens (
  -- Names it in the audit trail, for good: a revoked one keeps it.
  name            text primary key,
  token_hash      text not null unique,
  created_at      timestamptz not null,
  created_by_type text not null,
  created_by_id   text,
  -- Null: never.
  expires_at      timestamptz,
  revoked_at      timestamptz
);

-- Every node refuses a revoked one from its next request on.
create constraint trigger operator_tokens_count_directory_change
  after insert or update or delete on operator_tokens
  deferrable initially deferred for each row execute function count_directory_change();

-- An operator with an id is a named token; the token of the environment has none.
alter table audit_trail
  drop constraint if exists audit_trail_check,
  drop constraint if exists audit_trail_actor_id_check,
  add constraint audit_trail_actor_id_check check (
    case when actor_type in ('key', 'user') then actor_id is not null
         when actor_type = 'publisher' then actor_id is null
         else true end);
