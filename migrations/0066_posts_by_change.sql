-- A page that is open asks whether any post has changed: it looks at those that changed last.
--
-- compatible with the program before: it does not use the index.

create index scheduled_posts_by_change on scheduled_posts (organization_id, updated_at);
