-- A post's history tells when it was published and what happened to its publications.
alter table conversations drop column birthday_month;
alter table scheduled_posts drop column published_at;
alter table publications drop column updated_at;
alter table superpowers drop column created_at;
