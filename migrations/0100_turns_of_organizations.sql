-- One organization with much to do does not stand in front of the others: what is due is looked up by organization.
--
-- compatible with the program before: it uses none of these indexes.

create index automation_lanes_of_organization on automation_lanes (organization_id, next_attempt_at)
  where next_attempt_at is not null;
create index automation_posts_of_organization on automation_posts (organization_id, next_attempt_at)
  where next_attempt_at is not null;
create index wanted_profiles_of_organization on wanted_profiles (organization_id, next_attempt_at)
  where next_attempt_at is not null;
