import { onTestFinished } from 'vitest'
import type { SandboxPage } from '../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { channelTokenContext, insertChannel } from '../src/channels/channels.store.js'
import type { Database } from '../src/database/database.js'
import { migrate } from '../src/database/migrate.js'
import { openPglite } from '../src/database/pglite/pglite.js'
import type { ChannelType } from '../src/interface/generated/types.js'
import type { PostStatus } from '../src/interface/post-status.js'
import type { PublicationRow } from '../src/publisher/publications.store.js'
import type { ConfigChanges } from './config.js'
import { gate } from './gate.js'
import { randomDigits, Tenant, type TestApp, takeApp } from './harness.js'
import type { PostFixture } from './insert-scheduled-post.js'
import type { Patience } from './patience.js'
import { runToEnd } from './points.js'
import { insertPost, listPublications } from './posts.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from './test-database.js'

/**
 * A connection to the database of the publisher's tests. No other test has posts in it, because a publisher takes every
 * post.
 */
export interface PublisherDatabase {
  database: Database
  /** Another pool on the same PostgreSQL, like that of another process; the embedded engine returns itself. */
  openAnother(): Promise<Database>
}

let opened: Promise<PublisherDatabase> | undefined

/** Opens a database without posts and publishers. */
export async function openPublisherDatabase(): Promise<PublisherDatabase> {
  opened ??= open()
  const { database } = await opened
  for (const table of ['scheduled_posts', 'publishers']) await database.query(`delete from ${table}`)
  return opened
}

async function open(): Promise<PublisherDatabase> {
  const url = TEST_DATABASE_URL && (await createEmptyDatabase('greenroom_publisher_test'))
  const database = url === undefined ? await openPglite({ isMigrated: true }) : openTestPostgres(url, 10)
  await migrate(database)
  const openAnother = async (): Promise<Database> => {
    if (url === undefined) return database
    const another = openTestPostgres(url, 5)
    onTestFinished(() => another.close())
    return another
  }
  return { database: { ...database, close: async () => {} }, openAnother }
}

/** The columns of a post that tests read. */
interface PostState {
  status: PostStatus
  next_attempt_at: Date | null
  leased_by: string | null
  leased_until: Date | null
  task_id: string | null
}

export interface PublisherTest extends TestApp {
  sandbox: Sandbox
  tenant: Tenant
  openAnother(): Promise<Database>
  patience: Patience
  logLines(): Record<string, unknown>[]
  /** A channel that is connected to its own page or account in the sandbox. */
  channel(type: ChannelType, page?: Partial<SandboxPage>): Promise<string>
  /** A post that is due now. */
  post(post: Partial<PostFixture>): Promise<string>
  read(postId: string): Promise<PostState>
  publications(postId: string): Promise<PublicationRow[]>
  /** Runs the publishers whenever work is due, until every post has ended. */
  runToEnd(): Promise<void>
}

/** Starts the whole app, a sandbox for it on a real socket, and one clock for both. Nothing waits. It ends with the test. */
export async function startPublisherTest(
  config: ConfigChanges = {},
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<PublisherTest> {
  const { database, openAnother } = await openPublisherDatabase()
  const taken = await takeApp(config, { logs: true, database })
  onEnd(() => taken.app.close())
  const { app, context, clock, patience, logLines } = taken
  const pages: SandboxPage[] = []
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages }, clock })
  onEnd(() => sandbox.close())
  taken.usePlatform(sandbox.url)
  const tenant = await Tenant.create({ app, context, clock })
  async function read(postId: string): Promise<PostState> {
    const { rows } = await database.query<PostState>(
      `select status, next_attempt_at, leased_by, leased_until, task_id
         from scheduled_posts where organization_id = $1 and scheduled_post_id = $2`,
      [tenant.organizationId, postId],
    )
    return rows[0]!
  }

  return {
    app,
    context,
    clock,
    sandbox,
    tenant,
    openAnother,
    read,
    patience,
    logLines,
    async channel(type, page = {}) {
      const id = randomDigits(15)
      const accessToken = `EAAtoken${id}`
      const platform = type === 'FB_PAGE' ? 'facebook' : 'instagram'
      // An Instagram account belongs to a page and uses that page's token.
      const linked: SandboxPage = { id: randomDigits(15), platform: 'facebook', name: 'Its page', accessToken }
      if (platform === 'facebook') pages.push({ id, platform, name: 'A page', accessToken, ...page })
      else pages.push({ id, platform, name: 'An account', accessToken, pageId: linked.id, ...page }, linked)
      const channelId = `${type}_${id}`
      const sealed = context.sealer.seal(accessToken, channelTokenContext(tenant.organizationId, channelId))
      const channel = { channel_id: channelId, type, name: 'A channel' }
      await insertChannel(database, tenant.organizationId, channel, sealed)
      return channelId
    },
    post: (post) =>
      insertPost(tenant, {
        status: 'SCHEDULED',
        media: 'https://cdn.example.com/summer.jpg',
        mediaType: 'IMAGE',
        scheduledFor: new Date(clock.now()),
        ...post,
      }),
    publications: (postId) => listPublications(database, tenant.organizationId, postId),
    runToEnd: () => runToEnd(context, clock),
  }
}

/** Holds back the response to the next such request, and reports when the request arrives. */
export function holdUp(
  { sandbox }: PublisherTest,
  edge: RegExp,
  kind: 'slow' | 'accepted-then-slow',
): { arrived: Promise<void>; release(): void } {
  const [arrival, answer] = [gate(), gate()]
  sandbox.faults.add({
    match({ path }) {
      if (!edge.test(path)) return false
      arrival.open()
      return true
    },
    fault: { kind, until: answer.opened },
  })
  return { arrived: arrival.opened, release: answer.open }
}
