-- An expirationDate of 0 means never, and one below 100,000,000,000 is in seconds.
update hashtag_claims
   set expires_at_ms = case when expires_at_ms = 0 then null else expires_at_ms * 1000 end
 where expires_at_ms > -100000000000 and expires_at_ms < 100000000000;
