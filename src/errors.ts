import type { ValidationErrorItem } from 'joi'
import type { HashtagConflict } from './interface/generated/types.js'

/**
 * Every error that a caller can see: its code (the `x-error-code` header), its status, and its default text, which
 * the throwing code can replace. docs/errors.md lists the same errors; a test compares the two.
 */
export const ERRORS = {
  delivery_unreadable: [400, 'The delivery cannot be read: send JSON, plain or gzipped.'],
  event_too_large: [400, 'The delivery is too large: an event can have 32 KiB, and a batch 4 MiB.'],
  api_version_missing: [400, 'The x-api-version header is missing: send x-api-version: 1.'],
  api_version_unsupported: [400, 'The x-api-version header is unsupported: the only supported value is 1.'],
  request_malformed: [400, 'The request is not well-formed HTTP: check the URL and its percent-encoding.'],
  body_malformed: [400, 'The body is not valid JSON: send one JSON object.'],
  channel_unknown: [400, 'There is no channel with this id: use one from GET /channels.'],
  administrator_everywhere: [
    400,
    'An ADMIN has the same rights in every channel: leave out `channels`, or give the person another role.',
  ],
  channel_not_connected: [400, 'The channel is not connected to this workspace: see GET /channels?workspaceId=….'],
  channel_type_mismatch: [400, "mediumType does not match the channel's type: see GET /channels."],
  workspace_not_vip: [400, 'The workspace is not a VIP workspace: use one of type VIP from GET /workspaces.'],
  superpower_unknown: [
    400,
    'There is no active superpower with this creativeTemplateId: use one from GET /superpowers.',
  ],
  source_secret_missing: [400, 'A source of this type needs the secret that the sender signs with: send it as secret.'],
  source_secret_unexpected: [400, 'Sources of this type have no such secret: leave it out.'],
  source_trust_unexpected: [400, 'Only sources of type EVENTS have trust and keyIn: leave them out.'],
  source_statuses_unexpected: [
    400,
    'Only sources of type WOOCOMMERCE have countedStatuses and uncountedStatuses: leave them out.',
  ],
  name_mismatch: [400, 'The name does not match: enter the exact name of what you want to delete.'],
  scheduled_for_past: [400, 'scheduledFor is in the past: choose a future time.'],
  publish_check_failed: [400, 'The post is not ready to be published.'],
  media_refused: [400, 'The file is not a JPEG, PNG, MP4 or QuickTime file: export it as one of these.'],
  post_too_large: [400, 'The post is too large: shorten its captions, notes or superpowers.'],
  wrong_state: [400, "The post's status does not allow this change."],
  decision_not_yours: [
    400,
    'Only the person who made the latest decision about the post can take it back, and only while it is in effect. An approved post can be returned to DRAFT instead.',
  ],
  already_published: [
    400,
    'The post is already published on a channel: its media, and its caption and superpower there, can no longer change. Create another post.',
  ],
  ad_account_unknown: [400, 'There is no ad account with this id: use one from GET /ad-accounts.'],
  ad_platform_not_connected: [
    400,
    'The organization is not connected to the ad platform: ask its operator to connect it.',
  ],
  webhook_url_refused: [400, 'The url of a webhook must be an https address on the public Internet.'],
  access_token_refused: [400, 'The platform does not accept this access token: send another one.'],
  window_too_heavy: [400, 'The ad platform refuses this window even in the smallest page: narrow the window.'],
  window_too_old: [400, 'The ad platform keeps insights for 37 months: choose a later startDate.'],
  campaign_before_cutoff: [400, 'Daily insights do not exist for this campaign: it was created before the cutoff.'],
  mention_unknown: [400, 'Only active members of the organization can be mentioned: use ids from the list of members.'],
  expiry_past: [400, 'expiresAt is in the past: choose a future time.'],
  expiry_too_late: [
    400,
    'expiresAt is later than this server allows (KEY_MAX_AGE_DAYS, OPERATOR_TOKEN_MAX_AGE_DAYS, PERSONAL_TOKEN_MAX_AGE_DAYS): choose an earlier time, or leave it out.',
  ],
  rotation_impossible: [
    400,
    'The master key cannot be rotated with the keys that this server has: on every server, set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the current one.',
  ],
  link_unusable: [400, 'This link does not work: it was used or replaced, or it has expired. Ask for another one.'],
  oidc_off: [400, 'This server has no identity provider: sign in with your email address and password.'],
  oidc_state_wrong: [
    400,
    'This sign-in was started in another browser, is already finished, or took longer than ten minutes: start again.',
  ],
  password_missing: [400, 'You have no password: ask for a sign-in link, and set one within ten minutes of using it.'],
  password_weak: [400, 'The password is too common: choose another of at least 12 characters.'],
  user_code_wrong: [
    400,
    'No program is waiting with this code: check it, or start again in the program. A code works for ten minutes.',
  ],
  authorization_pending: [400, 'The person has not answered yet: ask again after the interval.'],
  slow_down: [400, 'You are asking too often: wait five seconds longer between requests from now on.'],
  access_denied: [400, 'The person refused: start again if that was a mistake.'],
  expired_token: [400, 'The code has expired or was already used: start again.'],
  confirmation_unfit: [400, 'You cannot confirm the session this way: GET /me/confirmation lists the ways you can.'],
  operator_token_wrong: [401, 'The operator token is missing or wrong: send Authorization: Bearer <operator token>.'],
  token_wrong: [
    401,
    'The token does not work: it has expired, was revoked, or is incomplete. Make another one in the console under Settings, You, or with `greenroom login`.',
  ],
  metrics_token_wrong: [401, 'The metrics token is missing or wrong: send Authorization: Bearer <METRICS_TOKEN>.'],
  link_token_wrong: [
    401,
    'This link does not work: it was revoked or has expired, or the post no longer waits for a decision. Ask the person who sent it.',
  ],
  delivery_unsigned: [
    401,
    'There is no source at this address, or the signature is wrong: check the address and the secret of the source.',
  ],
  write_key_wrong: [401, 'The write key is missing or wrong: send the one that was shown when the source was created.'],
  session_missing: [
    401,
    'You are not signed in: sign in and send the session cookie, or send Authorization: Bearer <token>.',
  ],
  session_ended: [401, 'The session has ended: sign in again.'],
  sign_in_failed: [401, 'The email address or the password is wrong.'],
  second_factor_needed: [401, 'The sign-in is not finished: pass the second factor (see GET /second-factor).'],
  code_wrong: [
    401,
    'The code is wrong or was already used: enter the one that your app shows now, or a recovery code.',
  ],
  passkey_refused: [
    401,
    'The passkey was not accepted: start again with one that you have added to your account on this server.',
  ],
  oidc_refused: [401, 'The identity provider did not confirm this sign-in: start again.'],
  organization_inactive: [402, 'The organization is inactive: ask its operator to activate it.'],
  header_missing: [403, 'An authentication header is missing: send x-api-key, x-date and x-signature.'],
  date_malformed: [403, 'The x-date header is malformed.'],
  signature_expired: [403, 'Signature expired: sign the current time.'],
  date_in_future: [403, 'The x-date header is in the future: set your clock.'],
  signature_invalid: [
    403,
    'The signature is wrong: check x-api-key and its secret, and that x-signature is the HMAC-SHA256 of the x-date header in lowercase hex.',
  ],
  verify_token_wrong: [403, 'The verify token is wrong: send the one that was shown when the source was created.'],
  metrics_local: [
    403,
    "Without METRICS_TOKEN, metrics and status answer only on the server's own machine: set it, and send Authorization: Bearer <METRICS_TOKEN>.",
  ],
  address_not_allowed: [
    403,
    'This key cannot be used from your address: call from one of its allowed addresses, or ask the operator for another key.',
  ],
  approval_is_human: [
    403,
    'API keys cannot approve or publish posts: ask a person who may approve. The service publishes an approved post when it is due.',
  ],
  cross_site: [
    403,
    'A change must come from a page of this server: send Sec-Fetch-Site: same-origin, or Origin with the address of this server.',
  ],
  https_needed: [
    403,
    'A browser keeps the session only over https: put TLS in front of the server, or open it at http://localhost on its own machine.',
  ],
  passwords_off: [403, 'Passwords are switched off on this server: sign in with the identity provider.'],
  oidc_roles_missing: [
    403,
    'The identity provider did not report your groups or roles, so signing in cannot create an account: ask an administrator for an invitation. The operator finds the reason in the log.',
  ],
  oidc_not_allowed: [
    403,
    'You have no account here: ask an administrator for an invitation. If you have one, the identity provider must report your email address as verified.',
  ],
  mail_unproven: [
    403,
    'Your email address is not proven yet, so your account stays with its organization: use the link in the invitation email, sign in with the identity provider, or ask the operator to vouch for the address.',
  ],
  invitation_mail_differs: [
    403,
    'The invitation is for another email address than the one you signed in with: ask for one for your address.',
  ],
  own_post: [
    403,
    'The organization requires four eyes: someone who neither wrote nor last changed the post, or what was copied into it, must approve it.',
  ],
  approval_too_new: [
    403,
    'A writer of the post granted this right to approve, or switched four eyes off, less than an hour ago: wait, or let another person approve it.',
  ],
  message_not_yours: [
    403,
    'Only the author can edit a message, and only the author or an administrator can delete it: write a reply instead.',
  ],
  password_wrong: [403, 'The current password is missing or wrong: enter the one that you sign in with.'],
  second_factor_required: [
    403,
    'The organization requires a second factor: add a passkey or an authenticator app to your account, and sign in with it.',
  ],
  confirmation_needed: [
    403,
    'This requires a recent proof of who you are: confirm the session (see GET /me/confirmation), then send the request again.',
  ],
  token_cannot_confirm: [
    403,
    'This requires a recent proof of who you are, which a token cannot give: use the console.',
  ],
  scope_not_held: [403, 'A token can have only permissions that you hold yourself: leave the other scopes out.'],
  permission_missing: [403, 'This requires a permission that you do not hold: ask the operator for it.'],
  route_not_found: [404, 'There is no such route: see /openapi.json or /docs.'],
  organization_not_found: [404, 'There is no organization with this id.'],
  key_not_found: [404, 'There is no key with this id.'],
  member_not_found: [404, 'There is no member with this id.'],
  invitation_not_found: [404, 'There is no invitation with this id.'],
  account_not_found: [404, 'There is no account with this id.'],
  session_not_found: [404, 'There is no session with this id.'],
  passkey_not_found: [404, 'You have no passkey with this id.'],
  totp_not_found: [404, 'You have no authenticator app: start with POST /me/second-factors/totp/begin.'],
  second_factor_not_found: [404, 'You have no second factor: add a passkey or an authenticator app first.'],
  operator_token_not_found: [404, 'There is no operator token with this name.'],
  token_not_found: [404, 'There is no personal token with this id.'],
  workspace_not_found: [404, 'There is no workspace with this id: use one from GET /workspaces.'],
  channel_not_found: [404, 'There is no channel with this id.'],
  ad_account_not_found: [404, 'There is no ad account with this id.'],
  person_not_found: [404, 'The organization has no person with this cuid.'],
  link_not_found: [404, 'The person is not linked to this id.'],
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
  problem_not_found: [404, 'There is no problem with this id: problems are kept for 30 days.'],
  data_deletion_not_found: [404, 'There is no deletion request with this code: requests are kept for a year.'],
  delivery_not_found: [404, 'There is no delivery with this id: deliveries are kept for 30 days.'],
  winner_not_found: [404, 'No current winner has this rank: see the winners of the raffle.'],
  message_not_found: [404, 'There is no message with this id in the discussion of the post.'],
  saved_text_not_found: [404, 'There is no saved text with this id.'],
  series_not_found: [404, 'There is no series of posts with this id.'],
  superpower_not_found: [404, 'There is no saved superpower with this id.'],
  segment_not_found: [404, 'There is no saved segment with this id.'],
  request_timeout: [408, 'The request did not arrive in time: send it again.'],
  hashtag_conflict: [409, 'A hashtag is already in use on a channel: choose another, or free it first.'],
  id_linked: [409, 'The id belongs to another person: unlink it there first.'],
  id_forgotten: [409, 'The id belongs to a person who was erased: readmit the person first.'],
  webhooks_full: [409, 'The organization has the maximum number of webhooks: remove one first.'],
  webhook_inactive: [409, 'The webhook is switched off: switch it on first.'],
  mails_off: [409, 'This server sends no email: ask its administrator for a sign-in link.'],
  key_ended: [409, 'The key is revoked or expired: issue another one.'],
  sources_full: [409, 'The organization has the maximum number of sources: remove one first.'],
  saved_texts_full: [409, 'The organization has the maximum number of saved texts: delete one first.'],
  segments_full: [409, 'The organization has the maximum number of segments: delete one first.'],
  already_exists: [409, 'This id is already in use.'],
  account_exists: [409, 'This email address already has an account: sign in, then use the link.'],
  signed_in_already: [
    409,
    'Another person is signed in in this browser: sign out first, or send replace: true to continue as the person the link is for.',
  ],
  second_factor_missing: [
    409,
    'Your own session has not passed a second factor: add one to your account or sign in with it, then try again.',
  ],
  passkeys_full: [409, 'You have the maximum number of passkeys: remove one first.'],
  tokens_full: [409, 'You have the maximum number of personal tokens: revoke one first.'],
  last_owner: [409, 'This is the last owner of the server: add another owner first.'],
  last_administrator: [409, 'This is the last administrator of the organization: add another one first.'],
  being_deleted: [409, 'The resource that had this id is still being deleted: repeat the deletion until it is done.'],
  organization_active: [409, 'The organization is active: deactivate it before you delete it.'],
  channel_in_use: [
    409,
    'Posts are about to be published on this channel: revert or delete them, or delete the channel with force=true.',
  ],
  media_disabled: [409, 'This server does not accept uploads: set MEDIA_DIR and PUBLIC_URL.'],
  media_busy: [409, 'Other uploads of the organization are running: send this one when they are done.'],
  media_full: [409, 'The organization has no space left for uploads: delete some first.'],
  small_picture_kept: [
    409,
    'The file already has another small picture, which cannot be replaced: upload the file again to give it a new one.',
  ],
  media_in_use: [409, 'A post that is about to be published uses this file: revert or delete the post first.'],
  raffle_not_drawn: [409, 'The post has no drawn raffle on this channel.'],
  nobody_left: [409, 'Everyone who entered the raffle has already won: there is no one left to draw.'],
  review_links_full: [409, 'The post is in the maximum number of review links: revoke one first.'],
  discussion_full: [409, 'The discussion has the maximum number of messages: delete some, or continue elsewhere.'],
  reviewer_unknown: [
    400,
    'Links can be sent only to an address that an administrator has added to the reviewers of the organization and that belongs to no member.',
  ],
  mail_off: [409, 'This server sends no email: let an approver make a link and pass it on, or set SMTP_URL.'],
  import_running: [409, 'Another import of this channel is running: send this one when that is done.'],
  backup_running: [409, 'Another backup is running: ask for this one when that is done.'],
  post_changed: [412, 'The post has changed since you read it: read it again, then repeat your change.'],
  precondition_required: [
    428,
    'Send If-Match with the ETag of the post as you read it: an approval applies only to that version.',
  ],
  body_too_large: [413, 'The body is too large: send at most 1 MiB.'],
  media_type_unsupported: [415, 'The content type is unsupported: send application/json.'],
  expectation_failed: [417, 'The Expect header is unsupported: send Expect: 100-continue, or none.'],
  validation_failed: [422, 'The request has the wrong shape.'],
  too_many_deliveries: [429, 'Too many deliveries to this source: try again after the time in Retry-After.'],
  rate_limited: [429, 'Too many requests with this key: try again after the time in Retry-After.'],
  too_many_imports: [429, 'Too many imports by this organization: try again after the time in Retry-After.'],
  too_many_insights: [
    429,
    'Too many requests for insights by this organization: try again after the time in Retry-After.',
  ],
  too_many_changes: [429, 'You made too many changes within a minute: try again after the time in Retry-After.'],
  too_many_links: [429, 'Too many links were requested from your address: try again after the time in Retry-After.'],
  too_many_invitations: [
    429,
    'Too many invitations by this organization, or to this email address, within an hour: try again after the time in Retry-After.',
  ],
  too_many_failures: [
    429,
    'Too many failed attempts from your address: check your credentials, and try again after the time in Retry-After.',
  ],
  too_many_logins: [429, 'Too many programs are waiting to be allowed in: try again after the time in Retry-After.'],
  too_many_codes: [
    429,
    'Too many wrong codes or passwords for this account: use a passkey or a recovery code, or try again after the time in Retry-After.',
  ],
  too_many_waiting: [
    429,
    'Too many requests are waiting on this connection: read their responses before you send more.',
  ],
  headers_too_large: [431, 'The headers are too large: send at most 16 KiB.'],
  internal: [500, 'Something went wrong on our side. Quote the x-request-id header when you report it.'],
  platform_refused: [
    502,
    'The ad platform refused our request: ask the operator to check the access token of the ad account.',
  ],
  platform_failed: [502, 'The ad platform did not answer properly: try again later.'],
  platform_rate_limited: [503, 'The ad platform is rate limiting our calls: try again after the time in Retry-After.'],
  database_unavailable: [503, 'The database is unreachable or cannot write: try again later.'],
  disk_full: [503, "The server's disk is full: ask its operator to free space, then send the request again."],
  busy: [503, 'Too many other changes are waiting for the same data: try again after the time in Retry-After.'],
  bodies_busy: [
    503,
    'Too many request bodies are arriving at once, and this one took the longest: send it again after the time in Retry-After.',
  ],
  oidc_unavailable: [
    503,
    'The identity provider is not answering: try again in a moment, or ask the operator for a sign-in link.',
  ],
  sign_in_busy: [503, 'Too many people are signing in at once: try again in a moment.'],
  stopping: [503, 'This server is stopping: call another one, or try again when it is back.'],
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

/** The only error that becomes a response. Anything else that is thrown becomes a 500 with a fixed text. */
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
