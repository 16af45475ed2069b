/** Two organizations with objects of every kind, made over HTTP, and their rows in the database. */
import { expect } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { Member, operatorCall, type Reply, randomDigits, Tenant, type TestApp } from '../harness.js'
import { png } from '../media.js'
import { randomToken } from './random.js'
import type { Ids } from './routes.js'

/** One organization of the matrix. */
export interface OutsideTenant {
  tenant: Tenant
  organizationId: string
  /** One of each kind, replaced when a call has used it up. */
  ids: Record<string, string>
  /** Other existing ids, for bodies: an object that a body creates may have the same id in another organization. */
  spare: Ids
  /** Texts that no other tenant may see: ids, names, texts, secrets. */
  marks: Set<string>
  approver: Member
  /** Links to one waiting post: to this post, to another one, and a revoked one. */
  links: { own: string; other: string; revoked: string }
  /** Recreates what calls may have used up. */
  renew(kinds: readonly string[]): Promise<void>
}

export interface AdAccount {
  adAccountId: string
  campaignId: string
  accessToken: string
}

/** Creates it through the operator's surface, and as a member who may approve. */
export async function makeTenant(test: TestApp, adAccount: AdAccount): Promise<OutsideTenant> {
  const mark = (): string => `mark-${randomToken(10)}`
  const { body: organization } = await operatorCall(test, 201, 'POST', '/organizations', { body: { name: mark() } })
  const maker = new Maker(test, organization.id, organization.name, adAccount)
  await maker.makeAll()
  return maker.tenant
}

class Maker {
  readonly tenant: OutsideTenant
  private readonly ids: Record<string, string>
  private readonly marks = new Set<string>()

  constructor(
    private readonly test: TestApp,
    organizationId: string,
    name: string,
    private readonly adAccount: AdAccount,
  ) {
    this.ids = { organizationId }
    this.note(organizationId, name)
    this.tenant = {
      organizationId,
      ids: this.ids,
      marks: this.marks,
      renew: (kinds) => this.renew(kinds),
    } as OutsideTenant
  }

  async makeAll(): Promise<void> {
    const { organizationId } = this.tenant
    const key = (await this.operator(201, 'POST', '/keys', { name: this.mark() })) as { id: string; secret: string }
    this.note(key.id, key.secret)
    this.tenant.tenant = Tenant.of(this.test, organizationId, key)
    this.tenant.approver = await Member.create(this.test, { organizationId, role: 'ADMIN', mayApprove: true })
    this.note(this.tenant.approver.id, this.tenant.approver.mail)
    await this.makeAdAccount()
    await this.renew(Object.keys(this.makers))
    this.tenant.spare = { ...this.ids, adAccountId: await this.makeSpareAdAccount() }
    await this.renew(Object.keys(this.makers))
    this.tenant.links = await this.makeLinks()
  }

  /** The order lets each maker find what it depends on. */
  private readonly makers: Record<string, () => Promise<void>> = {
    workspaceId: async () => {
      this.ids.workspaceId = (await this.made('POST', '/workspaces', { name: this.mark(), type: 'VIP' })).id
    },
    channelId: () => this.makeChannel(),
    conversationId: async () => {
      const [conversationId, cuid, userName] = [`t_${this.mark()}`, `cu_${this.mark()}`, this.mark()]
      Object.assign(this.ids, { conversationId, cuid })
      this.note(conversationId, cuid)
      const lines = `conversationId,cuid,userName,lifetimeValue\n${conversationId},${cuid},${userName},12.5\n`
      const { channelId, workspaceId } = this.ids
      const headers = { 'content-type': 'text/csv' }
      await this.operator(200, 'POST', `/channels/${channelId}/conversations`, lines, headers)
      await this.operator(200, 'PUT', `/workspaces/${workspaceId}/channels/${channelId}/vips/${conversationId}`)
    },
    fromId: async () => {
      this.ids.fromId = randomDigits(16)
    },
    creativeTemplateId: async () => {
      const body = {
        name: this.mark(),
        superpower: { hashtag: `#${this.mark().replaceAll('-', '')}`, note: this.mark() },
      }
      const { creativeTemplateId, id } = await this.made('POST', '/superpowers', body)
      this.name('creativeTemplateId', creativeTemplateId ?? id)
    },
    mediaId: async () => {
      const path = `/organizations/${this.tenant.organizationId}/media`
      const options = { body: png(1080, 1080), headers: { 'content-type': 'image/png' } }
      const { body } = await operatorCall(this.test, 201, 'POST', path, options)
      this.ids.mediaId = body.id
      this.ids.mediaUrl = body.url ?? `https://media.example/${body.id}.png`
      this.note(body.id, this.ids.mediaUrl!)
    },
    keyId: async () => {
      const { id, secret } = await this.made('POST', '/keys', { name: this.mark() })
      this.name('keyId', id)
      this.note(secret!)
    },
    webhookId: async () => {
      await this.makeRoomForWebhooks()
      const { id, secret } = await this.made('POST', '/webhooks', { url: `https://hooks.example.com/${this.mark()}` })
      this.name('webhookId', id)
      this.note(secret!)
    },
    deliveryId: async () => {
      const { webhookId } = this.ids
      this.name('deliveryId', (await this.made('POST', `/webhooks/${webhookId}/test`, undefined)).id)
    },
    invitationId: async () => {
      const mail = `${this.mark()}@example.com`
      const { id, token } = await this.made('POST', '/invitations', { mail, role: 'VIEWER' })
      this.name('invitationId', id)
      this.note(token!)
    },
    personId: async () => {
      const { organizationId } = this.tenant
      const member = await Member.create(this.test, { organizationId, role: 'VIEWER' })
      Object.assign(this.ids, { personId: member.id, mail: member.mail })
      this.note(member.id, member.mail)
      const { body: sessions } = await member.call(200, 'GET', '/me/sessions')
      this.name('sessionId', sessions[0].id)
    },
    operatorTokenName: async () => {
      const name = `token-${randomToken(10)}`
      await operatorCall(this.test, 201, 'POST', '/server/operator-tokens', { body: { name } })
      this.ids.operatorTokenName = name
    },
    scheduledPostId: async () => {
      this.ids.scheduledPostId = await this.makePost('DRAFT')
    },
    messageId: async () => {
      const path = `/scheduled-posts/${this.ids.scheduledPostId}/discussion`
      this.name('messageId', (await this.made('POST', path, { text: this.mark() })).id)
    },
    seriesId: async () => {
      const rule = { frequency: 'DAILY', time: '09:00', from: this.tomorrow(), count: 2 }
      const { id } = await this.made('POST', `/scheduled-posts/${await this.makePost('DRAFT')}/series`, rule)
      this.name('seriesId', id)
    },
    savedTextId: async () => {
      const body = { kind: 'TEXT', name: this.mark(), text: this.mark() }
      this.name('savedTextId', (await this.made('POST', '/saved-texts', body)).id)
    },
    segmentId: async () => {
      this.name(
        'segmentId',
        (await this.made('POST', '/segments', { name: this.mark(), conditions: { vip: true } })).id,
      )
    },
    linkId: async () => {
      const waiting = await this.makePost('WAITING')
      this.name('linkId', (await this.makeLink(waiting)).id)
    },
    states: async () => {
      for (const state of ['WAITING', 'SCHEDULED', 'REJECTED'] as const) {
        this.ids[`post${state}`] = await this.makePost(state)
      }
    },
  }

  private async renew(kinds: readonly string[]): Promise<void> {
    const wanted = new Set(kinds.map((kind) => RENEWED_WITH[kind] ?? kind))
    if (wanted.has('workspaceId') || wanted.has('channelId')) {
      for (const kind of ['workspaceId', 'channelId', 'conversationId', 'scheduledPostId', 'linkId']) wanted.add(kind)
    }
    if (wanted.has('scheduledPostId')) wanted.add('messageId')
    for (const [kind, make] of Object.entries(this.makers)) if (wanted.has(kind)) await make()
  }

  /** An organization can have at most ten of them. */
  private async makeRoomForWebhooks(): Promise<void> {
    const path = `/organizations/${this.tenant.organizationId}/webhooks`
    const { body } = await operatorCall(this.test, 200, 'GET', path)
    const old = (body as { id: string }[]).filter(({ id }) => id !== this.tenant.spare?.webhookId)
    if (old.length > 5) for (const { id } of old) await operatorCall(this.test, 200, 'DELETE', `${path}/${id}`)
  }

  private async makeChannel(): Promise<void> {
    const platformId = randomDigits(15)
    const { id } = await this.made('POST', '/channels', { type: 'FB_PAGE', platformId, name: this.mark() })
    const accessToken = `EAA${randomToken(20)}`
    Object.assign(this.ids, { channelId: id, platformId })
    this.note(id, platformId, accessToken)
    await this.operator(200, 'PATCH', `/channels/${id}`, { accessToken, check: false })
    await this.operator(200, 'PUT', `/workspaces/${this.ids.workspaceId}/channels/${id}`)
  }

  private async makeAdAccount(): Promise<void> {
    const { adAccountId: id, campaignId, accessToken } = this.adAccount
    const body = { id, name: this.mark(), currency: 'BRL', timezone: 'America/Sao_Paulo', accessToken }
    await this.operator(201, 'POST', '/ad-accounts', body)
    Object.assign(this.ids, { adAccountId: id, campaignId, accessToken })
    this.note(id, campaignId)
  }

  private async makeSpareAdAccount(): Promise<string> {
    const id = randomDigits(15)
    await this.operator(201, 'POST', '/ad-accounts', { id, name: this.mark(), currency: 'EUR', timezone: 'UTC' })
    this.note(id)
    return id
  }

  private async makePost(state: 'DRAFT' | 'WAITING' | 'SCHEDULED' | 'REJECTED'): Promise<string> {
    const { tenant } = this.tenant
    const scheduledFor = new Date(this.test.clock.now() + 30 * 86_400_000).toISOString()
    const media = { media: 'https://media.example/a.jpg', mediaType: 'IMAGE' }
    const channels = { [this.ids.channelId!]: { caption: this.mark() } }
    const { body } = await tenant.call(201, 'POST', '/scheduled-posts', {
      body: { channels, scheduledFor, notes: this.mark(), ...media },
    })
    this.note(body.id)
    if (state === 'DRAFT') return body.id
    await tenant.call(200, 'POST', `/scheduled-posts/${body.id}/submit-for-approval`)
    if (state === 'REJECTED') {
      await tenant.call(200, 'POST', `/scheduled-posts/${body.id}/reject`, { body: { notes: this.mark() } })
    }
    if (state === 'SCHEDULED') {
      const path = `/organizations/${this.tenant.organizationId}/scheduled-posts/${body.id}`
      const { headers } = await operatorCall(this.test, 200, 'GET', path)
      await operatorCall(this.test, 200, 'POST', `${path}/approve`, { headers: { 'if-match': String(headers.etag) } })
    }
    return body.id
  }

  private async makeLink(postId: string): Promise<{ id: string; token: string }> {
    const path = `/organizations/${this.tenant.organizationId}/review-links`
    await this.tenant.approver.signInAgain()
    const { body } = await this.tenant.approver.call(201, 'POST', path, {
      body: { name: this.mark(), scheduledPostIds: [postId] },
    })
    this.note(body.id, body.token)
    return body
  }

  private async makeLinks(): Promise<OutsideTenant['links']> {
    const [one, other] = [await this.makePost('WAITING'), await this.makePost('WAITING')]
    const [own, elsewhere, revoked] = [await this.makeLink(one), await this.makeLink(other), await this.makeLink(one)]
    const path = `/organizations/${this.tenant.organizationId}/review-links/${revoked.id}`
    await this.tenant.approver.call(200, 'DELETE', path)
    return { own: own.token, other: elsewhere.token, revoked: revoked.token }
  }

  /** A call below the organization; returns the body. */
  private async operator(
    status: number,
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Reply['body']> {
    const whole = `/organizations/${this.tenant.organizationId}${path}`
    return (await operatorCall(this.test, status, method, whole, { body, headers })).body
  }

  private async made(
    method: 'POST' | 'PUT',
    path: string,
    body: object | undefined,
    status = 201,
  ): Promise<{ id: string; secret?: string; token?: string; creativeTemplateId?: string }> {
    const answer = await this.operator(status, method, path, body)
    if (answer.id !== undefined) this.note(answer.id)
    return answer
  }

  /** Tomorrow, by the test's clock. */
  private tomorrow(): string {
    return new Date(this.test.clock.now() + 86_400_000).toISOString().slice(0, '2026-01-31'.length)
  }

  private mark(): string {
    const made = `mark-${randomToken(10)}`
    this.marks.add(made)
    return made
  }

  private name(kind: string, id: string): void {
    this.ids[kind] = id
    this.note(id)
  }

  private note(...values: string[]): void {
    for (const value of values) {
      expect(value?.length, `${value} is long enough to be distinguishable`).toBeGreaterThan(8)
      this.marks.add(value)
    }
  }
}

/** Kinds that are created together with another. */
const RENEWED_WITH: Record<string, string> = {
  cuid: 'conversationId',
  mail: 'personId',
  sessionId: 'personId',
  platformId: 'channelId',
  mediaUrl: 'mediaId',
}

/** Unused ids of the same form. */
export function missingLike(ids: Ids): Ids {
  const change = (value: string): string =>
    /^\d+$/.test(value)
      ? randomDigits(value.length)
      : /^[A-Z_]+_\d+$/.test(value)
        ? value.replace(/\d+$/, (digits) => randomDigits(digits.length))
        : value.replace(/(?<=_|^|-)[\w-]{8,22}(?=$|@|\/|\.\w+$)/g, (part) => randomToken(part.length))
  return Object.fromEntries(Object.entries(ids).map(([kind, value]) => [kind, change(value)]))
}

/** The owners of a key see its refusals, and any caller may name the key. */
const TABLE_ABOUT_CALLERS = 'key_refusals'

/** Returns every row of the organization and its people, as text, by table, except the refusals of its keys. */
export async function rowsOf(
  database: Database,
  { organizationId, approver, ids }: OutsideTenant,
): Promise<Map<string, string[]>> {
  const { rows: columns } = await database.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name in ('organization_id', 'person_id')
      order by 1, 2`,
  )
  const found = new Map<string, string[]>()
  for (const { table, column } of columns) {
    if (table === TABLE_ABOUT_CALLERS) continue
    const values = column === 'organization_id' ? [organizationId] : [approver.id, ids.personId!]
    const { rows } = await database.query<{ row: string }>(
      `select to_jsonb(t)::text as row from "${table}" t where "${column}"::text = any($1::text[]) order by 1`,
      [values],
    )
    found.set(
      `${table} by ${column}`,
      rows.map(({ row }) => row),
    )
  }
  return found
}
