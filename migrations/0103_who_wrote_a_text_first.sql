-- Who was the first in an organization to write a text: under four eyes they are a writer of every post that has it, however
-- it came there.
--
-- compatible with the program before: it writes no rows here, so that a text that it stores counts from when it is stored again.

create table post_texts (
  organization_id text not null references organizations,
  -- Of the text as UTF-8, without the blanks around it. A shorter text than 20 characters has no row.
  text_sha256     bytea not null,
  -- As in the history: user:<id>, key:<id>, operator:<name>.
  actor           text not null,
  written_at      timestamptz not null,
  primary key (organization_id, text_sha256)
);
create index post_texts_by_age on post_texts (organization_id, written_at);

-- Of a text that is there already, the one who made the first post that has it now.
insert into post_texts (organization_id, text_sha256, actor, written_at)
select distinct on (organization_id, text_sha256) organization_id, text_sha256, actor, created_at
  from (select x.organization_id, sha256(convert_to(btrim(x.caption, E' \t\r\n'), 'UTF8')) as text_sha256,
               h.actor, p.created_at, p.scheduled_post_id
          from scheduled_post_channels x
          join scheduled_posts p using (organization_id, scheduled_post_id)
          join scheduled_post_history h using (organization_id, scheduled_post_id)
         where char_length(btrim(x.caption, E' \t\r\n')) >= 20 and h.action = 'created') texts
 order by organization_id, text_sha256, created_at, scheduled_post_id;
