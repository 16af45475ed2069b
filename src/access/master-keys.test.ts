import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { type ConfigChanges, withConfig } from '../../test/config.js'
import {
  issueTestKey,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
  TestClock,
} from '../../test/harness.js'
import { runs } from '../../test/runs.js'
import { addTotp, signInHalf, totpCode } from '../../test/second-factors.js'
import { openOwnDatabase, TEST_DATABASE_URL } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { channelTokenContext, setChannelToken } from '../channels/channels.store.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import { SEALED_COLUMNS } from '../database/sealed-column.js'
import { accessTokenContext, insertAdAccount } from '../insights/ad-accounts.store.js'
import type { AuditEntry } from '../interface/generated/types.js'
import { MasterKeyFile } from '../lib/master-key.js'
import { KeyRing, keyIdOf } from '../lib/seal.js'
import { StartError } from '../lib/start-error.js'
import { recordEvent, takeEvents } from '../news/events.store.js'
import { insertLinkMail } from '../news/mails/mails.store.js'
import { insertWebhook, replaceWebhookSecret, webhookSecretContext } from '../news/webhooks/webhooks.store.js'
import { keySecretContext } from './keys/keys.store.js'
import { openMasterKeys } from './master-keys.js'

const OLD = '0a'.repeat(32)
const NEW = '0b'.repeat(32)
const THIRD = '0c'.repeat(32)
const idOf = (key: string): string => keyIdOf(Buffer.from(key, 'hex'))

const clock = new TestClock()
let database: Database

beforeEach(async () => {
  database = await openOwnDatabase()
})

/** Starts a server on the test's database, as if it were a separate process. */
async function start(env: Record<string, string>, config: ConfigChanges = {}): Promise<TestApp> {
  const settings = withConfig(readConfig({ OPERATOR_TOKEN, ...env }), config)
  const context = await createContext(settings, {
    clock,
    log: pino({ level: 'silent' }),
    database,
  })
  onTestFinished(() => context.close())
  // Building an app takes longer than starting, and most servers here are never called.
  let built: Promise<FastifyInstance> | undefined
  const build = (): Promise<FastifyInstance> => {
    built ??= buildApp(context, TEST_OPTIONS)
    return built
  }
  const app = { inject: async (options: InjectOptions) => (await build()).inject(options) } as FastifyInstance
  return { app, context, clock }
}

const both = { MASTER_KEY: NEW, MASTER_KEY_PREVIOUS: OLD }
const rotate = async (app: TestApp, after?: string) =>
  (await operatorCall(app, 200, 'POST', '/server/master-key/rotate', { body: { after } })).body

/** Creates an organization with an API key, a connected channel and a connected ad account. */
async function fill(app: TestApp): Promise<{ tenant: Tenant; channelId: string }> {
  const tenant = await Tenant.create(app)
  const { sealer } = app.context
  const channelId = await tenant.channel([await tenant.workspace()])
  const token = sealer.seal('page token', channelTokenContext(tenant.organizationId, channelId))
  await setChannelToken(database, tenant.organizationId, channelId, token)
  await insertAdAccount(database, tenant.organizationId, {
    ad_account_id: '1',
    name: 'Shop',
    currency: 'EUR',
    timezone: 'UTC',
    access_token_sealed: sealer.seal('ad token', accessTokenContext(tenant.organizationId, '1')),
  })
  return { tenant, channelId }
}

const sealedValues = async (): Promise<string[]> =>
  (
    await database.query<{ sealed: string }>(
      `select secret_sealed as sealed from api_keys union all
       select access_token_sealed from channels where access_token_sealed is not null union all
       select access_token_sealed from ad_accounts where access_token_sealed is not null`,
    )
  ).rows.map(({ sealed }) => sealed)

const keyIds = async (): Promise<string[]> => [
  ...new Set((await sealedValues()).map((sealed) => sealed.split('.')[2]!)),
]

async function problemOf(starting: Promise<unknown>): Promise<string> {
  const error = await starting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StartError)
  return (error as StartError).message
}

describe('the start', () => {
  test('is refused if MASTER_KEY is not the key of the database, even if nothing is sealed yet', async () => {
    await start({ MASTER_KEY: OLD })
    expect(await problemOf(start({ MASTER_KEY: NEW }))).toBe(
      'MASTER_KEY is not the master key of this database and opens none of its secrets: set the key that the database was created with.',
    )
    await start({ MASTER_KEY: OLD })
  })

  test('of several servers at once, with two different keys, succeeds with only one of the keys', async () => {
    const keys = [OLD, NEW, OLD, NEW]
    const results = await Promise.allSettled(keys.map((MASTER_KEY) => start({ MASTER_KEY })))
    const started = new Set(keys.filter((_, index) => results[index]!.status === 'fulfilled'))
    expect(started.size).toBe(1)
  })

  test('creates a key file once, and is refused if the file is later missing or has another key', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-master-key-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    const path = join(dataDir, 'master.key')
    const { tenant } = await fill(await start({ DATA_DIR: dataDir }))
    const key = readFileSync(path, 'utf8')
    await tenant.on(await start({ DATA_DIR: dataDir })).get(200, '/workspaces')

    rmSync(path)
    const missing = `${path} is missing, and no secret in the database can be opened without it: restore it from a backup of the data directory.`
    expect(await problemOf(start({ DATA_DIR: dataDir }))).toBe(missing)
    writeFileSync(path, `${THIRD}\n`)
    expect(await problemOf(start({ DATA_DIR: dataDir }))).toContain(`${path} is not the master key of this database`)
    writeFileSync(path, key)
    await tenant.on(await start({ DATA_DIR: dataDir })).get(200, '/workspaces')
  })
})

test('a secret that cannot be opened causes an internal error and is left unchanged', async () => {
  const app = await start({ MASTER_KEY: OLD })
  const { tenant } = await fill(app)
  const { tenant: other } = await fill(app)
  const damage = (table: string, column: string) =>
    database.query(
      `update ${table} set ${column} = overlay(${column} placing 'AAAA' from 6 for 4) where organization_id = $1`,
      [tenant.organizationId],
    )
  await damage('ad_accounts', 'access_token_sealed')
  const before = await sealedValues()
  const window = 'startDate=2026-11-01&endDate=2026-11-02'
  await tenant.get(500, `/ad-accounts/1/campaigns/daily-insights?${window}`)
  await tenant.get(500, `/campaigns/1/daily-insights?${window}`)
  expect((await tenant.get(200, '/ad-accounts')).body).toHaveLength(1)
  expect(await sealedValues()).toEqual(before)

  await damage('api_keys', 'secret_sealed')
  const fresh = await start({ MASTER_KEY: OLD })
  await tenant.on(fresh).get(500, '/workspaces')
  await other.on(fresh).get(200, '/workspaces')
})

describe('a rotation', () => {
  /** Rotates to the end, with the servers taking turns, and calls `between` after each step. */
  async function rotateAll(apps: TestApp | TestApp[], between: () => Promise<void> = async () => {}) {
    const servers = [apps].flat()
    const steps = []
    let after: string | undefined
    do {
      const step = await rotate(servers[steps.length % servers.length]!, after)
      steps.push(step)
      after = step.after
      await between()
    } while (after !== undefined)
    return steps
  }

  test('reseals everything while servers run, and old and new API keys work on every server after every step', async () => {
    const before = await start({ MASTER_KEY: OLD })
    const { tenant } = await fill(before)
    const keys = runs(3, 600)
    for (let count = 1; count < keys; count++) await issueTestKey(before, tenant.organizationId)
    // Every server has both master keys before the first step and seals under the old one, which may be the only one that
    // other servers have.
    const [one, two] = [await start(both), await start(both)]
    const issued = await issueTestKey(one, tenant.organizationId)
    expect(await keyIds()).toEqual([idOf(OLD)])

    const callers = [tenant, Tenant.of(one, tenant.organizationId, issued)]
    const steps = await rotateAll([one, two], async () => {
      callers.push(Tenant.of(one, tenant.organizationId, await issueTestKey(one, tenant.organizationId)))
      for (const app of [one, two, await start(both)]) {
        for (const caller of callers) await caller.on(app).get(200, '/workspaces')
      }
    })
    expect(steps.map(({ keyId, resealed, unopened, remaining }) => [keyId, resealed, unopened, remaining])).toEqual([
      // A full step, if enough secrets remain.
      ...(keys > 500 ? [[idOf(NEW), 500, 0, keys - 497]] : []),
      [idOf(NEW), (keys + 1) % 500, 0, 2],
      [idOf(NEW), 1, 0, 1],
      [idOf(NEW), 1, 0, 0],
      [idOf(NEW), 0, 0, 0],
    ])
    expect(await keyIds()).toEqual([idOf(NEW)])
    // Each step is in the organization's audit trail.
    const trail = (await operatorCall(one, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)).body.items
    const rotated = trail.filter(({ operation }: AuditEntry) => operation === 'rotateMasterKey')
    expect(rotated.map(({ actor, target, changes }: AuditEntry) => [actor, target, changes])).toEqual(
      [1, 1, (keys + 1) % 500, ...(keys > 500 ? [500] : [])].map((secrets) => [
        { type: 'operator' },
        { type: 'masterKey', id: idOf(NEW) },
        { secrets },
      ]),
    )

    const after = await start({ MASTER_KEY: NEW })
    for (const caller of callers) await caller.on(after).get(200, '/workspaces')
    expect(after.context.cursorKey).toEqual(before.context.cursorKey)
    expect(after.context.chanceKey).toEqual(before.context.chanceKey)
    expect(after.context.chanceKey).not.toEqual(after.context.cursorKey)
    expect(await problemOf(start({ MASTER_KEY: OLD }))).toBe(
      'MASTER_KEY was replaced by a newer master key: set that one.',
    )
    await operatorCall(after, 400, 'POST', '/server/master-key/rotate', { body: {} })
  })

  test('also reseals the secrets of webhooks and emails', async () => {
    const { context, ...app } = await start({ MASTER_KEY: OLD })
    const { organizationId } = await Tenant.create({ context, ...app })
    const at = new Date(clock.now())
    const secretOf = (secret: string) => context.sealer.seal(secret, webhookSecretContext(organizationId, 'hook'))
    const url = 'https://example.com/'
    await insertWebhook(database, organizationId, { webhookId: 'hook', url, secretSealed: secretOf('first'), at })
    const hook = { organization_id: organizationId, webhook_id: 'hook' }
    await replaceWebhookSecret(database, hook, { secretSealed: secretOf('second'), previousUntil: at, at })
    const invite = (plaintext: string) =>
      recordEvent(database, {
        ...{ organizationId, type: 'invitation.created', at, data: { invitationId: 'none' } },
        secret: { sealer: context.sealer, plaintext },
      })
    await invite('of an email')
    await database.transaction(async (tx) => {
      for (const event of await takeEvents(tx, 1)) await insertLinkMail(tx, 'invitation', event, at)
    })
    await invite('of an event')

    const rotating = await start(both)
    await rotateAll(rotating)
    const { rows } = await database.query<{ sealed: string; place: string }>(
      `select secret_sealed as sealed, 'webhook ' || organization_id || ' hook' as place from webhooks union all
       select previous_secret_sealed, 'webhook ' || organization_id || ' hook' from webhooks union all
       select secret_sealed, 'event ' || organization_id || ' ' || mail_id from mails union all
       select secret_sealed, 'event ' || organization_id || ' ' || event_id from events`,
    )
    const { sealer } = (await start({ MASTER_KEY: NEW })).context
    expect(rows.map(({ sealed, place }) => sealer.open(sealed, place)).toSorted()).toEqual([
      'first',
      'of an email',
      'of an event',
      'second',
    ])
  })

  test('also reseals the secrets of authenticator apps, which keep working', async () => {
    const app = await start({ MASTER_KEY: OLD })
    const person = await Member.create(app)
    const { secret } = await addTotp(person)
    await rotateAll(await start(both))
    const { rows } = await database.query<{ sealed: string }>('select secret_sealed as sealed from totp_secrets')
    const renewed = await start({ MASTER_KEY: NEW })
    expect(rows.map(({ sealed }) => renewed.context.sealer.open(sealed, `totp ${person.id}`))).toEqual([secret])
    const half = await signInHalf(person.on(renewed))
    await half.call(200, 'POST', '/second-factor/totp', { code: totpCode(half.test, secret) })
    const trail = (await operatorCall(renewed, 200, 'GET', '/server/audit?limit=200')).body.items
    expect(trail).toContainEqual(expect.objectContaining({ operation: 'rotateMasterKey', changes: { secrets: 1 } }))
  })

  test('continues on any server after an interruption, and a start without the old key is refused until it ends', async () => {
    const { tenant } = await fill(await start({ MASTER_KEY: OLD }))
    const first = await rotate(await start(both))
    expect(first).toMatchObject({ resealed: 1, remaining: 2, after: expect.any(String) })
    expect(await problemOf(start({ MASTER_KEY: NEW }))).toContain(
      `need the previous key, ${idOf(OLD)}: set MASTER_KEY_PREVIOUS`,
    )
    // The two keys may be given in either order.
    const later = await start({ MASTER_KEY: OLD, MASTER_KEY_PREVIOUS: NEW })
    await tenant.on(later).get(200, '/workspaces')
    expect((await rotateAll(later)).map(({ resealed }) => resealed)).toEqual([1, 1, 0])
    expect(await keyIds()).toEqual([idOf(NEW)])
    await tenant.on(await start({ MASTER_KEY: NEW })).get(200, '/workspaces')
  })

  test('happens only once, even if two servers begin it at the same time', async () => {
    await fill(await start({ MASTER_KEY: OLD }))
    const [one, two] = [await start(both), await start({ MASTER_KEY: THIRD, MASTER_KEY_PREVIOUS: OLD })]
    const answers = await Promise.all(
      [one, two].map(({ app }) =>
        app.inject({
          method: 'POST',
          url: '/api/server/master-key/rotate',
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
          payload: {},
        }),
      ),
    )
    // The server that comes second does not have the new key of the first.
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
    const winner = answers[0]!.statusCode === 200 ? one : two
    await rotateAll(winner)
    expect(await keyIds()).toEqual([idOf(winner === one ? NEW : THIRD)])
  })

  test('is refused without a new key or with the `after` of another rotation', async () => {
    const app = await start({ MASTER_KEY: OLD })
    await fill(app)
    const refused = await operatorCall(app, 400, 'POST', '/server/master-key/rotate', { body: {} })
    expect(refused.headers['x-error-code']).toBe('rotation_impossible')
    const { after } = await rotate(await start(both))
    await rotateAll(await start(both))
    await rotate(await start({ MASTER_KEY: THIRD, MASTER_KEY_PREVIOUS: NEW }))
    const last = await start({ MASTER_KEY: THIRD, MASTER_KEY_PREVIOUS: NEW })
    for (const wrong of [after, 'nonsense']) {
      await operatorCall(last, 422, 'POST', '/server/master-key/rotate', { body: { after: wrong } })
    }
  })

  test('does not end while a secret that it can open remains, whatever the `after`', async () => {
    await fill(await start({ MASTER_KEY: OLD }))
    const { after: last } = (await rotateAll(await start(both))).at(-2)!
    // Rotate back to the old key, and to the new one again.
    await rotateAll(await start({ MASTER_KEY: OLD, MASTER_KEY_PREVIOUS: NEW }))
    const app = await start(both)
    await rotate(app)
    const step = await rotate(app, last)
    expect(step).toMatchObject({ resealed: 0, remaining: 2, after: expect.any(String) })
    for (let { after } = step; after !== undefined; ) ({ after } = await rotate(app, after))
    expect(await keyIds()).toEqual([idOf(NEW)])
  })

  test('leaves secrets that neither key opens unchanged, counts them, and ends', async () => {
    const app = await start({ MASTER_KEY: OLD })
    const { tenant } = await fill(app)
    const lost = new KeyRing([Buffer.from(OLD, 'hex')]).seal('page token', 'channel of another organization')
    await setChannelToken(database, tenant.organizationId, await tenant.channel(), lost)
    const steps = await rotateAll(await start(both))
    expect(steps.map(({ unopened }) => unopened).reduce((sum, count) => sum + count)).toBe(1)
    expect(await sealedValues()).toContain(lost)
    await tenant.on(await start({ MASTER_KEY: NEW })).get(200, '/workspaces')
  })

  test('does not overwrite a secret that is stored during the rotation', async () => {
    const { tenant } = await fill(await start({ MASTER_KEY: OLD }))
    const keySecrets = SEALED_COLUMNS.find(({ holds }) => holds === 'key secrets')!
    const [value] = await keySecrets.listOthers(database, '-', ['', ''], 1)
    const { sealer } = (await start({ MASTER_KEY: OLD })).context
    const newer = sealer.seal('newer', keySecretContext(tenant.key.id))
    await database.query('update api_keys set secret_sealed = $1', [newer])
    expect(await keySecrets.replace(database, [{ ...value!, resealed: sealer.seal('older', '') }])).toEqual([])
    expect(await sealedValues()).toContain(newer)
  })

  test('keeps a process that has not noticed it from storing secrets until that process uses the new key', async () => {
    await fill(await start({ MASTER_KEY: OLD }))
    const config = readConfig(both)
    const unaware = await openMasterKeys(database, { config, log: pino({ level: 'silent' }), clock })
    const app = await start(both)
    await rotate(app)
    const { tenant } = await fill(app)
    const context = channelTokenContext(tenant.organizationId, 'FB_PAGE_1')
    const connect = (sealed: string) =>
      database.query(
        `insert into channels (organization_id, channel_id, type, name, access_token_sealed)
         values ($1, 'FB_PAGE_1', 'FB_PAGE', 'Page', $2)`,
        [tenant.organizationId, sealed],
      )
    await expect(connect(unaware.sealer.seal('token', context))).rejects.toThrow(DatabaseUnavailableError)
    const hook = { webhookId: 'hook', url: 'https://example.com/', at: new Date(clock.now()) }
    const secretSealed = unaware.sealer.seal('secret', webhookSecretContext(tenant.organizationId, 'hook'))
    await expect(insertWebhook(database, tenant.organizationId, { ...hook, secretSealed })).rejects.toThrow(
      DatabaseUnavailableError,
    )
    await unaware.refresh()
    await connect(unaware.sealer.seal('token', context))
    await rotateAll(app)
    expect(await keyIds()).toEqual([idOf(NEW)])
  })

  test.runIf(TEST_DATABASE_URL)('waits for writes under the old key, and reseals their secrets', async () => {
    const app = await start({ MASTER_KEY: OLD })
    const { tenant } = await fill(app)
    const rotating = await start(both)
    let begin = (): void => {}
    const step = new Promise<void>((resolve) => {
      begin = resolve
    }).then(() => rotate(rotating))
    await database.transaction(async (tx) => {
      const sealed = app.context.sealer.seal('secret', keySecretContext('key_late'))
      await tx.query(`insert into api_keys values ('key_late', $1, $2, now(), null)`, [tenant.organizationId, sealed])
      begin()
      // Wait until the rotation is blocked by our transaction.
      const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'update master_keys%'`
      await vi.waitFor(async () => {
        // Otherwise the transaction would see the same snapshot of pg_stat_activity each time.
        await tx.query('select pg_stat_clear_snapshot()')
        expect((await tx.query(waiting)).rows).toHaveLength(1)
      }, 10_000)
    })
    expect(await step).toMatchObject({ resealed: 2 })
  })

  describe('of the key in the data directory', () => {
    let dataDir: string
    let path: string
    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'greenroom-master-key-'))
      onTestFinished(() => rmSync(dataDir, { recursive: true }))
      path = join(dataDir, 'master.key')
    })
    const startHere = () => start({ DATA_DIR: dataDir })

    test('creates the new key itself, and replaces the old one with it at the end', async () => {
      const app = await startHere()
      const { tenant } = await fill(app)
      const old = readFileSync(path, 'utf8')
      await rotateAll(app, async () => void (await tenant.on(app).get(200, '/workspaces')))
      expect(readFileSync(path, 'utf8')).not.toBe(old)
      expect(readdirSync(dataDir)).toEqual(['master.key'])
      await tenant.on(await startHere()).get(200, '/workspaces')
      await rotateAll(app)
      await tenant.on(await startHere()).get(200, '/workspaces')
    })

    test.each([
      ['the new key was created', async (_app: TestApp) => void new MasterKeyFile(dataDir).makeNext(), 3],
      ['the first secrets were resealed', async (app: TestApp) => void (await rotate(app)), 2],
    ])('continues if the process crashed after %s', async (_when, crash, left) => {
      const app = await startHere()
      const { tenant } = await fill(app)
      await crash(app)
      const again = await startHere()
      await tenant.on(again).get(200, '/workspaces')
      const resealed = (await rotateAll(again)).map((step) => step.resealed)
      expect(resealed.reduce((sum, count) => sum + count)).toBe(left)
      expect(readdirSync(dataDir)).toEqual(['master.key'])
      await tenant.on(await startHere()).get(200, '/workspaces')
    })

    test('continues if the process crashed after resealing everything, but before replacing the old key', async () => {
      const app = await startHere()
      const { tenant } = await fill(app)
      const old = readFileSync(path)
      await rotateAll(app)
      renameSync(path, `${path}.next`)
      writeFileSync(path, old)
      await tenant.on(await startHere()).get(200, '/workspaces')
      expect(readdirSync(dataDir)).toEqual(['master.key'])
      expect(readFileSync(path)).not.toEqual(old)
    })
  })

  test('from the command line reports what it did, and exits with an error if a secret cannot be opened', async () => {
    const before = await start({ MASTER_KEY: OLD })
    const { tenant } = await fill(before)
    const app = await start(both)
    const server = await buildApp(app.context, TEST_OPTIONS)
    await server.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.close())
    const { port } = server.server.address() as AddressInfo
    const env = { GREENROOM_URL: `http://127.0.0.1:${port}`, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
    const damaged = new KeyRing([Buffer.from(OLD, 'hex')]).seal('token', 'elsewhere')
    await setChannelToken(database, tenant.organizationId, await tenant.channel(), damaged)
    const run = await greenroom(['master-key', 'rotate'], { env })
    expect(JSON.parse(run.stdout)).toEqual({ keyId: idOf(NEW), resealed: 3, unopened: 1 })
    expect([run.code, run.stderr]).toEqual([
      1,
      "Secrets that could not be opened with either key: 1. The server's log names them.\n",
    ])
    const again = await greenroom(['master-key', 'rotate'], { env })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('rotation_impossible')])
  })
})
