-- What probes, scrapes and lists ask costs the same however many posts and organizations there are.
-- compatible with the program before

create index organizations_in_list_order on organizations (created_at, organization_id) where deleted_at is null;
create index organizations_inactive on organizations (organization_id) where not active;

-- How many posts are in each status: the sums over all slots. A slot alone may count below zero. Each connection counts in its own
-- slot, so that transactions do not wait for each other, and at the end of the transaction, so that the row is its last lock.
create table post_counts (
  slot                 integer primary key,
  draft                bigint not null default 0,
  waiting_for_approval bigint not null default 0,
  rejected             bigint not null default 0,
  scheduled            bigint not null default 0,
  publishing           bigint not null default 0,
  published            bigint not null default 0,
  failed               bigint not null default 0
) with (fillfactor = 20);
insert into post_counts (slot) select generate_series(0, 255);

create function count_post_status() returns trigger language plpgsql as $$
begin
  update post_counts
     set draft = draft + coalesce((new.status = 'DRAFT')::integer, 0) - coalesce((old.status = 'DRAFT')::integer, 0),
         waiting_for_approval = waiting_for_approval + coalesce((new.status = 'WAITING_FOR_APPROVAL')::integer, 0)
                                                     - coalesce((old.status = 'WAITING_FOR_APPROVAL')::integer, 0),
         rejected = rejected + coalesce((new.status = 'REJECTED')::integer, 0) - coalesce((old.status = 'REJECTED')::integer, 0),
         scheduled = scheduled + coalesce((new.status = 'SCHEDULED')::integer, 0) - coalesce((old.status = 'SCHEDULED')::integer, 0),
         publishing = publishing + coalesce((new.status = 'PUBLISHING')::integer, 0) - coalesce((old.status = 'PUBLISHING')::integer, 0),
         published = published + coalesce((new.status = 'PUBLISHED')::integer, 0) - coalesce((old.status = 'PUBLISHED')::integer, 0),
         failed = failed + coalesce((new.status = 'FAILED')::integer, 0) - coalesce((old.status = 'FAILED')::integer, 0)
   where slot = pg_backend_pid() % 256;
  return null;
end $$;

create constraint trigger scheduled_posts_count_rows
  after insert or delete on scheduled_posts
  deferrable initially deferred for each row execute function count_post_status();
create constraint trigger scheduled_posts_count_status
  after update of status on scheduled_posts
  deferrable initially deferred for each row when (old.status <> new.status) execute function count_post_status();

-- The triggers lock the table, so that none is counted twice or left out.
update post_counts
   set draft = c.draft, waiting_for_approval = c.waiting_for_approval, rejected = c.rejected, scheduled = c.scheduled,
       publishing = c.publishing, published = c.published, failed = c.failed
  from (select count(*) filter (where status = 'DRAFT') as draft,
               count(*) filter (where status = 'WAITING_FOR_APPROVAL') as waiting_for_approval,
               count(*) filter (where status = 'REJECTED') as rejected,
               count(*) filter (where status = 'SCHEDULED') as scheduled,
               count(*) filter (where status = 'PUBLISHING') as publishing,
               count(*) filter (where status = 'PUBLISHED') as published,
               count(*) filter (where status = 'FAILED') as failed
          from scheduled_posts) c
 where slot = 0;
