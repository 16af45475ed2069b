/**
 * The registry of tables: each table once, after those that it refers to. Statements that concern many tables are made from
 * it, and test/tables.test.ts keeps it equal to the real database, on both engines.
 */

/** Rows are deleted together with what they belong to. */
export type Owner = 'organization' | 'workspace' | 'channel'

/**
 * How the rows are deleted with their owner: in `batches` by their room, because there may be any number; `first`, in a
 * transaction before the last one; `last`, together with the owner; or by the database, along with the rows of the named
 * table.
 */
type Deletion = 'batches' | 'first' | 'last' | (string & {})

/** A column of secrets that are encrypted under the master key (lib/seal.ts). */
export interface Sealed {
  /** A plural for people, which `doctor` uses. */
  holds: string
  /** The column that identifies the rows of an organization. */
  id: string
  /** A secret can be decrypted only in the place for which it was encrypted. */
  context(organizationId: string, id: string): string
  /** The scope in whose audit trail a rotation is recorded, for a table that belongs to no organization. */
  scope?: string
}

export interface Table {
  /** The room that writes it; `database` for a table that only triggers, migrations and a start write. */
  room: string
  /** A second room that writes it, in the transaction of its own change. */
  alsoWrittenBy?: string
  /** Why its key does not begin with the organization. Every other table is a tenant table. */
  global?: string
  /** The people whose data or ids its rows hold: they talk to a channel, or have an account. */
  personal?: 'audience' | 'accounts'
  sealed?: Readonly<Record<string, Sealed>>
  deletedWith?: Partial<Record<Owner, Deletion>>
  /** A setting or a rule that says how long rows are kept. By default as long as their owner. */
  kept?: string
  /** False for a table that backups and moves leave out. */
  carried?: false
  /** A plural for people: its rows let someone in without showing a secret again, and a restore empties it. */
  waysIn?: string
}

const ofOrganization = { deletedWith: { organization: 'last' } } as const
const ofPost = { deletedWith: { organization: 'scheduled_posts' } } as const
const account = {
  room: 'access',
  global: "a person's: an account belongs to the server",
  personal: 'accounts',
} as const
const notices = { room: 'news', personal: 'accounts', ...ofOrganization } as const
const audience = { room: 'audience', personal: 'audience' } as const
const deliveries = { room: 'intake', personal: 'audience', deletedWith: { organization: 'batches' } } as const
const ofAutomation = { deletedWith: { organization: 'batches', channel: 'batches' } } as const
const acted = { room: 'automation', personal: 'audience', ...ofAutomation } as const
const key = (_organizationId: string, keyId: string): string => `key ${keyId}`
const totp = (_organizationId: string, personId: string): string => `totp ${personId}`
const channel = (organizationId: string, channelId: string): string => `channel ${organizationId} ${channelId}`
const source =
  (kind = 'source') =>
  (organizationId: string, sourceId: string): string =>
    `${kind} ${organizationId} ${sourceId}`
const adAccount = (organizationId: string, id: string): string => `ad account ${organizationId} ${id}`
const webhook = (organizationId: string, webhookId: string): string => `webhook ${organizationId} ${webhookId}`
/** An email takes its secret over from the event whose id it has. */
const event = (organizationId: string, eventId: string): string => `event ${organizationId} ${eventId}`

export const TABLES = {
  // The installation
  migrations: { room: 'database', global: 'one row for each migration', carried: false },
  installation: { room: 'database', global: 'one row: whose data the database holds' },
  master_keys: { room: 'access', global: 'keys of the installation' },
  access_revisions: {
    room: 'database',
    global: 'a counter for each organization, each person, and the rest: caches read from it what changed',
    kept: 'forever, so that no counter starts again',
  },
  publishers: { room: 'work', global: 'one row for each process: signs of life', kept: 'while the process runs' },
  last_backup: { room: 'backup', global: 'one row: when the whole installation was backed up' },
  last_fetched_backup: { room: 'backup', global: 'one row: when the whole installation was fetched as a backup' },
  housekeeping: { room: 'removal', global: 'one row for each task of retention' },
  console_assets: {
    room: 'http',
    global: 'files of the console: the same for all',
    kept: 'of this release and the previous one',
    carried: false,
  },
  post_counts: { room: 'database', global: 'figures of the installation, counted by a trigger' },

  // People with an account. Whatever belongs to just one person is deleted with the account by its foreign key.
  people: { ...account, kept: 'until they are deleted' },
  sessions: { ...account, kept: 'until they end', waysIn: 'sessions' },
  half_sessions: { ...account, kept: 'until they end', waysIn: 'sign-ins under way' },
  entry_links: { ...account, kept: 'until they end', waysIn: 'sign-in and owner links' },
  identities: { ...account, kept: 'until they are removed' },
  finished_visits: {
    room: 'access',
    global: 'sign-ins by the identity provider, before the person is known',
    kept: 'for ten minutes',
  },
  passkeys: { ...account, kept: 'until they are removed' },
  totp_secrets: {
    ...account,
    sealed: {
      secret_sealed: { holds: 'secrets of authenticator apps', id: 'person_id', context: totp, scope: 'server' },
    },
    kept: 'until they are removed',
  },
  recovery_codes: { ...account, kept: 'until they are removed' },
  factor_failures: { ...account, kept: 'until the next success' },
  sign_in_places: { ...account, kept: 'the latest of each person' },
  person_mails: { ...account, room: 'news', kept: 'the latest of each kind' },
  personal_tokens: { ...account, kept: 'until they end', waysIn: 'personal tokens' },
  device_logins: { ...account, kept: 'for ten minutes', waysIn: 'logins of programs' },
  operator_tokens: { room: 'access', global: "the operator's" },
  operator_token_reminders: { room: 'news', global: "the operator's" },

  // Organizations and who may call for them
  organizations: { room: 'access', global: 'the directory: the tenants themselves', ...ofOrganization },
  api_keys: {
    room: 'access',
    global: 'the directory: a tenant is found from a key, before there is a tenant',
    personal: 'accounts',
    sealed: { secret_sealed: { holds: 'key secrets', id: 'key_id', context: key } },
    ...ofOrganization,
    kept: 'REVOKED_KEYS_KEEP_DAYS',
  },
  key_uses: { room: 'access', deletedWith: { organization: 'api_keys' } },
  key_refusals: { room: 'access', deletedWith: { organization: 'api_keys' } },
  key_reminders: { room: 'news', deletedWith: { organization: 'api_keys' } },
  memberships: { room: 'access', personal: 'accounts', ...ofOrganization },
  invitations: {
    room: 'access',
    personal: 'accounts',
    ...ofOrganization,
    kept: 'until they are accepted or revoked, or end',
    waysIn: 'invitations',
  },
  audit_trail: { room: 'audit', alsoWrittenBy: 'removal', personal: 'accounts', kept: 'AUDIT_KEEP_DAYS' },
  audit_repeats: { room: 'audit', alsoWrittenBy: 'removal', personal: 'accounts', kept: 'AUDIT_KEEP_DAYS' },
  audit_exports: { room: 'removal', kept: 'forever, like the exported files' },
  events: {
    room: 'news',
    personal: 'accounts',
    sealed: { secret_sealed: { holds: 'secrets of events', id: 'event_id', context: event } },
    ...ofOrganization,
    kept: 'until they are passed on',
  },
  webhooks: {
    room: 'news',
    sealed: {
      secret_sealed: { holds: 'webhook secrets', id: 'webhook_id', context: webhook },
      previous_secret_sealed: { holds: 'earlier webhook secrets', id: 'webhook_id', context: webhook },
    },
    ...ofOrganization,
  },
  webhook_deliveries: { ...notices, kept: 'webhookLogMs, webhookLogRows' },
  // After `events`: a secret moves from there to here, so a rotation that has read both has seen it.
  mails: {
    ...notices,
    sealed: { secret_sealed: { holds: 'secrets of emails', id: 'mail_id', context: event } },
    kept: 'until they are sent',
  },
  // A message is counted for its emails in the transaction that writes it. The mailer claims the rows.

  // Channels and their audiences
  workspaces: { room: 'channels', deletedWith: { organization: 'first', workspace: 'last' } },
  // A deleted channel keeps its row, without the token, because published posts name it.
  channels: {
    room: 'channels',
    sealed: { access_token_sealed: { holds: 'channel tokens', id: 'channel_id', context: channel } },
    deletedWith: { organization: 'first' },
  },
  // Each deletion counts a last revision of the audience at the end of its transaction; `audiences` is deleted after that.
  workspace_channels: { room: 'channels', deletedWith: { organization: 'first', workspace: 'last', channel: 'last' } },
  membership_channels: {
    room: 'access',
    personal: 'accounts',
    deletedWith: { organization: 'channels', channel: 'last' },
  },
  audiences: { room: 'database', ...ofOrganization },
  audience_changes: {
    room: 'database',
    personal: 'audience',
    deletedWith: { organization: 'audiences' },
    kept: 'the latest of each channel',
  },
  conversations: { ...audience, deletedWith: { organization: 'batches', channel: 'batches' } },
  vip_marks: {
    ...audience,
    deletedWith: { organization: 'conversations', workspace: 'batches', channel: 'conversations' },
  },
  audience_segments: { room: 'audience', ...ofOrganization },
  pending_audience_changes: { ...audience, kept: 'until the transaction ends that writes them', carried: false },
  running_imports: { room: 'audience', ...ofOrganization, kept: 'while the import runs', carried: false },
  erased_people: { ...audience, ...ofOrganization, kept: 'until the person is readmitted' },
  ad_accounts: {
    room: 'insights',
    sealed: { access_token_sealed: { holds: 'ad account tokens', id: 'ad_account_id', context: adAccount } },
    ...ofOrganization,
  },

  // Sources, their deliveries, and the people and purchases in them
  sources: {
    room: 'intake',
    sealed: {
      secret_sealed: { holds: 'secrets of sources', id: 'source_id', context: source() },
      previous_secret_sealed: { holds: 'earlier secrets of sources', id: 'source_id', context: source() },
      second_secret_sealed: {
        holds: 'Instagram secrets of sources',
        id: 'source_id',
        context: source('source instagram'),
      },
      verify_token_sealed: { holds: 'verify tokens of sources', id: 'source_id', context: source('source verify') },
    },
    ...ofOrganization,
  },
  source_activity: { room: 'intake', deletedWith: { organization: 'sources' } },
  inbox: { ...deliveries, kept: 'until they are applied' },
  kept_deliveries: { ...deliveries, alsoWrittenBy: 'audience', kept: 'INTAKE_KEEP_DAYS' },
  // An erasure deletes the bodies that name the person.
  problems: { ...deliveries, alsoWrittenBy: 'audience', kept: '30 days' },
  intake_attempts: { room: 'intake', ...ofOrganization, kept: 'while their worker runs' },
  source_bytes: { room: 'database', deletedWith: { organization: 'sources' } },
  // Its codes name nobody.
  data_deletions: { room: 'intake', deletedWith: { organization: 'sources' }, kept: 'dataDeletionsMs' },
  // Its hashes name nobody.
  known_bodies: { room: 'intake', deletedWith: { organization: 'sources' }, kept: 'as long as their source exists' },
  live_audiences: { room: 'audience', ...ofOrganization },
  person_ids: { ...audience, deletedWith: { organization: 'batches' } },
  person_fields: { ...audience, deletedWith: { organization: 'batches' } },
  purchases: { ...audience, deletedWith: { organization: 'batches' } },
  refunds: { ...audience, deletedWith: { organization: 'purchases' } },
  forgotten_ids: { ...audience, deletedWith: { organization: 'batches' }, kept: 'until the person is readmitted' },
  body_erasures: { ...audience, ...ofOrganization, kept: 'until the bodies are searched' },
  conversation_names: {
    room: 'database',
    personal: 'audience',
    deletedWith: { organization: 'batches', channel: 'batches' },
  },
  // The worker that reads comments from the platform adds rows too.
  incoming_comments: {
    ...audience,
    alsoWrittenBy: 'intake',
    deletedWith: { organization: 'batches', channel: 'batches' },
    kept: 'until they are decided, or INTAKE_KEEP_DAYS',
  },
  opt_outs: { ...audience, deletedWith: { organization: 'first', channel: 'last' } },
  // A new access token makes the row due.
  channel_subscriptions: {
    room: 'intake',
    alsoWrittenBy: 'channels',
    deletedWith: { organization: 'first', channel: 'last' },
  },
  wanted_profiles: {
    room: 'audience',
    personal: 'audience',
    deletedWith: { organization: 'conversations', channel: 'conversations' },
    kept: 'until they are read',
  },

  // Posts and what they are made of
  media: { room: 'media', ...ofOrganization, kept: 'UNUSED_MEDIA_KEEP_DAYS' },
  // The files of an organization are deleted with its directory.
  media_removals: { room: 'media', ...ofOrganization, kept: 'until the file is deleted' },
  superpowers: { room: 'superpowers', ...ofOrganization },
  // The publisher claims a due post: status and lease change in one statement, so that every later write is fenced.
  scheduled_posts: {
    room: 'posts',
    alsoWrittenBy: 'publisher',
    personal: 'accounts',
    deletedWith: { organization: 'batches' },
    kept: 'POST_CONTENT_KEEP_DAYS',
  },
  scheduled_post_channels: { room: 'posts', ...ofPost, kept: 'POST_CONTENT_KEEP_DAYS' },
  hashtag_claims: {
    room: 'posts',
    deletedWith: { organization: 'scheduled_post_channels' },
    kept: 'until the superpower ends, or its post failed',
  },
  // Approvals and retries reset what failed, and deleting a channel fails it: posts and the publisher write it.
  publications: { room: 'posts', alsoWrittenBy: 'publisher', ...ofPost },
  post_series: { room: 'posts', ...ofOrganization },
  post_series_posts: { room: 'posts', ...ofPost },
  saved_texts: { room: 'posts', ...ofOrganization },
  post_texts: {
    room: 'posts',
    personal: 'accounts',
    ...ofOrganization,
    kept: 'for 400 days, until the next one is stored',
  },
  // A trigger of publications creates the row. An erasure removes the person from the ledger, but keeps that it was decided.
  automation_posts: { room: 'automation', ...ofAutomation },
  automation_comments: { ...acted, alsoWrittenBy: 'audience' },
  automation_effects: { ...acted, alsoWrittenBy: 'audience' },
  automation_people: { ...acted, alsoWrittenBy: 'audience' },
  raffles: { room: 'automation', ...ofAutomation },
  raffle_entrants: { ...acted, alsoWrittenBy: 'audience' },
  raffle_winners: { room: 'automation', ...ofAutomation },
  automation_lanes: { room: 'automation', deletedWith: { organization: 'first', channel: 'last' } },
  // A person has a row while something waits for them.
  automation_turns: { ...acted, alsoWrittenBy: 'audience' },
  // A stop releases the hashtag in the same transaction.
  automation_stops: {
    room: 'posts',
    personal: 'accounts',
    deletedWith: { organization: 'scheduled_post_channels' },
  },
  discussion_messages: { room: 'posts', personal: 'accounts', ...ofPost, kept: 'POST_CONTENT_KEEP_DAYS' },
  post_reviews: { room: 'posts', ...ofPost, kept: 'POST_CONTENT_KEEP_DAYS' },
  // A link stays when its posts are deleted.
  review_links: {
    room: 'access',
    personal: 'accounts',
    ...ofOrganization,
    kept: 'for 30 days after they end, until the next one is made',
    waysIn: 'review links',
  },
  // Deleted with its post, and with the membership of its reader.
  inbox_entries: {
    room: 'news',
    personal: 'accounts',
    deletedWith: { organization: 'memberships' },
    kept: 'the latest of each member (inboxEntries)',
  },
  inbox_mails: {
    room: 'news',
    personal: 'accounts',
    deletedWith: { organization: 'memberships' },
    kept: 'a row for each member',
  },
  posting_slots: { room: 'posts', deletedWith: { organization: 'channels', channel: 'last' } },
  calendar_feeds: {
    room: 'posts',
    personal: 'accounts',
    ...ofOrganization,
    kept: 'until they are deleted, or the person leaves',
    waysIn: 'calendar addresses',
  },
  review_link_posts: { room: 'access', alsoWrittenBy: 'posts', ...ofPost, kept: 'as long as their link' },
  idempotency_keys: { room: 'posts', deletedWith: { organization: 'batches' }, kept: 'for 24 hours' },
} as const satisfies Record<string, Table>

/** The same with every field, in the order of their references. */
export const TABLE_ENTRIES: readonly [name: string, table: Table][] = Object.entries(TABLES)
