import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { eraseBodies } from '../src/audience/live/erase-bodies.js'
import { insertProblems } from '../src/intake/sources/problems.store.js'
import { applyStep, readBatch, type Turn, type TurnContext } from '../src/intake/worker/turn.js'
import type { NewSource, SourceProblem, SourceWithSecrets } from '../src/interface/generated/types.js'
import { operatorCall, type Reply, Tenant, type TestApp } from './harness.js'

/** The secret of a source whose sender makes the secret. */
const OTHER_SIDES_SECRET = 'secret of the other side'

/** Shopify's privacy requests. */
const SHOP_FIELDS = { shop_id: 954889, shop_domain: 'mercado.myshopify.com' }
export const redactionOf = (customer: object) => ({ ...SHOP_FIELDS, customer, orders_to_redact: [] })
export const dataRequestOf = (customer: object) => ({
  ...SHOP_FIELDS,
  customer,
  orders_requested: [],
  data_request: { id: 9 },
})
export const SHOP_REDACTION = SHOP_FIELDS

/** A source of a new or given tenant, and its sender. */
export class Sender {
  private constructor(
    readonly tenant: Tenant,
    readonly source: SourceWithSecrets,
  ) {}

  static async create(
    test: TestApp,
    type: NewSource['type'],
    { tenant, currency = 'EUR', ...more }: { tenant?: Tenant; currency?: string | null } & Partial<NewSource> = {},
  ): Promise<Sender> {
    const own = tenant ?? (await Tenant.create(test))
    const path = `/organizations/${own.organizationId}`
    if (tenant === undefined && currency !== null) await operatorCall(test, 200, 'PATCH', path, { body: { currency } })
    const secret = type === 'META' || type === 'SHOPIFY' ? { secret: OTHER_SIDES_SECRET } : {}
    const body = { type, name: `A source of ${type}`, ...secret, ...more }
    const created = await operatorCall(test, 201, 'POST', `${path}/sources`, { body })
    return new Sender(own, created.body)
  }

  /** Returns the same sender, using another node of the service. */
  on(test: TestApp): Sender {
    return new Sender(this.tenant.on(test), this.source)
  }

  private get secret(): string {
    return this.source.secret ?? OTHER_SIDES_SECRET
  }

  /** Sends a signed delivery as the source's platform does; fails unless it answers `status`. */
  async send(payload: unknown, { topic = '', id, status = 200 }: Sending = {}): Promise<void> {
    const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
    const mac = (encoding: 'hex' | 'base64'): string => createHmac('sha256', this.secret).update(body).digest(encoding)
    const headers = {
      META: () => ({ 'x-hub-signature-256': `sha256=${mac('hex')}` }),
      SHOPIFY: () => ({
        'x-shopify-hmac-sha256': mac('base64'),
        'x-shopify-topic': topic,
        ...(id !== undefined && { 'x-shopify-webhook-id': id }),
      }),
      WOOCOMMERCE: () => ({ 'x-wc-webhook-signature': mac('base64'), 'x-wc-webhook-topic': topic }),
      EVENTS: () => ({ authorization: `Basic ${Buffer.from(`${this.source.writeKey}:`).toString('base64')}` }),
    }[this.source.type]()
    const url = this.source.type === 'EVENTS' ? '/ingest/v1/batch' : `/hooks/${this.source.id}`
    const answer = await this.tenant.test.app.inject({
      ...{ method: 'POST', url, payload: body },
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(answer.statusCode, answer.body).toBe(status)
  }

  /** Asks for the deletion of a user's data as Meta does. */
  async askForDeletion(payload: object | string): Promise<void> {
    const json = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const signed = Buffer.from(json).toString('base64url')
    const signature = createHmac('sha256', this.secret).update(signed).digest('base64url')
    const answer = await this.tenant.test.app.inject({
      ...{ method: 'POST', url: `/hooks/${this.source.id}/data-deletion` },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `signed_request=${signature}.${signed}`,
    })
    expect(answer.statusCode, answer.body).toBe(200)
  }

  /** Sends events in a batch and applies them. */
  async track(...events: unknown[]): Promise<void> {
    await this.send({ batch: events })
    await this.apply()
  }

  /** Applies everything that waits in the organization. */
  apply = (): Promise<void> => applyAll(this.tenant.test, this.tenant.organizationId)

  async problems(): Promise<SourceProblem[]> {
    return (await this.operator(200, 'GET', `/sources/${this.source.id}/problems?limit=100`)).body.items
  }

  /** Calls the organization of the source as the operator. */
  operator(status: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Reply> {
    return operatorCall(this.tenant.test, status, method, `/organizations/${this.tenant.organizationId}${path}`, {
      ...(body !== undefined && { body }),
    })
  }
}

interface Sending {
  topic?: string
  /** The id of the delivery, which its repeats share. */
  id?: string
  status?: number
}

/** Applies the next deliveries of one organization, at most `rows` of them if given. */
export async function applyNext(context: TurnContext, organizationId: string, rows?: number): Promise<Turn> {
  const size = rows === undefined ? {} : { rows, bytes: 1_000_000 }
  const { steps } = await readBatch(context, organizationId, { mark: -1, ...size })
  let whole: Turn = { applied: 0, isRevaluing: false, isLeft: false }
  for (const step of steps) {
    const turn = await applyStep(context, organizationId, step)
    whole = { ...turn, applied: whole.applied + turn.applied }
    if (turn.isLeft) break
  }
  return whole
}

/** Applies everything that waits in one organization and finishes its erasures, although others share the database. */
async function applyAll({ context }: TestApp, organizationId: string): Promise<void> {
  for (;;) {
    const { applied, isRevaluing } = await applyNext(context, organizationId)
    if (applied > 0 || isRevaluing) continue
    await eraseBodies(context.database, { organizationId, transactions: 1_000 })
    return
  }
}

/** Adds problems with these ids to a source. */
export async function insertProblem({ test, organizationId }: Tenant, sourceId: string, ids: string[]): Promise<void> {
  const at = new Date(test.clock.now())
  const body = Buffer.from(
    '{"type":"track","event":"Order Completed","properties":{"order_id":"1001","total":"twelve"}}',
  )
  const reason = 'total must be a non-negative amount, such as 12.50, not "twelve".'
  await test.context.database.transaction((tx) =>
    insertProblems(
      tx,
      organizationId,
      ids.map((problemId) => ({ problemId, sourceId, at, item: '', reason, topic: 'track', headers: {}, body })),
    ),
  )
}
