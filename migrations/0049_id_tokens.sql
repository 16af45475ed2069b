-- The ID token of a sign-in by the provider, kept with its session: it tells the provider at the end whose session that is.
-- compatible with the program before, which keeps none: a session that it began signs out without

-- Encrypted under a key that follows from the session's own token, which only the browser has. Null: none, or one that was too long.
alter table sessions add column id_token_encrypted text;
alter table half_sessions add column id_token_encrypted text;
