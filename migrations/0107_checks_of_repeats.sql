-- A repeat of a call with an Idempotency-Key passes the checks of channels that the first call passed, as of now.
-- compatible with the program before: it writes null, and reads no more than the answer

alter table idempotency_keys
  -- Each check's channel ids, as a list of lists; an empty one is a check of the role in the organization. Null of a call
  -- that the program before has answered.
  add column checked jsonb;
