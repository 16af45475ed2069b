-- A publisher says that it lives, so that its posts wait for seconds when it dies, not for the end of their leases.
-- compatible with the program before

-- One row for each publisher. Its leases name it: leased_by of a post is its id, a slash, and the id of the claim. Which one has
-- stopped is told by the reader's own clock, from beats that stay the same, so that no clocks are compared. Who finds one dead
-- deletes its row and ends its leases in one transaction; the row is the proof of life.
create table publishers (
  publisher_id text primary key,
  beats        bigint not null default 0
);
