-- An erasure looks through the bodies of deliveries that are kept in steps, and a crash between two of them leaves what is still to be done.
--
-- compatible with the program before: it neither reads nor writes the new table, and deletes the bodies of its own erasures at once.

-- Bodies that are still to be looked through after an erasure.
create table body_erasures (
  organization_id text not null references organizations,
  erasure_no      bigint not null generated always as identity,
  -- The ids of forgotten people; null where all of the source goes.
  ids             json,
  source_id       text,
  -- The last delivery that had come. It may wait in the inbox still, and is looked at when it has been applied.
  until_delivery  bigint not null,
  -- How far they are done: kept deliveries first, then problems.
  after_delivery  bigint not null default -1,
  after_problem   text not null default '',
  primary key (organization_id, erasure_no),
  check ((ids is null) <> (source_id is null))
);

-- The comments of a person who is forgotten.
create index incoming_comments_by_person on incoming_comments (organization_id, person_id) where person_id is not null;
