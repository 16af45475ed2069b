-- The library of uploads: the names that files had, and which posts use them.
--
-- compatible with the program before: it stores files without a name, as those from before have none.

alter table media add column name text;

-- An address may be longer than a tree takes.
create index scheduled_posts_by_media on scheduled_posts using hash (media) where media is not null;
