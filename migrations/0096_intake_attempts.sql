-- What a worker of intake is doing is stored before it is done, so that a delivery over which the process dies is set aside, and not taken again for ever.
--
-- compatible with the program before: it stores no attempts, and ends a worker that gives no sign of life as it ends a publisher.

-- The work of a process that gives signs of life: a process may have one row for each kind.
alter table publishers add column work text not null default 'publishing';

create table intake_attempts (
  organization_id text not null references organizations,
  -- The worker, as publishers names it. The row of one that is not there any more is of a worker that died.
  holder          text not null,
  -- The delivery that is taken by itself, because a worker died in this organization before; null otherwise.
  delivery_id     bigint,
  primary key (organization_id, holder)
);
