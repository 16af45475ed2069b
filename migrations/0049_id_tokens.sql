-- A session keeps the ID token of its sign-in by the provider: at the sign-out it tells the provider whose session ends.
-- compatible with the program before, which keeps none: a session that it began signs out without one

-- It is encrypted under a key that follows from the session's own token, which only the browser has. Null when there is none, or when it
-- was too long.
alter table sessions add column id_token_encrypted text;
alter table half_sessions add column id_token_encrypted text;
