-- What waits of one source is summed in steps, each behind the delivery that the one before ended with.
--
-- compatible with the program before: the new index leads with the columns of the old one.

create index inbox_of_source on inbox (organization_id, source_id, delivery_id);
drop index inbox_by_source;
