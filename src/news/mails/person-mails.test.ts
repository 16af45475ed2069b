import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FROM_OWN_PAGE, Member, operatorCall, send, Tenant, type TestApp } from '../../../test/harness.js'
import { type MailServer, type ReceivedMail, startMailServer } from '../../../test/mail-server.js'
import { takeApp, takeEmptyApp } from '../../../test/test-app.js'
import { limit } from '../../lib/limits.js'
import { createNotifier, type NotifierOptions } from '../notifier.js'
import { notifyPerson, PERSON_NOTICES } from '../notify-person.js'
import { RETRIES } from '../retries.js'
import { createSmtp } from './smtp.js'

const PUBLIC_URL = 'https://greenroom.example/app'
const FROM = 'Greenroom <greenroom@example.com>'
const HOUR = 3_600_000
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

let server: MailServer
let app: TestApp
let person: Member
beforeEach(async () => {
  server = await startMailServer()
  app = await takeEmptyApp({
    mail: { url: server.url, from: FROM },
    http: { publicUrl: PUBLIC_URL, trustProxy: ['127.0.0.1'] },
  })
  person = await Member.create(app)
})
afterEach(() => Promise.all([server.close(), app.app.close()]))

const tick = (options: NotifierOptions = {}): Promise<void> =>
  createNotifier(app.context, { jitter: (ms) => ms, ...options }).tick()

const from = (address: string, userAgent = CHROME) => ({
  ...FROM_OWN_PAGE,
  'x-forwarded-for': address,
  'user-agent': userAgent,
})

const signIn = (address: string, userAgent = CHROME, { mail } = person) =>
  send(app.app, 200, 'POST', '/api/sign-in', {
    body: { mail, password: Member.PASSWORD },
    headers: from(address, userAgent),
  })

const subjectOf = ({ source }: ReceivedMail): string | undefined => /^Subject: (.*)$/im.exec(source)?.[1]
const subjects = (): (string | undefined)[] => server.mails.map(subjectOf)
const waiting = async (): Promise<unknown[]> => {
  const { rows } = await app.context.database.query(
    'select kind, count, attempts from person_mails where next_attempt_at is not null',
  )
  return rows
}

describe('a sign-in', () => {
  test('from a new browser or network is reported to its person, with when, where and what to do', async () => {
    await signIn('203.0.113.9')
    await tick()
    expect(server.mails).toEqual([])
    await signIn('198.51.100.7', FIREFOX)
    await tick()
    const [mail] = server.mails
    expect(server.mails).toHaveLength(1)
    expect(mail!.to).toEqual([person.mail])
    expect(subjectOf(mail!)).toBe('A new sign-in to your account')
    expect(mail!.source).toContain('Fri, 20 Nov 2026, 09:00 (UTC), from 198.51.100.7, with Firefox on Linux')
    expect(mail!.source).toContain('sign out everywhere')
    expect(mail!.source).toContain('change your password')
    expect(mail!.source).toContain('tell the administrator')
    // The address of the console, and nothing that signs in.
    expect(mail!.source.match(/https?:\/\/\S+/g)).toEqual([PUBLIC_URL])
  })

  test('from a known place is not reported: the same address block, even with another browser version', async () => {
    await signIn('203.0.113.9')
    await signIn('203.0.113.200', CHROME.replace('128', '131'))
    await tick()
    expect(server.mails).toEqual([])
    await signIn('203.0.114.9')
    await tick()
    expect(subjects()).toEqual(['A new sign-in to your account'])
    await signIn('2001:db8:1:2::1')
    await tick()
    await signIn('2001:db8:1:3::1')
    await tick()
    expect(server.mails).toHaveLength(2)
  })

  test('stays a known place after its session has ended', async () => {
    await signIn('203.0.113.9')
    await signIn('198.51.100.7')
    await tick()
    app.clock.advance(30 * 24 * HOUR)
    await operatorCall(app, 200, 'DELETE', `/server/people/${person.id}/sessions`)
    await signIn('203.0.113.9')
    await tick()
    expect(server.mails).toHaveLength(1)
  })

  test('with a link or an invitation is also reported, but not the one that makes an account', async () => {
    const tenant = await Tenant.create(app)
    await signIn('203.0.113.9')
    const link = await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)
    await send(app.app, 200, 'POST', '/api/sign-in/link', {
      body: { token: link.body.token },
      headers: from('198.51.100.7'),
    })
    await tick()
    expect(subjects()).toEqual(['A new sign-in to your account'])
    const invite = async (mail: string): Promise<string> =>
      (
        await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/invitations`, {
          body: { mail, role: 'EDITOR' },
        })
      ).body.token
    const accept = async (mail: string, address: string, name?: string): Promise<void> => {
      const body = { token: await invite(mail), password: Member.PASSWORD, name }
      await send(app.app, 200, 'POST', '/api/invitation/accept', { body, headers: from(address) })
    }
    await accept(person.mail, '192.0.2.1')
    await tick()
    expect(subjects().filter((subject) => subject === 'A new sign-in to your account')).toHaveLength(2)
    await accept(`new-${person.mail}`, '192.0.2.1', 'Zoe')
    await tick()
    expect(subjects().filter((subject) => subject === 'A new sign-in to your account')).toHaveLength(2)
  })

  test('is compared with as many browsers and networks as the limit allows', async () => {
    const max = limit('signInPlaces')
    const { database } = app.context
    await database.query(
      `insert into sign_in_places (person_id, browser, network, last_at)
       select $1, 'Edge on Windows', i::text, $2::timestamptz + i * interval '1 second' from generate_series(1, $3) i`,
      [person.id, new Date(app.clock.now() - HOUR), max],
    )
    await signIn('203.0.113.9')
    const { rows } = await database.query<{ network: string }>(
      'select network from sign_in_places where person_id = $1 order by last_at',
      [person.id],
    )
    expect(rows).toHaveLength(max)
    expect(rows.at(-1)).toEqual({ network: '203.0.113.0/24' })
  })
})

describe('a change to an account', () => {
  test('is reported if a password is set', async () => {
    await person.call(200, 'PUT', '/me/password', {
      body: { currentPassword: Member.PASSWORD, newPassword: 'other long words of the tests' },
      headers: from('203.0.113.9'),
    })
    await tick()
    expect(subjects()).toEqual(['Your password was set'])
    expect(server.mails[0]!.source).toContain('from 203.0.113.9, with Chrome on Windows')
    expect(server.mails[0]!.source).not.toContain('long words')
  })

  test.each(PERSON_NOTICES.map((kind) => [kind]))('of the kind %s has its own email', async (kind) => {
    await app.context.database.transaction((tx) =>
      notifyPerson(tx, { kind, personId: person.id, at: new Date(app.clock.now()) }),
    )
    await tick()
    expect(server.mails).toHaveLength(1)
    expect(server.mails[0]!.to).toEqual([person.mail])
    expect(server.mails[0]!.source).toContain('Fri, 20 Nov 2026, 09:00 (UTC)')
    expect(subjects()[0]).not.toBe('undefined')
    expect(server.mails[0]!.source).not.toContain('undefined')
  })

  test('is not reported if it was rolled back', async () => {
    const failed = app.context.database.transaction(async (tx) => {
      await notifyPerson(tx, { kind: 'password-set', personId: person.id, at: new Date(app.clock.now()) })
      throw new Error('the change did not happen')
    })
    await expect(failed).rejects.toThrow()
    await tick()
    expect(server.mails).toEqual([])
  })

  test('gets no text or recipient from what a proxy or browser sends', async () => {
    await signIn('203.0.113.9')
    await signIn('<b>click https://evil.example</b>', 'click https://evil.example')
    await app.context.database.query('update people set name = $2 where person_id = $1', [
      person.id,
      'Eve\r\nBcc: victim@example.org\r\n\r\nclick',
    ])
    await tick()
    expect(server.mails).toHaveLength(1)
    expect(server.mails[0]!.to).toEqual([person.mail])
    expect(server.mails[0]!.source).toContain('from an unknown address, with an unknown browser')
    expect(server.mails[0]!.source).not.toContain('evil')
    expect(server.mails[0]!.source).not.toMatch(/^(Bcc|click)/im)
  })
})

describe('notices', () => {
  const tell = (kind: (typeof PERSON_NOTICES)[number] = 'sign-in'): Promise<void> =>
    app.context.database.transaction((tx) =>
      notifyPerson(tx, { kind, personId: person.id, at: new Date(app.clock.now()) }),
    )

  test('are limited per hour; the last one says so, and the rest comes in one email', async () => {
    const max = limit('noticesPerHour')
    for (let i = 0; i < 3 * max; i++) {
      await tell()
      await tick()
      app.clock.advance(1_000)
    }
    expect(server.mails).toHaveLength(max)
    expect(server.mails.slice(0, -1).some(({ source }) => source.includes('sent after'))).toBe(false)
    expect(server.mails.at(-1)!.source).toContain('sent after 10:00 (UTC)')
    // A flood of one kind does not hide other kinds.
    await tell('password-set')
    await tick()
    expect(subjects().at(-1)).toBe('Your password was set')
    app.clock.advance(HOUR)
    await tick()
    expect(subjects().at(-1)).toBe(`${2 * max} new sign-ins to your account`)
    expect(server.mails).toHaveLength(max + 2)
    expect(server.mails.at(-1)!.source).toContain(`and ${2 * max - 5} before these`)
    expect(await waiting()).toEqual([])
  })

  test('are retried while the mail server is unavailable, and each is sent by only one of two processes', async () => {
    await tell()
    await tick({ smtp: createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' }) })
    expect(await waiting()).toEqual([{ kind: 'sign-in', count: 1, attempts: 1 }])
    app.clock.advance(RETRIES.waitsMs[0]!)
    await Promise.all([tick(), tick()])
    expect(server.mails).toHaveLength(1)
  })

  test('are dropped when the recipient is refused or when they are too old', async () => {
    server.refused.add(person.mail)
    await tell()
    await tick()
    expect(await waiting()).toEqual([])
    server.refused.clear()
    await tell('password-set')
    await tick({ smtp: createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' }) })
    app.clock.advance(limit('mailAgeMs') + 1)
    await tick()
    expect(server.mails).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('do not go to deactivated accounts', async () => {
    await tell()
    await tick({ smtp: createSmtp({ url: 'smtp://127.0.0.1:1', from: FROM, tls: 'required' }) })
    await app.context.database.query('update people set active = false where person_id = $1', [person.id])
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    expect(server.mails).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('leave nothing behind without a mail server', async () => {
    const mute = await takeApp({}, { database: app.context.database })
    await tell()
    await createNotifier(mute.context).tick()
    const { rows } = await app.context.database.query(
      "select organization_id from events where organization_id = 'server'",
    )
    expect(rows).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('that were being sent when the process was killed are sent again with the same id', async () => {
    await tell()
    const { database } = app.context
    const killed: typeof database = {
      ...database,
      query: (text, values) =>
        text.startsWith('update person_mails t set count = count -')
          ? Promise.reject(new Error('the process was killed'))
          : database.query(text, values),
    }
    await expect(createNotifier({ ...app.context, database: killed }).tick()).rejects.toThrow('killed')
    app.clock.advance(120_000)
    await tick()
    const ids = server.mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1])
    expect(ids).toHaveLength(2)
    expect(ids[0]).toBe(ids[1])
  })
})
