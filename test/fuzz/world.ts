/** The world of the fuzz: two organizations on the whole app, with objects of every kind. */
import { pino } from 'pino'
import { type DemoModel, makeDemoModel } from '../../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { POST_STATUSES } from '../../src/interface/post-status.js'
import {
  issueTestKey,
  OPERATOR_TOKEN,
  operatorCall,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
  TestClock,
} from '../harness.js'
import { insertProblem } from '../inbox.js'
import { insertPost } from '../posts.js'
import type { FuzzRequest } from './requests.js'

/** A request as it is sent. */
export interface SentRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

export interface Stage {
  test: TestApp
  sandbox: Sandbox
  demo: DemoModel
  /** Returns the latest error that the app logged, and clears it. */
  takeLoggedError(): string | undefined
  close(): Promise<void>
}

/** Opens the app, and a platform that it reaches over a socket. */
export async function openStage(): Promise<Stage> {
  let logged: string | undefined
  const log = pino({ level: 'error' }, { write: (line: string) => (logged = line) })
  const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
  const sandbox = await startSandbox({ model: demo.model, clock: new TestClock() })
  const test = await startTestApp({ graph: { baseUrl: sandbox.url } }, log)
  return {
    test,
    sandbox,
    demo,
    takeLoggedError() {
      const taken = logged
      logged = undefined
      return taken
    },
    async close() {
      test.app.server.closeAllConnections()
      await test.app.close()
      await sandbox.close()
    },
  }
}

export class World {
  private constructor(
    private readonly stage: Stage,
    private readonly tenant: Tenant,
    private readonly pools: Record<string, string[]>,
  ) {}

  /** ETags by post or by URL. */
  private readonly etags = new Map<string, string>()
  /** Each cursor by the path of the list that returned it: another list rejects it. */
  private readonly cursors = new Map<string, string>()
  /** The deleted objects of each kind, which later requests still use occasionally. */
  private readonly deleted: Record<string, string[]> = {}

  static async create(stage: Stage): Promise<World> {
    const { test, demo } = stage
    const tenant = await Tenant.create(test)
    const other = await Tenant.create(test)
    const own = `/organizations/${tenant.organizationId}`
    const vip = await tenant.workspace('VIP')
    const standard = await tenant.workspace('STANDARD')
    const connect = async (type: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT', platformId: string): Promise<string> => {
      const body = { type, platformId, name: 'A channel', accessToken: demo.pageAccessToken }
      const channelId = (await operatorCall(test, 201, 'POST', `${own}/channels`, { body })).body.id as string
      await operatorCall(test, 200, 'PUT', `${own}/workspaces/${vip}/channels/${channelId}`)
      return channelId
    }
    const page = await connect('FB_PAGE', demo.pageId)
    const account = await connect('INSTAGRAM_ACCOUNT', demo.instagramId)
    const loose = await tenant.channel([standard])
    const conversations = Array.from({ length: 30 }, (_, number) => `t_${number}`)
    await tenant.conversations(
      page,
      conversations.map((id, index) => ({ id, lifetime_value: index / 7, birthday: '1990-05-04', user_name: '😀' })),
    )
    await tenant.markVips(vip, page, conversations.slice(0, 20))
    for (const id of [demo.adAccountId, demo.heavyAdAccountId]) {
      const body = { id, name: 'Shop', currency: 'BRL', timezone: 'America/Sao_Paulo', accessToken: demo.accessToken }
      await operatorCall(test, 201, 'POST', `${own}/ad-accounts`, { body })
    }
    await operatorCall(test, 201, 'POST', `${own}/webhooks`, { body: { url: 'https://hooks.example/greenroom' } })
    const superpower = { name: 'Raffle', superpower: { hashtag: '#saved', caption: 'Comment #saved' } }
    const { body: template } = await operatorCall(test, 201, 'POST', `${own}/superpowers`, { body: superpower })
    const makeSource = async (body: object): Promise<string> =>
      (await operatorCall(test, 201, 'POST', `${own}/sources`, { body })).body.id
    const app = await makeSource({ type: 'EVENTS', name: 'App' })
    const shop = await makeSource({ type: 'SHOPIFY', name: 'Shop', secret: 'secret of the shop' })
    const problems = Array.from({ length: 20 }, (_, number) => `prb_${tenant.organizationId}_${number}`)
    await insertProblem(tenant, app, problems)
    const posts: string[] = []
    for (const status of POST_STATUSES) {
      posts.push(
        await insertPost(tenant, {
          status,
          media: 'https://media.example/a.jpg',
          mediaType: 'IMAGE',
          scheduledFor: new Date(test.clock.now() + 86_400_000),
          channels: [{ channelId: page, caption: 'Winter lights' }, { channelId: account }],
        }),
      )
    }
    return new World(stage, tenant, {
      organization: [tenant.organizationId, other.organizationId],
      workspace: [vip, vip, vip, standard, await other.workspace()],
      page: [page, page, page, loose, await other.channel()],
      account: [account],
      post: [...posts, await insertPost(other)],
      conversation: conversations,
      person: conversations.map((id) => `cu_${id}`),
      source: [app, app, app, shop],
      problem: problems,
      template: [template.creativeTemplateId ?? template.id],
      key: [(await issueTestKey(test, tenant.organizationId)).id, (await issueTestKey(test, other.organizationId)).id],
      adAccount: [demo.adAccountId, demo.adAccountId, `act_${demo.adAccountId}`, demo.heavyAdAccountId],
      campaign: [demo.campaignId, demo.campaignId, demo.campaignBeforeCutoffId],
      platformPage: [demo.pageId, demo.instagramId],
      pageToken: [demo.pageAccessToken],
      adToken: [demo.accessToken],
    })
  }

  /** Replaces all placeholders of the request and signs it for its surface. */
  resolve({ method, url, headers, body }: FuzzRequest): SentRequest {
    const { clock } = this.stage.test
    const resolvedUrl = this.fillCursor(this.fill(url, ''))
    const resource = resourceOf(resolvedUrl)
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value && toHeaderText(this.fill(value, resource))]),
    )
    const now = new Date(clock.now())
    const signed = (date: string): Record<string, string> => signedHeaders(this.tenant.key, own['x-date'] ?? date)
    const entrance = url.startsWith('/api')
      ? { authorization: `Bearer ${OPERATOR_TOKEN}` }
      : url.startsWith('/v0')
        ? signed(now.toISOString())
        : { ...signed(now.toUTCString()), 'x-api-version': '1' }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const all: Record<string, string | undefined> = { ...type, ...entrance, ...own }
    return {
      method,
      url: resolvedUrl,
      headers: Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      body: body === undefined ? undefined : this.fill(body, resource),
    }
  }

  /** Records the objects that later requests may use, and undoes changes that would end the run. */
  async learn({ operation }: FuzzRequest, { url }: SentRequest, body: Json, etag: unknown): Promise<void> {
    const grown: Record<string, string> = {
      createScheduledPost: 'post',
      createWorkspace: 'workspace',
      issueKey: 'key',
      createSuperpower: 'template',
      createAdAccount: 'adAccount',
      createSource: 'source',
    }
    const pool =
      operation.operationId === 'createChannel'
        ? body.type === 'FB_PAGE'
          ? 'page'
          : 'account'
        : grown[operation.operationId]
    const id = body.creativeTemplateId ?? body.id ?? body.keyId
    if (pool !== undefined && typeof id === 'string') this.pools[pool]!.push(id)
    for (const cursor of [body.nextCursor, body.next]) {
      if (typeof cursor === 'string') this.cursors.set(pathOf(url), cursor)
    }
    if (operation.operationId.startsWith('delete')) this.noteDeleted(pathOf(url).split('/').at(-1)!)
    if (typeof etag === 'string') this.etags.set(resourceOf(url), etag)
    if (operation.operationId === 'updateOrganization' && body.active === false) {
      await operatorCall(this.stage.test, 200, 'PATCH', `/organizations/${body.id}`, { body: { active: true } })
    }
  }

  /** From then on it is used rarely, unless nothing else of its kind is left. */
  private noteDeleted(id: string): void {
    for (const [kind, pool] of Object.entries(this.pools)) {
      const others = pool.filter((other) => other !== id)
      if (others.length === pool.length || others.length === 0) continue
      this.pools[kind] = others
      this.deleted[kind] = [...(this.deleted[kind] ?? []), id]
    }
  }

  /** Uses a cursor of this list, or rarely of another. A list without a cursor yet is read from its start. */
  private fillCursor(url: string): string {
    const others = [...this.cursors.values()]
    return url.replace(/([?&])after=«cursor:(\d+)»/, (_, before: string, digits: string) => {
      const number = Number(digits)
      const cursor = isSeldom(number) ? others[number % others.length] : this.cursors.get(pathOf(url))
      return cursor === undefined ? before : `${before}after=${encodeURIComponent(cursor)}`
    })
  }

  private fill(text: string, resource: string): string {
    return text.replaceAll(/«(\w+):(\d+)»/g, (all: string, kind: string, digits: string) => {
      const number = Number(digits)
      if (kind === 'etag') return this.etags.get(resource) ?? '"1"'
      if (kind === 'date' || kind === 'instant') {
        const instant = new Date(this.stage.test.clock.now() + (number - 100) * 86_400_000).toISOString()
        return kind === 'date' ? instant.slice(0, 10) : instant
      }
      if (kind === 'cursor') return all
      const deleted = this.deleted[kind]
      const pool = isSeldom(number) && deleted !== undefined ? deleted : this.pools[kind]!
      return pool[number % pool.length]!
    })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any

/** True for one in ten numbers of a placeholder. */
const isSeldom = (number: number): boolean => number % 10 === 9

const pathOf = (url: string): string => url.split('?')[0]!

const resourceOf = (url: string): string => /scheduled-posts\/([^/?]+)/.exec(url)?.[1] ?? url

/**
 * Returns the text as node:http reads it from a socket: the bytes of UTF-8, one character each, without control
 * characters.
 */
const toHeaderText = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no header may hold
    .replaceAll(/[\0-\x1f\x7f]/g, '')
    .trim()
