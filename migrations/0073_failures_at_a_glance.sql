-- A page that is open asks whose access tokens the platform refuses: few are, and only those are read.
--
-- compatible with the program before: it does not use the indexes.

create index channels_refused on channels (organization_id) where token_problem is not null and deleted_at is null;
create index ad_accounts_refused on ad_accounts (organization_id) where token_problem is not null;
