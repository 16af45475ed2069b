import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { startMailServer } from '../../test/mail-server.js'
import { insertKey } from '../access/keys/keys.store.js'
import { insertOrganization } from '../access/organizations.store.js'
import { insertChannel, setChannelToken } from '../channels/channels.store.js'
import { readConfig } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import { recordEvent, takeEvents } from '../news/events.store.js'
import { insertLinkMail } from '../news/mails/mails.store.js'
import { examine, type Finding } from './doctor.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-doctor-'))
const dataDir = join(directory, 'data')
const TOKEN = 'an-operator-token-that-is-secret'
const PASSPHRASE = 'a passphrase that is secret'

/** Replaces the platform and a proxy: the test sets its clock, and whether it is one of ours. */
const platform = { aheadMs: 0, isGreenroom: true }
const server = createServer((_request, response) => {
  response.writeHead(200, {
    date: new Date(Date.now() + platform.aheadMs).toUTCString(),
    ...(platform.isGreenroom && { 'x-request-id': 'req_1' }),
  })
  response.end('{}')
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: dataDir,
  OPERATOR_TOKEN: TOKEN,
  BACKUP_DIR: join(directory, 'backups'),
  BACKUP_PASSPHRASE: PASSPHRASE,
  GRAPH_BASE_URL: url,
  PORT: '0',
  ...more,
})

const of = (findings: Finding[], check: string): Finding[] => findings.filter((finding) => finding.check === check)
const states = (findings: Finding[], check: string): string[] => of(findings, check).map(({ state }) => state)

async function withService(work: (context: AppContext) => Promise<void>): Promise<void> {
  const context = await createContext(readConfig(environment()), { log: pino({ level: 'silent' }) })
  await work(context).finally(() => context.close())
}

test('for a working service everything is ok, also with the command, which changes nothing and shows no secret', async () => {
  await withService(async ({ database, sealer }) => {
    const at = new Date('2026-11-22T00:00:00Z')
    await insertOrganization(database, { organizationId: 'org_a', name: 'A', createdAt: at })
    await insertChannel(database, 'org_a', { channel_id: 'FB_PAGE_1', type: 'FB_PAGE', name: 'Page' })
    await setChannelToken(
      database,
      'org_a',
      'FB_PAGE_1',
      sealer.seal('platform-token', 'channel token org_a/FB_PAGE_1'),
    )
    const now = new Date()
    await database.query(
      "insert into last_backup (made_at, file, bytes, master_key) values ($1, 'x.backup', 1, true)",
      [now],
    )
  })
  // This secret was sealed for another column, so it cannot be opened.
  const findings = await examine({ env: environment() })
  expect(of(findings, 'tokens')).toMatchObject([{ state: 'problem', finding: expect.stringContaining('FB_PAGE_1') }])
  await withService(async ({ database }) => void (await setChannelToken(database, 'org_a', 'FB_PAGE_1', null)))
  const { code, stdout, stderr } = await greenroom(['doctor'], {
    // A version newer than the table of versions has no end on any day of this test.
    env: environment({ PUBLIC_URL: url, TRUST_PROXY: '127.0.0.1', GRAPH_VERSION: 'v999.0' }),
    clock: { now: () => Date.now() },
  })
  const found: Finding[] = JSON.parse(stdout)
  // The data and the backups of the test are in one directory.
  expect(found.filter(({ state }) => state !== 'ok')).toMatchObject([
    { check: 'backups', state: 'warning', finding: expect.stringContaining('on the same disk') },
  ])
  expect(new Set(found.map(({ check }) => check))).toEqual(
    new Set([
      'node',
      'configuration',
      'disk',
      'port',
      'database',
      'master key',
      'backups',
      'clock',
      'proxy',
      'platform',
    ]),
  )
  expect(code).toBe(0)
  for (const secret of [TOKEN, PASSPHRASE]) expect(stdout + stderr).not.toContain(secret)
})

test('every sealed column is checked, including the secrets of events and emails', async () => {
  await withService(async ({ database, clock, sealer }) => {
    const at = new Date(clock.now())
    await insertOrganization(database, { organizationId: 'org_sealed', name: 'Sealed', createdAt: at })
    const invite = async (): Promise<void> => {
      await recordEvent(database, {
        ...{ organizationId: 'org_sealed', type: 'invitation.created', at, data: { invitationId: 'none' } },
        secret: { sealer, plaintext: 'a link' },
      })
      await database.query('update events set secret_sealed = $1', [sealer.seal('a link', 'event of another place')])
    }
    await invite()
    await database.transaction(async (tx) => {
      for (const event of await takeEvents(tx, 1)) await insertLinkMail(tx, 'invitation', event, at)
    })
    await invite()
  })
  const findings = of(await examine({ env: environment() }), 'tokens')
  expect(findings).toEqual([
    expect.objectContaining({
      state: 'problem',
      finding: expect.stringMatching(/^1 of 1 \S+ of events cannot be opened/),
    }),
    expect.objectContaining({
      state: 'problem',
      finding: expect.stringMatching(/^1 of 1 \S+ of emails cannot be opened/),
    }),
  ])
  await withService(async ({ database }) => {
    for (const table of ['events', 'mails', 'organizations']) {
      await database.query(`delete from ${table} where organization_id = 'org_sealed'`)
    }
  })
})

test('each problem has a remedy, and the exit code is 1', async () => {
  platform.aheadMs = 60_000
  platform.isGreenroom = false
  await withService(
    async ({ database }) => void (await database.query("update channels set token_problem = 'Session has expired'")),
  )
  const env = environment({ HOST: '0.0.0.0', OPERATOR_TOKEN: '', PUBLIC_URL: `${url}/prefix`, BACKUP_PASSPHRASE: '' })
  chmodSync(join(dataDir, 'master.key'), 0o644)
  const findings = await examine({ env })
  expect(states(findings, 'clock')).toEqual(['problem'])
  expect(states(findings, 'proxy')).toEqual(['problem', 'warning'])
  expect(of(findings, 'configuration').map(({ state }) => state)).toEqual(['warning', 'warning', 'warning'])
  expect(of(findings, 'master key')[0]).toMatchObject({ state: 'problem', remedy: `chmod 600 ${dataDir}/master.key` })
  expect(states(findings, 'backups')).toContain('warning')
  expect(of(findings, 'tokens')).toMatchObject([
    { state: 'warning', finding: expect.stringContaining('Session has expired') },
  ])
  for (const { state, remedy } of findings) if (state !== 'ok') expect(remedy).not.toBe('')
  chmodSync(join(dataDir, 'master.key'), 0o600)
  platform.aheadMs = 0
  platform.isGreenroom = true

  const wrong = await greenroom(['doctor'], { env: { ...env, PORT: 'http', MASTER_KEY: 'secret-but-no-hex' } })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toBe('There are 2 problems.\n')
  expect(wrong.stdout).toContain('PORT must be a whole number')
  expect(wrong.stdout).not.toContain('secret-but-no-hex')
})

test('a maximum age reports what it ends, before the callers notice', async () => {
  await withService(async ({ database, clock }) => {
    const createdAt = new Date(clock.now() - 80 * 86_400_000)
    await insertOrganization(database, { organizationId: 'org_aged', name: 'Aged', createdAt })
    await insertKey(database, { keyId: 'key_aged', organizationId: 'org_aged', secretSealed: 'x', createdAt })
  })
  const look = async (days: string): Promise<Finding[]> =>
    of(await examine({ env: environment({ KEY_MAX_AGE_DAYS: days }) }), 'maximum age')
  expect(await look('100')).toMatchObject([{ state: 'ok' }])
  expect(await look('90')).toMatchObject([
    {
      state: 'warning',
      finding: 'Because of KEY_MAX_AGE_DAYS, keys expire within 14 days (1) or have expired (0), such as key_aged.',
    },
  ])
  expect(await look('30')).toMatchObject([{ state: 'warning', finding: expect.stringContaining('have expired (1)') }])
  expect(of(await examine({ env: environment() }), 'maximum age')).toEqual([])
  await withService(async ({ database }) => {
    await database.query("delete from api_keys where key_id = 'key_aged'")
  })
})

test('another master key, a lost one, and a database in use are reported', async () => {
  const other = await examine({ env: environment({ MASTER_KEY: 'ab'.repeat(32) }) })
  expect(of(other, 'master key')).toMatchObject([
    { state: 'problem', finding: expect.stringMatching('is not the master key') },
  ])
  await withService(async () => {
    // Nothing listens at the port of its configuration.
    const held = await examine({ env: environment({ PORT: '1' }) })
    expect(of(held, 'database')).toMatchObject([
      { state: 'problem', finding: expect.stringMatching('in use by process') },
    ])
    const ready = await examine({ env: environment({ PORT: new URL(url).port }) })
    expect(of(ready, 'database')).toMatchObject([{ state: 'ok' }])
  })
  rmSync(join(dataDir, 'master.key'))
  expect(of(await examine({ env: environment() }), 'master key')).toMatchObject([{ state: 'problem' }])
})

test('a working mail server is ok; one that is unavailable or refuses the password is a problem, shown without the password', async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _, callback) =>
      callback(password === 'right' ? null : new Error('no'), { user: username }),
  })
  const check = async (smtpUrl: string): Promise<Finding[]> => {
    const mail = { SMTP_URL: smtpUrl, MAIL_FROM: 'a@example.com', PUBLIC_URL: url }
    return of(await examine({ env: environment(mail) }), 'mail')
  }
  expect(await check(server.url.replace('//', '//me:right@'))).toMatchObject([{ state: 'ok' }])
  const refused = await check(server.url.replace('//', '//me:pass-word@'))
  await server.close()
  const away = await check(server.url.replace('//', '//me:pass-word@'))
  expect(refused).toMatchObject([{ state: 'problem', remedy: expect.stringContaining('user and a password') }])
  expect(away).toMatchObject([{ state: 'problem', finding: expect.stringContaining('ESOCKET') }])
  expect(JSON.stringify([refused, away])).not.toContain('pass-word')
})

test('a database that does not answer is a problem, shown without its password', async () => {
  const env = environment({ DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:1/none', MASTER_KEY: 'ab'.repeat(32) })
  const findings = await examine({ env })
  expect(of(findings, 'database')).toMatchObject([
    { state: 'problem', finding: expect.stringMatching('No PostgreSQL listens at') },
  ])
  expect(JSON.stringify(findings)).not.toContain('pass-word')
  writeFileSync(join(directory, 'done'), '')
})
