-- The sequence of an unlogged table's identity is unlogged too, and a standby that is promoted may find it unreadable
-- (PostgreSQL 15): every change of an audience failed from then on. A sequence of its own is logged.
-- compatible with the program before

alter table pending_audience_changes alter column change_id drop identity;
create sequence pending_audience_change_ids;
alter table pending_audience_changes alter column change_id set default nextval('pending_audience_change_ids');
