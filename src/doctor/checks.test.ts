import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startProvider } from '../../test/identity-provider.js'
import { startMailServer } from '../../test/mail-server.js'
import { inLongSuite } from '../../test/runs.js'
import { openStartDatabase } from '../../test/test-database.js'
import { findTool } from '../../test/tools.js'
import { insertOrganization } from '../access/organizations.store.js'
import { readConfig } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import { openPglite } from '../database/pglite/pglite.js'
import { insertMedia } from '../media/media.store.js'
import { examine, type Finding } from './doctor.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-checks-'))
const dataDir = join(directory, 'data')
const at = new Date('2026-11-22T00:00:00Z')

/** Replaces the platform. */
const platform = createHttpServer((_request, response) => response.end('{}'))
let platformUrl: string
const listen = async (server: Server | ReturnType<typeof createServer>): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}
beforeAll(async () => {
  platformUrl = `http://127.0.0.1:${await listen(platform)}`
})
afterAll(() => {
  platform.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Most checks need no database, and so have none. */
const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: join(directory, 'none'),
  OPERATOR_TOKEN: 'an-operator-token-that-is-secret',
  GRAPH_BASE_URL: platformUrl,
  PORT: '0',
  ...more,
})
const look = async (check: string, more: Record<string, string> = {}): Promise<Finding[]> =>
  (await examine({ env: environment(more) })).filter((finding) => finding.check === check)

async function withService(env: Record<string, string>, work: (context: AppContext) => Promise<void>): Promise<void> {
  const context = await createContext(readConfig(env), { log: pino({ level: 'silent' }) })
  await work(context).finally(() => context.close())
}

describe('the identity provider', () => {
  const oidc = (issuer: string): Record<string, string> => ({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'a',
    OIDC_CLIENT_SECRET: 'secret-of-the-client',
    PUBLIC_URL: 'http://localhost:1',
  })

  test('that answers by its name is ok; one that is elsewhere, invalid, unavailable or has another name is a problem', async () => {
    const provider = await startProvider('http://localhost:1/sign-in/callback', 'http://localhost:1/')
    onTestFinished(() => provider.close())
    expect(await look('identity provider', oidc(provider.issuer))).toMatchObject([{ state: 'ok' }])
    expect(await look('identity provider', oidc(`${provider.issuer}/elsewhere`))).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('answers 404') },
    ])
    expect(await look('identity provider', oidc(platformUrl))).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('is not an OpenID Connect provider') },
    ])
    const renamed = createHttpServer((_request, response) =>
      response.end('{"issuer":"https://login.example.com/realm"}'),
    )
    onTestFinished(() => void renamed.close())
    const findings = await look('identity provider', oidc(`http://127.0.0.1:${await listen(renamed)}`))
    expect(findings).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('calls itself "https://login.example.com/realm"') },
    ])
    const away = await look('identity provider', oidc(`http://127.0.0.1:${await freePort()}`))
    expect(away).toMatchObject([{ state: 'problem', finding: expect.stringContaining('ECONNREFUSED') }])
    expect(JSON.stringify([findings, away])).not.toContain('secret-of-the-client')
  })
})

describe("the version of the platform's API", () => {
  const lookAt = async (version: string, day: string): Promise<Finding[]> => {
    const clock = { now: () => Date.parse(`${day}T12:00:00Z`) }
    const findings = await examine({ env: environment({ GRAPH_VERSION: version }), clock })
    return findings.filter(({ check }) => check === 'platform')
  }
  const REMEDY = 'Set GRAPH_VERSION=v27.0, or update Greenroom.'

  test.each([
    ['v25.0', '2026-12-24', 'ok', /^The Marketing API v25\.0, which insights use, ends on 2027-02-23\.$/, ''],
    ['v25.0', '2026-12-25', 'warning', /^The Marketing API v25\.0, which insights use, ends on 2027-02-23\.$/, REMEDY],
    ['v25.0', '2027-02-24', 'problem', /^The Marketing API v25\.0, which insights use, ended on 2027-02-23: /, REMEDY],
    ['v19.0', '2026-12-25', 'warning', /^This version of Greenroom does not know v19\.0: /, REMEDY],
    ['v99.0', '2026-12-25', 'ok', /does not know when v99\.0 ends\.$/, ''],
  ])('%s on %s: %s', async (version, day, state, finding, remedy) => {
    expect(await lookAt(version, day)).toEqual([
      { check: 'platform', state, finding: expect.stringMatching(finding), remedy },
    ])
  })
})

describe('uploaded media', () => {
  test.runIf(inLongSuite())('with missing files are a problem, and so is a MEDIA_DIR that is not set', async () => {
    const mediaDir = join(directory, 'media')
    const env = environment({ DATA_DIR: dataDir })
    await withService(env, async ({ database }) => {
      await insertOrganization(database, { organizationId: 'org_m', name: 'M', createdAt: at })
      for (const media_id of ['med_a', 'med_b']) {
        const size = { bytes: 1, width: 1, height: 1, duration_ms: null }
        await insertMedia(database, 'org_m', {
          media_id,
          name: null,
          content_type: 'image/png',
          ...size,
          created_at: at,
        })
      }
    })
    mkdirSync(join(mediaDir, 'org_m'), { recursive: true })
    writeFileSync(join(mediaDir, 'org_m', 'med_a.png'), 'x')
    expect(await look('media', env)).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('2 uploaded files, but MEDIA_DIR is not set') },
    ])
    expect(await look('media', { ...env, MEDIA_DIR: mediaDir })).toMatchObject([
      { state: 'problem', finding: expect.stringMatching(/^1 of 2 uploaded files .* org_m\/med_b\.png\.$/) },
    ])
    writeFileSync(join(mediaDir, 'org_m', 'med_b.png'), 'x')
    expect(await look('media', { ...env, MEDIA_DIR: mediaDir })).toMatchObject([{ state: 'ok' }])
  })
})

describe('an address to listen on', () => {
  test('that another program uses is a problem, for HOST and PORT as well as METRICS_ADDRESS', async () => {
    const other = createServer((socket) => socket.destroy())
    onTestFinished(() => void other.close())
    const port = await listen(other)
    expect(await look('port', { PORT: String(port) })).toEqual([
      {
        check: 'port',
        state: 'problem',
        finding: `Port ${port} of 127.0.0.1 is in use.`,
        remedy: 'Stop what listens there, or set PORT (0 takes a free one).',
      },
    ])
    expect(await look('port', { METRICS_ADDRESS: `127.0.0.1:${port}` })).toMatchObject([
      { state: 'problem', finding: expect.stringContaining(`METRICS_ADDRESS 127.0.0.1:${port} cannot be listened on`) },
    ])
    expect(await look('port', { HOST: '192.0.2.1' })).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('HOST 192.0.2.1 is not an address of this machine') },
    ])
    expect(await look('port', { METRICS_ADDRESS: '127.0.0.1:0' })).toMatchObject([{ state: 'ok' }])
  })

  test('refuses callers while it is tested, and is released', async () => {
    const port = await freePort()
    // While the doctor checks who has this address, a caller connects to the other one.
    const other = createServer((socket) => {
      const caller = connect(port, '127.0.0.1')
      caller.on('error', () => {})
      caller.once('close', () => socket.destroy())
    })
    onTestFinished(() => void other.close())
    const metricsAddress = `127.0.0.1:${await listen(other)}`
    expect(await look('port', { PORT: String(port), METRICS_ADDRESS: metricsAddress })).toMatchObject([
      { state: 'problem', finding: expect.stringContaining('METRICS_ADDRESS') },
    ])
  })

  test('that a Greenroom service uses is ok: it runs', async () => {
    const service = createHttpServer((_request, response) => response.setHeader('x-request-id', 'req_1').end('{}'))
    onTestFinished(() => void service.close())
    expect(await look('port', { PORT: String(await listen(service)) })).toMatchObject([{ state: 'ok' }])
  })
})

describe('variables', () => {
  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['BACKUP_PASPHRASE_FILE', 'BACKUP_PASSPHRASE_FILE'],
  ])('%s: did you mean %s, without its value', async (given, meant) => {
    const findings = await look('configuration', { [given]: 'a-secret-value' })
    const named = findings.filter(({ finding }) => finding.includes(given))
    expect(named).toMatchObject([{ state: 'warning', finding: expect.stringContaining(`did you mean ${meant}?`) }])
    expect(JSON.stringify(findings)).not.toContain('a-secret-value')
  })

  test('that belong to others are not reported as misspelt, nor one beside the correct one', () => {
    const others = [
      'DATABASE_USER',
      'PASSWORD',
      'POST',
      'HOSTS',
      'PUBLIC_URL_OLD',
      'NODE_ENV',
      'XDG_DATA_DIRS',
      'SMTP_USER',
    ]
    expect(readConfig(Object.fromEntries(others.map((name) => [name, 'x']))).misspelt).toEqual([])
    expect(readConfig({ LOGLEVEL: 'x', LOG_LEVEL: 'warn' }).misspelt).toEqual([])
    expect(readConfig({ LOGLEVEL: '' }).misspelt).toEqual([])
  })

  test.runIf(inLongSuite())('one is reported with the mistakes that it causes, and in the log of a start', async () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://a/b', MASTER_KEYS: 'x' })).toThrow('did you mean MASTER_KEY?')
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const context = await createContext(readConfig(environment({ LOG_LEVL: 'info' })), {
      log,
      database: await openStartDatabase(),
    })
    await context.close()
    expect(lines.join('')).toContain('did you mean LOG_LEVEL?')
  })

  test('a PUBLIC_URL without TLS is a problem on a public host, but not on this machine', async () => {
    const isNamed = (findings: Finding[]) => findings.filter(({ finding }) => finding.includes('has no TLS'))
    expect(isNamed(await look('configuration', { PUBLIC_URL: 'http://greenroom.invalid' }))).toMatchObject([
      { state: 'problem', remedy: expect.stringContaining('https') },
    ])
    for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'https://greenroom.invalid']) {
      expect(isNamed(await look('configuration', { PUBLIC_URL: url }))).toEqual([])
    }
  })
})

test('callers have the address of a proxy, unless PUBLIC_URL is the address of the service itself', async () => {
  const isProxyNamed = async (env: Record<string, string>): Promise<boolean> =>
    (await look('proxy', env)).some(({ finding }) => finding.startsWith('Callers appear with the address of the proxy'))
  const PORT = String(await freePort())
  const own: Record<string, string>[] = [
    { PUBLIC_URL: `http://127.0.0.1:${PORT}`, HOST: '127.0.0.1' },
    { PUBLIC_URL: `http://localhost:${PORT}`, HOST: '127.0.0.1' },
    { PUBLIC_URL: `http://localhost:${PORT}`, HOST: '0.0.0.0', OPERATOR_TOKEN: 'operator-token-of-16' },
  ]
  for (const env of own) expect(await isProxyNamed({ PORT, ...env }), env.PUBLIC_URL).toBe(false)
  const others: Record<string, string>[] = [
    { PUBLIC_URL: 'http://127.0.0.1:1', HOST: '127.0.0.1' },
    { PUBLIC_URL: `https://127.0.0.1:${PORT}`, HOST: '127.0.0.1' },
    { PUBLIC_URL: `http://127.0.0.1:${PORT}/prefix`, HOST: '127.0.0.1' },
    { PUBLIC_URL: `http://127.0.0.2:${PORT}`, HOST: '127.0.0.1' },
    { PUBLIC_URL: `http://greenroom.invalid:${PORT}`, HOST: '0.0.0.0' },
  ]
  for (const env of others) expect(await isProxyNamed({ PORT, ...env }), env.PUBLIC_URL).toBe(true)
})

const OPENSSL = findTool('openssl')

test.skipIf(OPENSSL === undefined)(
  'a mail server with an untrusted certificate is distinguished from an unavailable one',
  async () => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    execFileSync(OPENSSL!, [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    const server = await startMailServer({
      disabledCommands: ['AUTH'],
      key: readFileSync(key),
      cert: readFileSync(cert),
    })
    onTestFinished(() => server.close())
    const mail = { SMTP_URL: server.url, MAIL_FROM: 'a@example.com', PUBLIC_URL: 'https://greenroom.invalid' }
    expect(await look('mail', mail)).toMatchObject([
      {
        state: 'problem',
        finding: expect.stringMatching(/^The certificate of the mail server 127\.0\.0\.1:\d+ is not trusted here\.$/),
        remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      },
    ])
  },
)

describe('the clock', () => {
  /** fetch fails this way for a certificate that is not valid by this machine's clock. */
  test.each([
    ['CERT_HAS_EXPIRED', 'has expired', 'problem'],
    ['CERT_NOT_YET_VALID', 'is not valid yet', 'problem'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is not trusted here', 'warning'],
  ])("is reported if the platform's certificate is refused with %s", async (code, words, state) => {
    const cause = Object.assign(new Error('refused'), { code })
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('fetch failed', { cause })
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const [finding] = await look('clock', { GRAPH_BASE_URL: 'https://graph.invalid' })
    expect(finding).toMatchObject({ state, finding: expect.stringContaining(words) })
  })
})

test.runIf(inLongSuite())(
  'a damaged embedded database without a backup is reported with that fact, and a healthy one is not called damaged',
  async () => {
    const own = mkdtempSync(join(directory, 'damaged-'))
    await (await openPglite({ dataDir: own })).close()
    expect(await look('database', { DATA_DIR: own })).toMatchObject([{ state: 'ok' }, { state: 'ok' }])
    rmSync(join(own, 'database', 'global', 'pg_control'))
    expect(await look('database', { DATA_DIR: own })).toMatchObject([
      { state: 'problem', remedy: expect.stringMatching(/^There is no backup in BACKUP_DIR/) },
    ])
    mkdirSync(join(own, 'backups'))
    writeFileSync(join(own, 'backups', 'before-0001.backup'), '')
    const bucket = {
      ...{ BACKUP_DIR: 's3://backups/here', BACKUP_S3_ENDPOINT: platformUrl },
      ...{ BACKUP_S3_KEY_ID: 'id', BACKUP_S3_SECRET: 'secret-of-the-storage' },
    }
    expect(await look('database', { DATA_DIR: own, ...bucket })).toMatchObject([
      { state: 'problem', remedy: expect.stringContaining('`greenroom backup list` lists those in BACKUP_DIR') },
    ])
    expect(existsSync(join(own, 'database'))).toBe(true)
  },
)
