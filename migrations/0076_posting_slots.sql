-- The weekly times at which the posts of a channel go out, for those who plan them.
--
-- compatible with the program before: it knows nothing of the table, and rows that it leaves behind go with their channel.

create table posting_slots (
  organization_id text not null,
  channel_id      text not null,
  -- 1 for Monday to 7.
  weekday         smallint not null check (weekday between 1 and 7),
  -- On the organization's wall clock, whatever its offset from UTC is on the day.
  minute_of_day   smallint not null check (minute_of_day between 0 and 1439),
  primary key (organization_id, channel_id, weekday, minute_of_day),
  foreign key (organization_id, channel_id) references channels on delete cascade
);
