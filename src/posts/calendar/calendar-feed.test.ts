import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost } from '../../../test/posts.js'

let app: TestApp
let tenant: Tenant
let viewer: Member
beforeAll(async () => {
  app = await startTestApp({ http: { publicUrl: 'https://plan.example.com/greenroom' } })
})
beforeEach(async () => {
  app.clock.advance(3_600_000)
  tenant = await Tenant.create(app)
  viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
})

const own = () => `/organizations/${tenant.organizationId}/own-calendar-feed`
const issue = async (person = viewer): Promise<string> => (await person.call(201, 'POST', own())).body.path
async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await app.app.inject({ method: 'GET', url: path, headers })
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, bytes: answer.rawPayload }
}
const statusOf = async (path: string): Promise<number> => (await get(path)).status
const inDays = (days: number): Date => new Date(app.clock.now() + days * 86_400_000)

interface Line {
  name: string
  value: string
}
interface Component {
  name: string
  lines: Line[]
  parts: Component[]
}

/** Reads iCalendar as RFC 5545 defines it, and throws if any byte is wrong. */
function parseStrictly(bytes: Buffer): Component {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (!text.endsWith('\r\n') || /[^\r]\n|\r[^\n]/.test(text)) throw new Error('a line does not end with CRLF')
  const physical = text.slice(0, -2).split('\r\n')
  for (const line of physical) {
    // Half a character would not be valid UTF-8.
    if (Buffer.byteLength(line) > 75) throw new Error(`longer than 75 octets: ${line}`)
    if (line === '') throw new Error('an empty line')
  }
  const logical: string[] = []
  for (const line of physical) {
    if (/^[ \t]/.test(line)) logical[logical.length - 1] += line.slice(1)
    else logical.push(line)
  }
  const root: Component = { name: '', lines: [], parts: [] }
  const open = [root]
  for (const line of logical) {
    const [, name, value] = /^([A-Z-]+)(?:;[A-Z-]+=[^:;,"]+)*:(.*)$/s.exec(line) ?? []
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format has none but the tab
    if (name === undefined || value === undefined || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      throw new Error(`no content line: ${line}`)
    }
    if (name === 'BEGIN') {
      const part: Component = { name: value, lines: [], parts: [] }
      open.at(-1)!.parts.push(part)
      open.push(part)
    } else if (name === 'END') {
      if (open.pop()!.name !== value) throw new Error(`${value} ends where it has not begun`)
    } else open.at(-1)!.lines.push({ name, value })
  }
  const [calendar, ...others] = root.parts
  if (open.length !== 1 || others.length > 0 || calendar?.name !== 'VCALENDAR') throw new Error('no single VCALENDAR')
  if (calendar.parts.length === 0) throw new Error('a calendar without a component')
  for (const { name, lines } of calendar.parts) {
    if (name !== 'VEVENT') continue
    for (const needed of ['UID', 'DTSTAMP', 'DTSTART']) {
      if (lines.filter((line) => line.name === needed).length !== 1) throw new Error(`not one ${needed}`)
    }
  }
  return calendar
}

/** Throws if a TEXT contains an unescaped character. */
function unescapeText(value: string): string {
  if (!/^(?:[^\\;,]|\\[\\;,nN])*$/s.test(value)) throw new Error(`not escaped: ${value}`)
  return value.replaceAll(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign))
}

const readValue = ({ lines }: Component, name: string): string => lines.find((line) => line.name === name)!.value
const eventsOf = (bytes: Buffer): Component[] => parseStrictly(bytes).parts.filter(({ name }) => name === 'VEVENT')

describe('the calendar at a secret address', () => {
  test('has the posts from 30 days ago to 180 days ahead, in UTC, in a form that a strict reader accepts', async () => {
    const channelId = await tenant.channel([], 'FB_PAGE', 'Café; Bar, "Süd" \\ 🥐')
    const caption = `Line one, with; a \\ and ${'👩‍🍳é'.repeat(40)}\r\nline two\ttab\u0007 \u{1F950}`
    const insert = (days: number, more: object = {}) =>
      insertPost(tenant, {
        channels: [{ channelId, caption }],
        scheduledFor: inDays(days),
        status: 'SCHEDULED',
        ...more,
      })
    const id = await insert(3)
    await insert(-29, { status: 'PUBLISHED' })
    await insert(178, { status: 'DRAFT' })
    await insert(-32)
    await insert(182)
    await insertPost(tenant)
    const { status, headers, bytes } = await get(await issue())
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8')
    const events = eventsOf(bytes)
    expect(events.map((event) => readValue(event, 'STATUS'))).toEqual(['CONFIRMED', 'CONFIRMED', 'TENTATIVE'])
    const event = events[1]!
    expect(unescapeText(readValue(event, 'UID'))).toBe(`${id}.${tenant.organizationId}@greenroom`)
    expect(readValue(event, 'DTSTART')).toBe(`${inDays(3).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`)
    expect(readValue(event, 'DTSTAMP')).toMatch(/^\d{8}T\d{6}Z$/)
    expect(unescapeText(readValue(event, 'SUMMARY'))).toMatch(/^Scheduled: Line one, with; a \\ and 👩‍🍳é/)
    expect(unescapeText(readValue(event, 'DESCRIPTION'))).toBe(
      `Café; Bar, "Süd" \\ 🥐\n\nLine one, with; a \\ and ${'👩‍🍳é'.repeat(40)}\nline two\ttab 🥐`,
    )
    expect(readValue(event, 'URL')).toBe(`https://plan.example.com/greenroom/o/${tenant.organizationId}/posts/${id}`)
  })

  test('splits no character at any line length', async () => {
    const channelId = await tenant.channel()
    for (let length = 0; length < 12; length++) {
      const caption = `${'x'.repeat(length)}${'🥐é€'.repeat(30)}`
      await insertPost(tenant, { channels: [{ channelId, caption }], scheduledFor: inDays(1 + length) })
    }
    const events = eventsOf((await get(await issue())).bytes)
    expect(events.map((event) => unescapeText(readValue(event, 'DESCRIPTION')).split('\n').at(-1))).toEqual(
      Array.from({ length: 12 }, (_, length) => `${'x'.repeat(length)}${'🥐é€'.repeat(30)}`),
    )
  })

  test('is valid without posts, and an event keeps its UID when the post changes', async () => {
    const path = await issue()
    expect(eventsOf((await get(path)).bytes)).toEqual([])
    const id = await insertPost(tenant, { scheduledFor: inDays(1) })
    const before = eventsOf((await get(path)).bytes)[0]!
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { scheduledFor: inDays(2).toISOString() } })
    const after = eventsOf((await get(path)).bytes)[0]!
    expect(readValue(after, 'UID')).toBe(readValue(before, 'UID'))
    expect(Number(readValue(after, 'SEQUENCE'))).toBeGreaterThan(Number(readValue(before, 'SEQUENCE')))
    expect(readValue(after, 'DTSTART')).not.toBe(readValue(before, 'DTSTART'))
  })

  test('answers 304 while nothing has changed', async () => {
    const channelId = await tenant.channel()
    const id = await insertPost(tenant, { channels: [{ channelId, caption: 'a' }], scheduledFor: inDays(1) })
    const path = await issue()
    const etag = (await get(path)).headers.etag!
    expect(await get(path, { 'if-none-match': `"x", W/${etag}` })).toMatchObject({ status: 304, text: '' })
    const changes = [
      () => tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'b' } }),
      () =>
        operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}/channels/${channelId}`, {
          body: { name: 'B' },
        }),
      () => tenant.call(200, 'DELETE', `/scheduled-posts/${id}`),
      () => app.clock.advance(86_400_000),
    ]
    const etags = [etag]
    for (const change of changes) {
      await change()
      const { status, headers } = await get(path, { 'if-none-match': etags.at(-1)! })
      expect(status).toBe(200)
      etags.push(headers.etag!)
    }
    expect(new Set(etags).size).toBe(5)
  })
})

describe('a calendar address', () => {
  test('belongs to one person, and its token is shown once and stored only as a hash', async () => {
    expect((await viewer.call(200, 'GET', own())).body).toEqual({ createdAt: null })
    const { body } = await viewer.call(201, 'POST', own())
    expect(body.path).toBe(`/calendar-feeds/${body.token}.ics`)
    expect((await viewer.call(200, 'GET', own())).body).toEqual({ createdAt: body.createdAt })
    const other = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    expect((await other.call(200, 'GET', own())).body).toEqual({ createdAt: null })
    const { rows } = await app.context.database.query<{ token_hash: string }>(
      'select token_hash from calendar_feeds where organization_id = $1',
      [tenant.organizationId],
    )
    expect(rows).toEqual([{ token_hash: expect.any(String) }])
    expect(rows[0]!.token_hash).not.toContain(body.token)
    const trail = await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)
    expect(trail.body.items[0]).toMatchObject({
      operation: 'createOwnCalendarFeed',
      target: { type: 'user', id: viewer.id },
    })
    expect(JSON.stringify(trail.body)).not.toContain(body.token)
  })

  test('stays out of the log', async () => {
    const lines: string[] = []
    const logged = await startTestApp({}, pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }))
    const token = 'a'.repeat(43)
    await logged.app.inject({ method: 'GET', url: `/calendar-feeds/${token}.ics` })
    expect(lines.join('')).toContain('calendar_feed_not_found')
    expect(lines.join('')).not.toContain(token)
  })

  test('ends when it is replaced or deleted', async () => {
    const first = await issue()
    const second = await issue()
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
    await viewer.call(200, 'DELETE', own())
    expect(await statusOf(second)).toBe(404)
    await viewer.call(404, 'DELETE', own())
  })

  test('ends permanently when the person leaves', async () => {
    const path = await issue()
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${viewer.id}`)
    expect(await statusOf(path)).toBe(404)
    const at = new Date(app.clock.now())
    await app.context.database.query(
      `insert into memberships (organization_id, person_id, role, may_approve, created_at) values ($1, $2, 'VIEWER', false, $3)`,
      [tenant.organizationId, viewer.id, at],
    )
    expect(await statusOf(path)).toBe(404)
  })

  test('does not work while the person or the organization is inactive', async () => {
    const path = await issue()
    const set = (active: boolean) =>
      operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active } })
    await set(false)
    expect(await statusOf(path)).toBe(404)
    await set(true)
    expect(await statusOf(path)).toBe(200)
    await operatorCall(app, 200, 'PATCH', `/server/people/${viewer.id}`, { body: { active: false } })
    expect(await statusOf(path)).toBe(404)
  })

  test('of an owner who is not a member works as long as they are an owner', async () => {
    const owner = await Member.create(app, { owner: true })
    const path = await issue(owner)
    expect(await statusOf(path)).toBe(200)
    await app.context.database.query('update people set owner = false where person_id = $1', [owner.id])
    expect(await statusOf(path)).toBe(404)
  })

  test('looks the same in every way that it can be wrong, and guesses are slowed down', async () => {
    const path = await issue()
    const wrong = [
      'x',
      `${'a'.repeat(43)}.ics`,
      path.slice('/calendar-feeds/'.length, -4),
      `${'a'.repeat(10_000)}.ics`,
      '%00.ics',
    ]
    for (const file of wrong)
      expect([file.slice(0, 50), await statusOf(`/calendar-feeds/${file}`)]).toEqual([file.slice(0, 50), 404])
    const few = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) {
      statuses.push((await few.app.inject({ url: `/calendar-feeds/${'a'.repeat(43)}.ics` })).statusCode)
    }
    expect(statuses.slice(-1)).toEqual([429])
  })
})
