-- The notes of the last review stand beside those of the writer, and a decision can be taken back.
--
-- compatible with the program before: it writes the notes of a review in place of the writer's, as it did.

alter table scheduled_posts
  -- Why the post was last returned; null once its writer has changed the notes. It is the notes of /v1 as long as it is there.
  add column review_notes text;

alter table post_reviews
  -- The review and the review notes in place of which this decision stands, for the one who takes it back.
  add column replaced jsonb;
