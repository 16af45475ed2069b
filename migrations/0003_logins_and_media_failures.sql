-- compatible with the program before

-- The Facebook page of an Instagram account that is connected by Facebook login: its messages and subscriptions are edges of
-- the page. Null for others, and until it is known.
alter table channels add column page_id text;
-- When a token of Instagram login is refreshed next, since it ends after 60 days. Null for tokens that are not refreshed.
alter table channels add column token_refresh_at timestamptz;
-- When the token was given: the platform refreshes none that is younger than a day.
alter table channels add column token_set_at timestamptz;
-- The login that granted the token, and the permissions that it lacks beyond publishing; null if the platform was not asked,
-- or does not list them.
alter table channels add column token_login text check (token_login in ('facebook', 'instagram'));
alter table channels add column missing_permissions text[];
create index channels_token_refresh on channels (token_refresh_at) where token_refresh_at is not null;

-- How often the platform failed on the media of a publication before anything was published.
alter table publications add column media_failures integer not null default 0;
-- When the prepared container was last replaced because the platform no longer showed it.
alter table publications add column renewed_at timestamptz;
