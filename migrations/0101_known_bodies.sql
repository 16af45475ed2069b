-- Bodies of deliveries that ask for something to be taken away. The topic of a delivery is not covered by its signature, so the same bytes
-- may come again under another topic, or long after they were applied.
--
-- compatible with the program before: it neither reads nor writes the new table and column.

-- Hashes of such bodies, each with the topics under which it was accepted. A row names no one.
create table known_bodies (
  organization_id text not null,
  source_id       text not null,
  -- SHA-256, in base64url.
  body_hash       text not null,
  topic           text not null,
  at              timestamptz not null,
  primary key (organization_id, source_id, body_hash, topic),
  foreign key (organization_id, source_id) references sources on delete cascade
);

-- SHOPIFY: the number of the shop, as its first signed order tells it. A redaction of another shop is not applied.
alter table sources add column shop_id text;
