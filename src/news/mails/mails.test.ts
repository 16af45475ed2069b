import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { gate } from '../../../test/gate.js'
import { Member, operatorCall, type Reply, Tenant, type TestApp } from '../../../test/harness.js'
import { type MailServer, type ReceivedMail, startMailServer } from '../../../test/mail-server.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { inLongSuite } from '../../../test/runs.js'
import { takeApp, takeEmptyApp } from '../../../test/test-app.js'
import type { EventType } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import type { Wait } from '../../lib/wait.js'
import { type EventToRecord, recordEvent } from '../events.store.js'
import { createNotifier, type NotifierOptions, startNotifier } from '../notifier.js'
import { RETRIES } from '../retries.js'
import { createSmtp, type Smtp } from './smtp.js'

const PUBLIC_URL = 'https://greenroom.example/app'
const FROM = 'Greenroom <greenroom@example.com>'

let server: MailServer
let app: TestApp
let tenant: Tenant
beforeEach(async () => {
  server = await startMailServer()
  app = await takeEmptyApp({ mail: { url: server.url, from: FROM }, http: { publicUrl: PUBLIC_URL } })
  tenant = await Tenant.create(app)
})
afterEach(() => Promise.all([server.close(), app.app.close()]))

const tick = (options: NotifierOptions = {}): Promise<void> =>
  createNotifier(app.context, { jitter: (ms) => ms, ...options }).tick()

const member = (role: 'VIEWER' | 'EDITOR' | 'ADMIN', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })

const invite = (mail = 'zoe@example.org'): Promise<Reply> =>
  operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/invitations`, {
    body: { mail, role: 'EDITOR' },
  })

async function submit(count = 1): Promise<void> {
  const page = await tenant.channel()
  for (let i = 0; i < count; i++) {
    const id = await insertPost(tenant, { ...publishable(page), status: 'DRAFT' })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
  }
}

const emit = <Type extends EventType>(type: Type, data: EventToRecord<Type>['data']): Promise<void> => {
  const { organizationId } = tenant
  return recordEvent(app.context.database, { organizationId, type, at: new Date(app.clock.now()), data })
}
const emitFailure = (): Promise<void> => emit('post.failed', { scheduledPostId: 'none' })

const header = ({ source }: ReceivedMail, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(source.split('\r\n\r\n')[0]!.replaceAll(/\r\n[ \t]/g, ' '))?.[1]
const subjects = (): string[] => server.mails.map(({ subject }) => subject)
const receivers = (): string[] => server.mails.flatMap(({ to }) => to).toSorted()
async function pending(): Promise<unknown[]> {
  const { rows } = await app.context.database.query(
    'select kind, count, attempts from mails where organization_id = $1 and next_attempt_at is not null',
    [tenant.organizationId],
  )
  return rows
}

describe('an invitation', () => {
  test('has a short name of the organization on one line, as entered by the inviter', async () => {
    const name = `Bank\u202E support\r\nReset your "password" at\u200B once, or ${'lose it '.repeat(12)}`
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { name } })
    await invite()
    await tick()
    const [mail] = server.mails
    const shown = "Bank support Reset your 'password' at once, or lose it lose…"
    expect([...shown]).toHaveLength(60)
    expect(mail!.text).toContain(`calls itself "${shown}"; the person who invites you chose this name.`)
    expect(mail!.source).not.toMatch(/lose it lose it lose it/)
    expect(mail!.subject).not.toContain('\u202E')
  })

  test.runIf(inLongSuite())(
    'of one organization waits for at most one email of another, whatever that has to send',
    async () => {
      for (let n = 0; n < 30; n++) await invite(`flood-${n}@example.org`)
      const other = await Tenant.create(app)
      app.clock.advance(1_000)
      await operatorCall(app, 201, 'POST', `/organizations/${other.organizationId}/invitations`, {
        body: { mail: 'awaited@example.org', role: 'EDITOR' },
      })
      await tick()
      expect(server.mails).toHaveLength(31)
      expect(server.mails.findIndex(({ to }) => to.includes('awaited@example.org'))).toBeLessThan(2)
    },
  )

  test('is mailed with its own link, which the inviter does not see and which is not in the database', async () => {
    const { body } = await invite()
    const stored = async (): Promise<string> => {
      const tables = ['events', 'mails', 'invitations', 'audit_trail']
      const rows = await Promise.all(tables.map((name) => app.context.database.query(`select * from ${name}`)))
      return JSON.stringify(rows.map((found) => found.rows))
    }
    expect(await stored()).not.toContain(body.token)
    await tick()
    expect(server.mails).toHaveLength(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({ from: 'greenroom@example.com', to: ['zoe@example.org'] })
    expect(header(mail!, 'From')).toBe(FROM)
    expect(mail!.subject).toBe('You have been invited to an organization called "Test"')
    expect(header(mail!, 'Content-Type')).toContain('text/plain')
    const link = /(\S+)#invitation=([\w-]{43})\r\n/.exec(mail!.source.replaceAll('=3D', '='))!
    expect(link[1]).toBe(`${PUBLIC_URL}/`)
    expect(link[2]).not.toBe(body.token)
    for (const token of [body.token, link[2]]) expect(await stored()).not.toContain(token)
    const { rows } = await app.context.database.query('select from mails where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
  })

  test('is not mailed if it was revoked in the meantime', async () => {
    const { body } = await invite()
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/invitations/${body.id}`)
    await tick()
    expect(server.mails).toEqual([])
    expect(await pending()).toEqual([])
  })

  test('leaves nothing to send without a mail server', async () => {
    app = await takeApp({}, { database: app.context.database })
    tenant = tenant.on(app)
    await invite()
    await submit()
    await tick()
    const { rows } = await app.context.database.query(
      'select organization_id from mails where organization_id = $1 union all select organization_id from events where organization_id = $1',
      [tenant.organizationId],
    )
    expect(rows).toEqual([])
  })
})

describe('emails to members', () => {
  test('tell approvers about waiting posts in one email', async () => {
    const approvers = [await member('VIEWER', true), await member('ADMIN', true)]
    await member('ADMIN')
    await submit(3)
    await tick()
    expect(receivers()).toEqual(approvers.map(({ mail }) => mail).toSorted())
    expect(subjects()).toEqual(Array(2).fill('3 posts of Test wait for approval'))
    expect(server.mails[0]!.source).toContain(`${PUBLIC_URL}/o/${tenant.organizationId}/approvals`)
    expect(header(server.mails[0]!, 'Auto-Submitted')).toBe('auto-generated')
  })

  test('follow ten minutes later with everything since', async () => {
    await member('VIEWER', true)
    await submit()
    await tick()
    await submit(2)
    app.clock.advance(limit('mailGatherMs') - 1)
    await tick()
    expect(server.mails).toHaveLength(1)
    app.clock.advance(1)
    await tick()
    app.clock.advance(limit('mailGatherMs'))
    await tick()
    expect(subjects()).toEqual(['A post of Test waits for approval', '2 posts of Test wait for approval'])
    await submit()
    await tick()
    expect(server.mails).toHaveLength(3)
    const ids = server.mails.map((mail) => header(mail, 'Message-ID'))
    expect(new Set(ids).size).toBe(3)
  })

  test('tell admins about failures, and no one about imports', async () => {
    const admin = await member('ADMIN')
    await member('EDITOR', true)
    await emitFailure()
    await emit('token.refused', { channelId: 'none' })
    await emit('import.finished', { channelId: 'none', imported: 1, erased: 0, rejected: 0 })
    await tick()
    expect(receivers()).toEqual([admin.mail, admin.mail])
    expect(subjects().toSorted()).toEqual([
      'A post of Test was not published',
      'Test must be reconnected to its platform',
    ])
  })

  test('are switched off and on by a member, and not by people who are not members', async () => {
    const admin = await member('ADMIN')
    const path = `/organizations/${tenant.organizationId}/own-notifications`
    const kinds = ['returned', 'approved', 'failed', 'mentioned', 'replied']
    expect((await admin.call(200, 'GET', path)).body).toEqual({ mails: true, kinds, available: true })
    expect((await admin.call(200, 'PUT', path, { body: { mails: false } })).body).toEqual({
      mails: false,
      kinds,
      available: true,
    })
    expect((await admin.call(200, 'GET', path)).body).toEqual({ mails: false, kinds, available: true })
    await emitFailure()
    await tick()
    expect(server.mails).toEqual([])
    await admin.call(200, 'PUT', path, { body: { mails: true } })
    await emitFailure()
    await tick()
    expect(receivers()).toEqual([admin.mail])
    const owner = await Member.create(app, { owner: true })
    expect((await owner.call(200, 'GET', path)).body).toEqual({ mails: false, kinds: [], available: false })
    const refused = await owner.call(404, 'PUT', path, { body: { mails: true } })
    expect(refused.headers['x-error-code']).toBe('member_not_found')
  })

  test('do not go to people who are no longer concerned when they are sent', async () => {
    const [gone, deactivated, demoted] = [await member('ADMIN'), await member('ADMIN'), await member('ADMIN')]
    await emitFailure()
    const away = createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' })
    await tick({ smtp: away })
    const members = `/organizations/${tenant.organizationId}/members`
    await operatorCall(app, 200, 'DELETE', `${members}/${gone.id}`)
    await operatorCall(app, 200, 'PATCH', `/server/people/${deactivated.id}`, { body: { active: false } })
    await operatorCall(app, 200, 'PATCH', `${members}/${demoted.id}`, { body: { role: 'EDITOR' } })
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    expect(server.mails).toEqual([])
    expect(await pending()).toEqual([])
  })

  test('get no header or recipient from names with several lines', async () => {
    const admin = await member('ADMIN')
    const name = 'Eve\r\nBcc: victim@example.org\r\n\r\nclick here\u2028x'
    await app.context.database.query('update people set name = $2 where person_id = $1', [admin.id, name])
    await app.context.database.query('update organizations set name = $2 where organization_id = $1', [
      tenant.organizationId,
      name,
    ])
    await emitFailure()
    await invite()
    await tick()
    expect(receivers()).toEqual([admin.mail, 'zoe@example.org'].toSorted())
    for (const mail of server.mails) {
      expect(header(mail, 'Bcc')).toBeUndefined()
      expect(mail.source).not.toMatch(/^(Bcc|click)/im)
    }
  })
})

describe('a mail server', () => {
  test('that refuses a recipient gets no further attempt for them, and the emails for others', async () => {
    const [refused, taken] = [await member('ADMIN'), await member('ADMIN')]
    server.refused.add(refused.mail)
    await emitFailure()
    await tick()
    expect(receivers()).toEqual([taken.mail])
    expect(await pending()).toEqual([])
  })

  test('that is unavailable is retried, and gets the emails when it is back', async () => {
    await invite()
    const { port } = new URL(server.url)
    await server.close()
    await tick()
    expect(await pending()).toEqual([{ kind: 'invitation', count: 1, attempts: 1 }])
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    server = await startMailServer({}, Number(port))
    await tick()
    expect(server.mails).toEqual([])
    app.clock.advance(RETRIES.waitsMs[1]!)
    await tick()
    expect(receivers()).toEqual(['zoe@example.org'])
  })

  test('that is unavailable too long does not get emails that are outdated by then', async () => {
    await member('ADMIN')
    await emitFailure()
    await tick({ smtp: createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' }) })
    app.clock.advance(limit('mailAgeMs') + 1)
    await tick()
    expect(server.mails).toEqual([])
    expect(await pending()).toEqual([])
  })

  test('gets an email again, with the same id, if the process was killed before it was stored as sent', async () => {
    await invite()
    const { database } = app.context
    const killed: typeof database = {
      ...database,
      query: (text, values) =>
        text.startsWith('delete from mails')
          ? Promise.reject(new Error('the process was killed'))
          : database.query(text, values),
    }
    await expect(createNotifier({ ...app.context, database: killed }).tick()).rejects.toThrow('killed')
    await tick()
    expect(server.mails).toHaveLength(1)
    app.clock.advance(120_000)
    await tick()
    expect(server.mails).toHaveLength(2)
    const [first, second] = server.mails.map((mail) => header(mail, 'Message-ID'))
    expect(first).toBe(second)
  })

  test('that hangs delays a stop only for seconds, not until it answers', async () => {
    await invite()
    const called = gate()
    const smtp: Smtp = {
      send() {
        called.open()
        return new Promise(() => {})
      },
      verify: async () => {},
      close() {},
    }
    const wait: Wait = (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    const notifier = startNotifier(app.context, { smtp, wait })
    await called.opened
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const stopped = notifier.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    await stopped
  })

  test('gets an email in the next round, even if the round fails before the emails', async () => {
    await invite()
    const send = () => Promise.reject(new Error('The server is away.'))
    await tick({ smtp: { send, verify: async () => {}, close() {} } })
    const { database } = app.context
    const query: typeof database.query = (text, values) =>
      text.includes('from events')
        ? Promise.reject(new Error('The outbox is unreadable.'))
        : database.query(text, values)
    const waits: { ms: number; end(): void }[] = []
    const wait: Wait = (ms, signal) =>
      new Promise((end) => {
        waits.push({ ms, end })
        signal?.addEventListener('abort', () => end())
      })
    const notifier = startNotifier({ ...app.context, database: { ...database, query } }, { wait })
    await vi.waitFor(() => expect(waits).toHaveLength(4))
    expect(server.mails).toEqual([])
    app.clock.advance(RETRIES.after(0)!)
    waits.toSorted((a, b) => a.ms - b.ms)[0]!.end()
    await vi.waitFor(() => expect(server.mails).toHaveLength(1), { timeout: 5_000 })
    await notifier.stop()
  })

  test('gets each email from only one of two processes', async () => {
    const mails = Array.from({ length: 8 }, (_, index) => `person${index}@example.org`)
    for (const mail of mails) await invite(mail)
    await Promise.all([tick(), tick()])
    expect(receivers()).toEqual(mails)
  })

  test('with an untrusted certificate gets nothing after STARTTLS', async () => {
    const tls = await startMailServer({ disabledCommands: ['AUTH'] })
    await invite()
    await tick({ smtp: createSmtp({ url: tls.url, from: FROM, tls: 'required' }) })
    expect(tls.mails).toEqual([])
    expect(await pending()).toMatchObject([{ kind: 'invitation', attempts: 1 }])
    await tls.close()
  })

  // Addresses of this machine that do not count as loopback.
  const byNetwork = ({ url }: MailServer): string => url.replace('127.0.0.1', '0.0.0.0')

  test.each([
    ['offers no TLS', { disabledCommands: ['STARTTLS', 'AUTH'] }, 'ETLS'],
    ['is made to look as if it offered no TLS', { disabledCommands: ['AUTH'], hideSTARTTLS: true }, ''],
    ['knows no EHLO', { disabledCommands: ['EHLO', 'AUTH'] }, 'ETLS'],
    ['has an untrusted certificate', { disabledCommands: ['AUTH'] }, ''],
  ] as const)('on another machine that %s gets no email, with a user or without', async (_, options, reason) => {
    const plain = await startMailServer({ ...options, disabledCommands: [...options.disabledCommands] })
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    for (const url of [byNetwork(plain), byNetwork(plain).replace('//', '//me:secret@')]) {
      await app.context.database.execute('delete from mails')
      await invite(`${url.length}@example.org`)
      const smtp = createSmtp({ url, from: FROM, tls: 'required' })
      await createNotifier({ ...app.context, log }, { jitter: (ms) => ms, smtp }).tick()
      expect(await pending()).toMatchObject([{ kind: 'invitation', attempts: 1 }])
    }
    expect(plain.mails).toEqual([])
    for (const line of lines.map((text) => JSON.parse(text))) {
      if (reason === '') expect(line).not.toHaveProperty('remedy')
      else expect(line).toMatchObject({ reason, remedy: expect.stringContaining('SMTP_TLS=off') })
    }
    await plain.close()
  })

  test('on another machine gets emails without TLS if the operator allows it', async () => {
    await invite()
    await tick({ smtp: createSmtp({ url: byNetwork(server), from: FROM, tls: 'off' }) })
    expect(server.mails).toHaveLength(1)
  })

  test('gets user and password, and is retried if it refuses them', async () => {
    const seen: unknown[] = []
    const guarded = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth({ username, password }, _, callback) {
        seen.push([username, password])
        if (password === 'p@ss/word') callback(null, { user: username })
        else callback(Object.assign(new Error('no'), { responseCode: 535 }))
      },
    })
    const url = (password: string): string =>
      guarded.url.replace('//', `//user%40example.com:${encodeURIComponent(password)}@`)
    await invite()
    await tick({ smtp: createSmtp({ url: url('wrong'), from: FROM, tls: 'required' }) })
    expect(await pending()).toMatchObject([{ attempts: 1 }])
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick({ smtp: createSmtp({ url: url('p@ss/word'), from: FROM, tls: 'required' }) })
    expect(guarded.mails).toHaveLength(1)
    expect(seen).toEqual([
      ['user@example.com', 'wrong'],
      ['user@example.com', 'p@ss/word'],
    ])
    await guarded.close()
  })
})
