import type { ValidationErrorItem } from 'joi'
import type { HashtagConflict } from './interface/generated/types.js'

/**
 * Every error that a caller can see: its code (the `x-error-code` header), its status, and its default text, which
 * the throwing code can replace. docs/errors.md lists the same errors; a test compares the two.
 */
export const ERRORS = {
  delivery_unreadable: [400, 'The delivery cannot be read: send JSON, or JSON in gzip.'],
  event_too_large: [400, 'The delivery is too large: an event has at most 32 KiB, and a batch 4 MiB.'],
  api_version_missing: [400, 'The x-api-version header is missing: send x-api-version: 1.'],
  api_version_unsupported: [400, 'The x-api-version header is unsupported: the only supported value is 1.'],
  request_malformed: [400, 'The request is not well-formed HTTP: check the URL and its percent-encoding.'],
  body_malformed: [400, 'The body is not valid JSON: send one JSON object.'],
  channel_unknown: [400, 'There is no channel with this id: take one from GET /channels.'],
  administrator_everywhere: [
    400,
    'An administrator is one in every channel: leave out `channels`, or give the person another role.',
  ],
  channel_not_connected: [400, 'The channel is not connected to this workspace: see GET /channels?workspaceId=….'],
  channel_type_mismatch: [400, "mediumType is not the channel's own type: see GET /channels."],
  workspace_not_vip: [400, 'The workspace is not a VIP workspace: take one of type VIP from GET /workspaces.'],
  superpower_unknown: [
    400,
    'There is no active superpower with this creativeTemplateId: take one from GET /superpowers.',
  ],
  source_secret_missing: [
    400,
    'A source of this type needs the secret that the other side signs with: give it as secret.',
  ],
  source_secret_unexpected: [400, 'A source of this type has no such secret: leave it out.'],
  source_trust_unexpected: [
    400,
    'Only a source of type EVENTS has a trust and a place of its key: leave out trust and keyIn.',
  ],
  source_statuses_unexpected: [
    400,
    'Only a source of type WOOCOMMERCE has statuses of orders: leave out countedStatuses and uncountedStatuses.',
  ],
  name_mismatch: [400, 'This is not its name: give the name of what is to be deleted, letter by letter.'],
  scheduled_for_past: [400, 'scheduledFor lies in the past: give a time in the future.'],
  publish_check_failed: [400, 'The post is not ready to be published.'],
  media_refused: [400, 'The file is no JPEG, PNG, MP4 or QuickTime: export it as one of these.'],
  post_too_large: [400, 'The post is too large: shorten its captions, notes or superpowers.'],
  wrong_state: [400, "The post's status does not allow this change."],
  decision_not_yours: [
    400,
    'Only the person who made the last decision about the post can take it back, and only while it stands. An approved post can be returned to DRAFT instead.',
  ],
  already_published: [
    400,
    'The post is out on a channel: its media, and its caption and superpower there, stay as they went out. Make another post.',
  ],
  ad_account_unknown: [400, 'There is no ad account with this id: take one from GET /ad-accounts.'],
  ad_platform_not_connected: [
    400,
    'The organization is not connected to the ad platform: ask its operator to connect it.',
  ],
  webhook_url_refused: [400, 'The url of a webhook must be an https address of the public Internet.'],
  access_token_refused: [400, 'The platform does not accept this access token: give another one.'],
  window_too_heavy: [400, 'The ad platform refuses this window even in the smallest page: narrow the window.'],
  window_too_old: [400, 'The ad platform keeps insights for 37 months: give a later startDate.'],
  campaign_before_cutoff: [400, 'The campaign was created before insights by day exist for it.'],
  mention_unknown: [400, 'Only active members of the organization can be mentioned: take their ids from the members.'],
  expiry_past: [400, 'expiresAt lies in the past: give a time in the future.'],
  expiry_too_late: [
    400,
    'expiresAt is later than this server allows (KEY_MAX_AGE_DAYS, OPERATOR_TOKEN_MAX_AGE_DAYS, PERSONAL_TOKEN_MAX_AGE_DAYS): give an earlier time, or none.',
  ],
  rotation_impossible: [
    400,
    'The master key cannot be rotated with the keys that this server has: set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the present one, on every server.',
  ],
  link_unusable: [400, 'This link does not work: it was used, replaced or is over. Ask for another one.'],
  oidc_off: [400, 'This server has no identity provider: sign in with a mail address and a password.'],
  oidc_state_wrong: [
    400,
    'This sign-in was not begun in this browser, is finished already, or took longer than ten minutes: begin again.',
  ],
  password_missing: [
    400,
    'You have no password: ask for a sign-in link, and set one within ten minutes in the session that begins with it.',
  ],
  password_weak: [400, 'The password is too common: choose another of 12 characters or more.'],
  user_code_wrong: [
    400,
    'No program waits with this code: check it, or let the program begin again. A code works for ten minutes.',
  ],
  authorization_pending: [400, 'The person has not answered yet: ask again after the interval.'],
  slow_down: [400, 'You asked too soon: leave five seconds more between two questions from now on.'],
  access_denied: [400, 'The person has refused: begin again if that was a mistake.'],
  expired_token: [400, 'The code has expired, or was used: begin again.'],
  confirmation_unfit: [
    400,
    'You cannot confirm the session in this way: see GET /me/confirmation for the ways that you have.',
  ],
  operator_token_wrong: [401, 'The operator token is missing or wrong: send Authorization: Bearer <operator token>.'],
  token_wrong: [
    401,
    'The token does not work: it has expired, was revoked, or is not whole. Make another one in the console under Settings, You, or with `greenroom login`.',
  ],
  metrics_token_wrong: [401, 'The metrics token is missing or wrong: send Authorization: Bearer <METRICS_TOKEN>.'],
  link_token_wrong: [
    401,
    'This link does not work: the post no longer waits for an answer, or the link was revoked or is over. Ask the person who sent it.',
  ],
  delivery_unsigned: [
    401,
    'There is no source at this address, or the signature does not hold: see the address and the secret of the source.',
  ],
  write_key_wrong: [401, 'The write key is missing or wrong: give the one that was shown when the source was made.'],
  session_missing: [
    401,
    'You are not signed in: sign in and send the session cookie, or send Authorization: Bearer <token>.',
  ],
  session_ended: [401, 'The session is over: sign in again.'],
  sign_in_failed: [401, 'The mail address or the password is wrong.'],
  second_factor_needed: [401, 'The sign-in is not finished: pass the second factor, see GET /second-factor.'],
  code_wrong: [
    401,
    'The code is wrong or was used already: enter the one that your app shows now, or a recovery code.',
  ],
  passkey_refused: [
    401,
    'The passkey was not accepted: begin again, and use one that you have added to your account on this server.',
  ],
  oidc_refused: [401, 'The identity provider did not confirm this sign-in: begin again.'],
  organization_inactive: [402, 'The organization is inactive: ask its operator to activate it.'],
  header_missing: [403, 'An authentication header is missing: send x-api-key, x-date and x-signature.'],
  date_malformed: [403, 'The x-date header is malformed.'],
  signature_expired: [403, 'Signature expired: sign the current time.'],
  date_in_future: [403, 'The x-date header lies in the future: set your clock.'],
  signature_invalid: [
    403,
    'The signature does not hold: check x-api-key and its secret, and that x-signature is the HMAC-SHA256 of the x-date header in lowercase hex.',
  ],
  verify_token_wrong: [403, 'The verify token does not hold: give the one that was shown when the source was made.'],
  metrics_local: [
    403,
    'Metrics and the status are told to this machine alone: set METRICS_TOKEN on the server, and send Authorization: Bearer <METRICS_TOKEN>.',
  ],
  address_not_allowed: [
    403,
    'This key may not be used from your address: call from one of its allowed addresses, or ask the operator for another key.',
  ],
  approval_is_human: [
    403,
    "Approval is for a human on the operator's side: no API key can approve or publish a post. The service publishes an approved post at its time.",
  ],
  cross_site: [
    403,
    'A change must come from a page of this server: send Sec-Fetch-Site: same-origin, or Origin with the address of this server.',
  ],
  https_needed: [
    403,
    'A browser keeps the session only over https: put TLS before the server, or open it at http://localhost on its own machine.',
  ],
  passwords_off: [403, 'Passwords are switched off on this server: sign in with the identity provider.'],
  oidc_roles_untold: [
    403,
    'The identity provider did not say which groups or roles you have, so you get no account by signing in: ask an administrator for an invitation. The operator finds the reason in the log.',
  ],
  oidc_not_allowed: [
    403,
    'There is no account here for you: ask an administrator for an invitation. If you have an account, the identity provider must say that its mail address is verified.',
  ],
  mail_unproven: [
    403,
    'Nothing has shown yet that this mail address is yours, so that your account stays with its organization: use the link from the mail of the invitation, sign in with the identity provider, or ask the operator to vouch for the address.',
  ],
  invitation_mail_differs: [
    403,
    'The invitation is for another mail address than the one with which you signed in: ask for one for yours.',
  ],
  own_post: [
    403,
    'The organization asks for four eyes: another person than those who wrote or last changed the post, or what was copied into it, must approve it.',
  ],
  approval_too_new: [
    403,
    'Who wrote the post has given this right to approve, or switched four eyes off, less than an hour ago: another person must approve it, or wait.',
  ],
  message_not_yours: [
    403,
    'Only its author can change a message, and only its author or an administrator can delete it: write a reply instead.',
  ],
  password_wrong: [403, 'The present password is wrong or missing: give the one that you sign in with.'],
  second_factor_required: [
    403,
    'The organization asks for a second factor: sign in with a passkey or a code of an authenticator app; add one under your account first.',
  ],
  confirmation_needed: [
    403,
    'This takes a person who has just proven who they are: confirm the session, see GET /me/confirmation, and send it again.',
  ],
  token_cannot_confirm: [
    403,
    'This takes a person who has just proven who they are, which a token cannot do: do it in the console.',
  ],
  scope_not_held: [403, 'You can give a token only what you hold yourself: leave the other scopes out.'],
  permission_missing: [403, 'This takes a permission that you do not hold: ask the operator for it.'],
  route_not_found: [404, 'There is no such route: see /openapi.json or /docs.'],
  organization_not_found: [404, 'There is no organization with this id.'],
  key_not_found: [404, 'There is no key with this id.'],
  member_not_found: [404, 'There is no member with this id.'],
  invitation_not_found: [404, 'There is no invitation with this id.'],
  account_not_found: [404, 'There is no account with this id.'],
  session_not_found: [404, 'There is no session with this id.'],
  passkey_not_found: [404, 'You have no passkey with this id.'],
  totp_not_found: [404, 'You have no authenticator app here: begin with POST /me/second-factors/totp/begin.'],
  second_factor_not_found: [404, 'You have no second factor: add a passkey or an authenticator app first.'],
  operator_token_not_found: [404, 'There is no operator token with this name.'],
  token_not_found: [404, 'There is no personal token with this id.'],
  workspace_not_found: [404, 'There is no workspace with this id: take one from GET /workspaces.'],
  channel_not_found: [404, 'There is no channel with this id.'],
  ad_account_not_found: [404, 'There is no ad account with this id.'],
  person_not_found: [404, 'Nothing is known of a person with this cuid in the organization.'],
  link_not_found: [404, 'The person has no such id.'],
  conversation_not_found: [404, 'There is no conversation with this id on the channel.'],
  campaign_not_found: [404, 'There is no marketing-message campaign with this id.'],
  calendar_feed_not_found: [
    404,
    'There is no calendar at this address: it was replaced or deleted, or its person left. Make a new one in the console, under Calendar.',
  ],
  post_not_found: [404, 'There is no scheduled post with this id.'],
  media_not_found: [404, 'There is no uploaded file with this id.'],
  review_link_not_found: [404, 'There is no review link with this id, or it no longer works.'],
  webhook_not_found: [404, 'There is no webhook with this id: GET …/webhooks lists them.'],
  source_not_found: [404, 'There is no source with this id.'],
  problem_not_found: [404, 'There is no problem with this id: they are kept for 30 days.'],
  data_deletion_not_found: [404, 'There is no request to delete data with this code: they are kept for a year.'],
  delivery_not_found: [404, 'There is no delivery with this id: they are kept for 30 days.'],
  winner_not_found: [404, 'No winner of this rank stands: see the winners of the raffle.'],
  message_not_found: [404, 'There is no message with this id in the discussion of the post.'],
  saved_text_not_found: [404, 'There is no saved text with this id.'],
  series_not_found: [404, 'There is no series of posts with this id.'],
  superpower_not_found: [404, 'There is no saved superpower with this id.'],
  segment_not_found: [404, 'There is no saved segment with this id.'],
  request_timeout: [408, 'The request did not arrive in time: send it again.'],
  hashtag_conflict: [409, 'A hashtag is already in use on a channel: choose another, or free it first.'],
  id_linked: [409, 'The id belongs to another person: unlink it there first.'],
  id_forgotten: [409, 'The id belongs to a person who was forgotten: readmit the person first.'],
  webhooks_full: [409, 'The organization has as many webhooks as it may: remove one first.'],
  webhook_inactive: [409, 'The webhook is switched off: switch it on first.'],
  mails_off: [409, 'This server sends no mails: ask its administrator for a link to sign in.'],
  key_ended: [409, 'The key is revoked or expired: issue another one.'],
  sources_full: [409, 'The organization has as many sources as it may: remove one first.'],
  saved_texts_full: [409, 'The organization has as many saved texts as it may: delete one first.'],
  segments_full: [409, 'The organization has as many segments as it may: delete one first.'],
  already_exists: [409, 'There is one with this id already.'],
  account_exists: [409, 'There is an account with this mail address: sign in, and use the link then.'],
  signed_in_already: [
    409,
    'Another person is signed in in this browser: sign out first, or send replace: true to go on as the person of the link.',
  ],
  second_factor_missing: [
    409,
    'Your own session has passed no second factor: add one to your account, or sign in with it, and ask for it then.',
  ],
  passkeys_full: [409, 'You have as many passkeys as you may: remove one first.'],
  tokens_full: [409, 'You have as many personal tokens as you may: revoke one first.'],
  last_owner: [409, 'This is the last owner of the server: make another one first.'],
  last_administrator: [409, 'This is the last administrator of the organization: make another one first.'],
  being_deleted: [409, 'What had this id is still being deleted: repeat the deletion until it is done.'],
  organization_active: [409, 'The organization is active: deactivate it before you delete it.'],
  channel_in_use: [
    409,
    'Posts are about to be published on this channel: revert or delete them, or delete it with force=true.',
  ],
  media_disabled: [409, 'This server takes no uploads: set MEDIA_DIR and PUBLIC_URL.'],
  media_busy: [409, 'Other uploads of the organization are running: send this one when they have ended.'],
  media_full: [409, 'The uploads of the organization take all the room that they may: delete some first.'],
  small_picture_kept: [
    409,
    'The file has another small picture, which stays: upload the file again to give it a new one.',
  ],
  media_in_use: [409, 'A post that is about to be published uses this file: revert or delete the post first.'],
  raffle_not_drawn: [409, 'There is no raffle on this channel of the post that was drawn.'],
  nobody_left: [409, 'Everybody who entered the raffle has won already: nobody is left to draw.'],
  review_links_full: [409, 'The post is in as many links as it may be: revoke one first.'],
  discussion_full: [409, 'The discussion has as many messages as it may: delete some, or write about it elsewhere.'],
  reviewer_unknown: [
    400,
    'Links are sent only to an address that an administrator has added to the reviewers of the organization, and that is no member’s.',
  ],
  mail_off: [409, 'This server sends no mail: let an approver make a link and hand it over, or set SMTP_URL.'],
  import_running: [409, 'Another import of this channel is running: send this one when that has ended.'],
  backup_running: [409, 'Another backup is being made: ask for this one when that has ended.'],
  post_changed: [412, 'The post has changed since you read it: read it again and repeat the change on what you find.'],
  precondition_required: [
    428,
    'Send If-Match with the ETag of the post as you have read it: an approval is of that version and no other.',
  ],
  body_too_large: [413, 'The body is too large: send at most 1 MiB.'],
  media_type_unsupported: [415, 'The content type is unsupported: send application/json.'],
  expectation_failed: [417, 'The Expect header is unsupported: send Expect: 100-continue, or none.'],
  validation_failed: [422, 'The request has the wrong shape.'],
  too_many_deliveries: [429, 'Too many deliveries to this source: wait for the seconds in Retry-After.'],
  rate_limited: [429, 'Too many requests with this key: wait for the seconds in Retry-After.'],
  too_many_imports: [429, 'Too many imports of this organization: wait for the seconds in Retry-After.'],
  too_many_insights: [429, 'Too many requests for insights of this organization: wait for the seconds in Retry-After.'],
  too_many_changes: [429, 'Too many changes by you within a minute: wait for the seconds in Retry-After.'],
  too_many_links: [429, 'Too many links were asked for from your address: wait for the seconds in Retry-After.'],
  too_many_invitations: [
    429,
    'Too many invitations by this organization, or to this mail address, within an hour: wait for the seconds in Retry-After.',
  ],
  too_many_failures: [
    429,
    'Too many failed attempts from your address: check your credentials, and wait for the seconds in Retry-After.',
  ],
  too_many_logins: [429, 'Too many programs wait to be let in: wait for the seconds in Retry-After.'],
  too_many_codes: [
    429,
    'Too many wrong codes or passwords for this account: wait for the seconds in Retry-After, or use a passkey or a recovery code.',
  ],
  too_many_waiting: [429, 'Too many requests wait on this connection: read their answers before you send more.'],
  headers_too_large: [431, 'The headers are too large: send at most 16 KiB.'],
  internal: [500, 'Something went wrong on our side. Quote the x-request-id header when you report it.'],
  platform_refused: [
    502,
    'The ad platform refused our request: ask the operator to check the access token of the ad account.',
  ],
  platform_failed: [502, 'The ad platform failed to answer properly: try again later.'],
  platform_rate_limited: [503, 'The ad platform is limiting our calls: try again after the time in Retry-After.'],
  database_unavailable: [503, 'The database is out of reach or cannot write: try again later.'],
  disk_full: [503, 'The disk of the server is full: ask its operator to make room, and send it again.'],
  busy: [503, 'Too many other changes hold what this needs: try again after the time in Retry-After.'],
  bodies_busy: [
    503,
    'Too many bodies are arriving at once, and this one took the longest: send it again after the time in Retry-After.',
  ],
  oidc_unavailable: [
    503,
    'The identity provider does not answer: try again in a moment, or ask the operator for a sign-in link.',
  ],
  sign_in_busy: [503, 'Too many people sign in at once: try again in a moment.'],
  stopping: [503, 'This server is stopping: call another one, or this one again when it is back.'],
  lists_busy: [503, 'Too many VIP lists are being read from the database: try again after the time in Retry-After.'],
  writes_refused: [503, 'The database refuses changes: see the message of /readyz, and the log.'],
  publisher_stalled: [503, 'The publisher has not looked for due posts for more than a minute: see the log.'],
  platform_timeout: [504, 'The ad platform did not answer in time: try again, or narrow the window.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** Retry-After while the database is unavailable or busy. */
export const DATABASE_RETRY_SECONDS = 5

export type ErrorCode = keyof typeof ERRORS

export interface ApiErrorOptions {
  /** Replaces the catalogue's text. The caller sees it, so it says what to do and contains no secret. */
  message?: string
  /** Only for the log. */
  cause?: unknown
  retryAfterSeconds?: number
  headers?: Record<string, string>
  conflicts?: HashtagConflict[]
  details?: ValidationErrorItem[]
}

/** The only error that becomes an answer. Anything else that is thrown becomes a 500 with a fixed text. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string> | undefined
  readonly conflicts: HashtagConflict[] | undefined
  readonly details: ValidationErrorItem[] | undefined

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const [status, message] = ERRORS[code]
    super(options.message ?? message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers
    this.conflicts = options.conflicts
    this.details = options.details
  }
}
