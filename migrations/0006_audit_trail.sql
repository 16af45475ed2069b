-- Every change on every surface, in the transaction that makes it: one trail for all of them.
-- It outlives what it tells of, and holds no secret.
create table audit_trail (
  organization_id text not null,
  -- Its order. Gaps are transactions that were rolled back.
  audit_id        bigint generated always as identity,
  at              timestamptz not null,
  actor_type      text not null check (actor_type in ('key', 'operator', 'publisher')),
  -- The id of the key.
  actor_id        text check ((actor_id is not null) = (actor_type = 'key')),
  -- The operationId; of the publisher's changes publishScheduledPost.
  operation       text not null,
  target_type     text not null,
  target_id       text not null,
  -- Of a scheduled post: its version after the change.
  version         integer,
  -- json, not jsonb: it goes out as it came in, its keys in their order.
  changes         json,
  primary key (organization_id, audit_id)
);
-- The history of a post. A version is written once: a second change that takes itself for the same one fails.
create unique index audit_trail_of_posts on audit_trail (organization_id, target_id, version)
  where target_type = 'scheduledPost';

insert into audit_trail (organization_id, at, actor_type, actor_id, operation, target_type, target_id, version, changes)
select organization_id, at, split_part(actor, ':', 1), nullif(substr(actor, strpos(actor || ':', ':') + 1), ''),
       case action
         when 'created' then 'createScheduledPost'
         when 'updated' then 'updateScheduledPost'
         when 'submitted' then 'submitScheduledPostForApproval'
         when 'approved' then 'approveScheduledPost'
         when 'rejected' then 'rejectScheduledPost'
         when 'reverted' then 'revertScheduledPost'
         when 'retried' then 'retryScheduledPost'
         when 'deleted' then 'deleteScheduledPost'
         else 'publishScheduledPost'
       end,
       'scheduledPost', scheduled_post_id, version,
       json_strip_nulls(json_build_object('action', action, 'fromStatus', from_status, 'toStatus', to_status,
                                          'detail', detail))
  from scheduled_post_history
 order by at, organization_id, scheduled_post_id, version;

drop table scheduled_post_history;
drop function refuse_history_change();

-- The changes of each post, as a view of the trail.
create view scheduled_post_history as
select organization_id, target_id as scheduled_post_id, version, at,
       actor_type || coalesce(':' || actor_id, '') as actor,
       changes ->> 'action' as action, changes ->> 'fromStatus' as from_status, changes ->> 'toStatus' as to_status,
       changes -> 'detail' as detail
  from audit_trail
 where target_type = 'scheduledPost';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only';
end $$;
create trigger audit_trail_is_append_only
  before update or delete on audit_trail
  for each row execute function refuse_audit_change();
