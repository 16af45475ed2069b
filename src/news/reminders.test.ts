import fc from 'fast-check'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ConfigChanges, mergeChanges } from '../../test/config.js'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { type MailServer, startMailServer } from '../../test/mail-server.js'
import { openOwnDatabase } from '../../test/test-database.js'
import { type Receiver, startReceiver } from '../../test/webhook-receiver.js'
import { insertKey } from '../access/keys/keys.store.js'
import type { Database } from '../database/database.js'
import { createSmtp } from './mails/smtp.js'
import { createNotifier } from './notifier.js'
import { takeKeyReminders } from './reminders.store.js'
import { RETRIES } from './retries.js'

const DAY = 86_400_000
const FROM = 'Greenroom <greenroom@example.com>'

let server: MailServer
let receiver: Receiver
let app: TestApp
let tenant: Tenant
beforeEach(async () => {
  ;[server, receiver] = await Promise.all([startMailServer(), startReceiver()])
  app = await start(await openOwnDatabase())
  tenant = await Tenant.create(app)
  await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/webhooks`, {
    body: { url: receiver.url },
  })
})
afterEach(() => Promise.all([server.close(), receiver.close()]))

function start(database: Database, config: ConfigChanges = {}, log = pino({ level: 'silent' })): Promise<TestApp> {
  const smtp = { url: server.url, from: FROM }
  return startTestApp(
    mergeChanges(
      { mail: smtp, http: { publicUrl: 'https://greenroom.example' }, webhooks: { allowsPrivate: true } },
      config,
    ),
    log,
    database,
  )
}

const inDays = (days: number): string => new Date(app.clock.now() + days * DAY).toISOString()
const tick = (test = app): Promise<void> => createNotifier(test.context, { jitter: (ms) => ms }).tick()
async function issue(body: Record<string, unknown>): Promise<string> {
  const path = `/organizations/${tenant.organizationId}/keys`
  return (await operatorCall(app, 201, 'POST', path, { body })).body.id
}
const received = (): { type: string; data: unknown; organizationId: string }[] =>
  receiver.received.map(({ body }) => JSON.parse(body))
const subjects = (): (string | undefined)[] => server.mails.map(({ source }) => /^Subject: (.*)$/im.exec(source)?.[1])
/** Moves the clock by a number of days, an hour at a time, with a tick after each. */
async function pass(days: number): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 6) {
    app.clock.advance(6 * 3_600_000)
    await tick()
  }
}

describe('an expiring key', () => {
  test('is reported 14, 3 and 1 days before, once each, to the webhook and to the admins', async () => {
    const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
    const expiresAt = inDays(20)
    const keyId = await issue({ name: 'warehouse', expiresAt })
    await pass(5.75)
    expect([received(), server.mails]).toEqual([[], []])
    await pass(0.25)
    await tick()
    const event = {
      type: 'key.expiring',
      organizationId: tenant.organizationId,
      data: { keyId, expiresAt },
    }
    expect(received()).toMatchObject([event])
    expect(server.mails.map(({ to }) => to)).toEqual([[admin.mail]])
    expect(subjects()).toEqual(['A key of Test expires soon'])
    expect(server.mails[0]!.source).toContain(`warehouse (${keyId}): Thu, 10 Dec 2026, 09:00 (UTC)`)
    expect(server.mails[0]!.source).toContain(`/o/${tenant.organizationId}/settings/keys`)
    await pass(10.75)
    expect(received()).toHaveLength(1)
    await pass(0.25)
    expect(received()).toHaveLength(2)
    await pass(2)
    expect(received()).toMatchObject([event, event, event])
    await pass(3)
    expect(received()).toHaveLength(3)
    expect(server.mails).toHaveLength(3)
  })

  test('is reported once if a notifier comes back late, and not if it was issued for less time', async () => {
    const late = await issue({ expiresAt: inDays(30) })
    await issue({ expiresAt: inDays(0.5) })
    const short = await issue({ expiresAt: inDays(2) })
    await tick()
    expect(received()).toEqual([])
    app.clock.advance(1.5 * DAY)
    await tick()
    expect(received()).toMatchObject([{ data: { keyId: short } }])
    app.clock.advance(26 * DAY)
    await tick()
    await tick()
    expect(received()).toMatchObject([{ data: { keyId: short } }, { data: { keyId: late } }])
  })

  test('is not reported if it is revoked or expired, or its organization is inactive', async () => {
    const revoked = await issue({ expiresAt: inDays(20) })
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/keys/${revoked}`)
    await issue({ expiresAt: inDays(15) })
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: false } })
    app.clock.advance(10 * DAY)
    await tick()
    app.clock.advance(10 * DAY)
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: true } })
    await tick()
    expect(received()).toEqual([])
  })

  test('is reported in the same way if it expires by the maximum age, even if that was just set', async () => {
    const [first] = (await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/keys`)).body
    app.clock.advance(88 * DAY)
    await tick()
    expect(received()).toEqual([])
    const aged = await start(app.context.database, { access: { keyMaxAgeMs: 90 * DAY } })
    aged.clock.advance(88 * DAY)
    await tick(aged)
    expect(received()).toMatchObject([{ data: { keyId: first.id, expiresAt: inDays(2) } }])
  })

  test('is reported once by two processes at the same time', async () => {
    for (let i = 0; i < 5; i++) await issue({ expiresAt: inDays(20) })
    app.clock.advance(10 * DAY)
    await Promise.all([tick(), tick(), tick()])
    await tick()
    const ids = received().map(({ data }) => (data as { keyId: string }).keyId)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
  })

  test('is reported by the next process if one dies before its transaction ends', async () => {
    await issue({ expiresAt: inDays(20) })
    app.clock.advance(10 * DAY)
    const { database } = app.context
    const killed: typeof database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          await work(tx)
          throw new Error('the process was killed')
        }),
    }
    await createNotifier({ ...app.context, database: killed })
      .tick()
      .catch(() => {})
    expect(received()).toEqual([])
    await tick()
    expect(received()).toHaveLength(1)
  })

  test('has no line in the email if it was revoked in the meantime', async () => {
    await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    const revoked = await issue({ name: 'revoked', expiresAt: inDays(20) })
    const name = 'Kate\r\nBcc: victim@example.org\r\n\r\nclick'
    const kept = await issue({ name, expiresAt: inDays(21) })
    app.clock.advance(10 * DAY)
    const away = createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' })
    await createNotifier(app.context, { jitter: (ms) => ms, smtp: away }).tick()
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/keys/${revoked}`)
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    expect(subjects()).toEqual(['A key of Test expires soon'])
    expect(server.mails[0]!.source).toContain(kept)
    expect(server.mails[0]!.source).not.toMatch(/^(Bcc|click)/im)
  })
})

describe('an expiring operator token', () => {
  test('is reported to the owners and in the log, 14, 3 and 1 days before, once each', async () => {
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const logging = await start(app.context.database, {}, log)
    const owner = await Member.create(app, { owner: true })
    await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body: { name: 'anna', expiresAt: inDays(20) } })
    await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body: { name: 'gone', expiresAt: inDays(20) } })
    await operatorCall(app, 200, 'DELETE', '/server/operator-tokens/gone')
    for (const days of [6, 0, 5, 6, 0, 2, 0, 1]) {
      app.clock.advance(days * DAY)
      logging.clock.advance(days * DAY)
      await tick(logging)
    }
    expect(server.mails.map(({ to }) => to)).toEqual([[owner.mail], [owner.mail], [owner.mail]])
    expect(subjects()[0]).toBe('An operator token expires soon')
    expect(server.mails[0]!.source).toContain('anna, which expires on Thu, 10 Dec 2026, 09:00 (UTC)')
    const warned = lines.filter(({ operatorToken }) => operatorToken === 'anna')
    expect(warned.map(({ days }) => days)).toEqual([14, 3, 1])
    expect(lines.some(({ operatorToken }) => operatorToken === 'gone')).toBe(false)
  })

  test('is also reported if it expires by the maximum age', async () => {
    const aged = await start(app.context.database, { access: { operatorTokenMaxAgeMs: 30 * DAY } })
    const owner = await Member.create(aged, { owner: true })
    await operatorCall(aged, 201, 'POST', '/server/operator-tokens', { body: { name: 'aged' } })
    aged.clock.advance(20 * DAY)
    await tick(aged)
    await tick(aged)
    expect(server.mails.map(({ to }) => to)).toEqual([[owner.mail]])
  })
})

test('reminders for any keys at any times match a plain list', { timeout: 60_000 }, async () => {
  const { database } = app.context
  const secretSealed = app.context.sealer.seal('secret', 'a key of this test')
  const hours = (max: number) => fc.integer({ min: 1, max })
  const ages = fc.array(fc.record({ issued: hours(900), lives: fc.option(hours(900)) }), {
    minLength: 1,
    maxLength: 12,
  })
  const steps = fc.array(hours(200), { minLength: 1, maxLength: 12 })
  const maxAgeHours = fc.option(hours(900))
  await fc.assert(
    fc.asyncProperty(ages, steps, maxAgeHours, async (keys, waits, maxAge) => {
      await database.execute('delete from api_keys')
      const startedAt = app.clock.now()
      const [HOUR, maxAgeMs] = [3_600_000, maxAge === null ? null : maxAge * 3_600_000]
      const made = keys.map(({ issued, lives }, index) => {
        const createdMs = startedAt - issued * HOUR
        const ends = [lives === null ? [] : createdMs + lives * HOUR, maxAgeMs === null ? [] : createdMs + maxAgeMs]
        return { id: `key_${index}`, createdMs, lives, endMs: Math.min(...ends.flat()) }
      })
      for (const { id, createdMs, lives } of made) {
        await insertKey(database, {
          keyId: id,
          organizationId: tenant.organizationId,
          secretSealed,
          createdAt: new Date(createdMs),
          expires_at: lives === null ? null : new Date(createdMs + lives * HOUR),
        })
      }
      const sent = new Map<string, number>()
      let nowMs = startedAt
      for (const wait of waits) {
        nowMs += wait * HOUR
        const expected = made.flatMap(({ id, createdMs, endMs }) => {
          const come = [14, 3, 1].filter((days) => endMs - days * DAY <= nowMs && endMs - days * DAY > createdMs)
          const days = Math.min(...come)
          if (endMs <= nowMs || come.length === 0 || (sent.get(id) ?? 99) <= days) return []
          sent.set(id, days)
          return [{ id, days }]
        })
        const when = { now: new Date(nowMs), maxAgeMs }
        const found = await database.transaction((tx) => takeKeyReminders(tx, when, 100))
        expect(found.map(({ key_id: id, days }) => ({ id, days })).toSorted(byId)).toEqual(expected.toSorted(byId))
      }
    }),
    { numRuns: 25 },
  )
})
const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id)
