-- The secrets of webhooks, events and authenticator apps too are refused when they are sealed under another key than the current one, as
-- those of keys, channels and ad accounts are since 0007. A process that has not heard of a rotation would leave them behind.
-- compatible with the program before, which answers 503 where it would have left one behind

create trigger webhooks_seal before insert or update of secret_sealed on webhooks
  for each row execute function refuse_seal_of_another_key('secret_sealed');
create trigger events_seal before insert or update of secret_sealed on events
  for each row when (new.secret_sealed is not null)
  execute function refuse_seal_of_another_key('secret_sealed');
create trigger totp_secrets_seal before insert or update of secret_sealed on totp_secrets
  for each row execute function refuse_seal_of_another_key('secret_sealed');
