-- Where a change was asked for, and the days of the trail.
--
-- compatible with the program before, which writes no address.

alter table audit_trail
  -- The IP address of the caller; null for what no one asked for, and for entries from before this was written down.
  add column address text;

-- Where a day of a long trail begins.
create index audit_trail_by_time on audit_trail (organization_id, at);
