import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DEMO_DATA_DIR, readClientSettings } from './client.js'
import { readConfig, SETTINGS } from './index.js'
import { ConfigError } from './read.js'

function mistakesOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

describe('the configuration', () => {
  test('has the embedded defaults on the loopback address if the environment is empty', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      http: { host: '127.0.0.1', port: 8080, earlierVariant: false },
      database: { url: undefined },
    })
    expect(config.database.dataDir).toMatch(/^\/.*\.greenroom$/)
    expect(Object.isFrozen(config)).toBe(true)
    expect(readConfig(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ''])))).toEqual(config)
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ SMTP_URL: 'mail.example.com' }, /^SMTP_URL must be a URL/],
    [{ SMTP_URL: 'smtp://' }, /^SMTP_URL must/],
    [{ SMTP_URL: 'smtp://us%er:secret@mail.example.com' }, /percent-encoded/],
    [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: '' }, /needs MAIL_FROM/],
    [{ SMTP_URL: 'smtp://mail.example.com', PUBLIC_URL: '' }, /needs PUBLIC_URL/],
    [{ MAIL_FROM: 'a@example.com' }, /without SMTP_URL/],
    [{ SMTP_URL: 'smtp://mail.example.com', SMTP_TLS: 'no' }, /^SMTP_TLS must/],
    [{ SMTP_URL: 'smtps://mail.example.com', SMTP_TLS: 'off' }, /contradicts smtps/],
    [{ SMTP_URL: 'smtp://me:secret@mail.example.com', SMTP_TLS: 'off' }, /in the clear/],
    [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Greenroom' }, /must be an email address/],
    [
      { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'A <a@example.com>, b@example.com' },
      /must be an email address/,
    ],
    [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'A\r\nBcc: x <a@example.com>' }, /must be an email address/],
  ])('the mail server settings %j are refused', (env, mistake) => {
    const mails: Record<string, string> =
      env.SMTP_URL === undefined ? {} : { MAIL_FROM: 'a@example.com', PUBLIC_URL: 'https://example.com' }
    const mistakes = mistakesOf({ ...mails, ...env })
    expect(mistakes).toContainEqual(expect.stringMatching(mistake))
    expect(mistakes.join()).not.toContain('secret')
  })

  test.each([
    'a@example.com',
    'Greenroom <a@example.com>',
    'Café Lumière <a@example.com>',
  ])('accepts %s as the sender of emails', (from) => {
    const env = { SMTP_URL: 'smtps://user:secret@mail.example.com', PUBLIC_URL: 'https://example.com', MAIL_FROM: from }
    expect(readConfig(env).mail).toEqual({ url: env.SMTP_URL, from, tls: 'required' })
  })

  test('the demo has its own directory, where the command line looks for it, unless DATA_DIR is set', () => {
    const demo = (env: Record<string, string>) => readConfig(env, { DATA_DIR: DEMO_DATA_DIR }).database.dataDir
    expect(demo({})).not.toBe(readConfig({}).database.dataDir)
    expect(demo({})).toBe(readClientSettings({}).dataDir)
    expect(demo({ DATA_DIR: '/srv/demo' })).toBe('/srv/demo')
  })

  const S3 = { BACKUP_DIR: 's3://backups/greenroom/', BACKUP_S3_KEY_ID: 'AKID', BACKUP_S3_SECRET: 'hush of the bucket' }

  test('a bucket for backups is read, at Amazon unless another storage is given', () => {
    const place = { bucket: 'backups', prefix: 'greenroom/' }
    const { backup, s3 } = readConfig({ ...S3, BACKUP_S3_REGION: 'eu-central-1' })
    expect({ dir: backup?.dir, bucket: backup?.bucket, s3 }).toEqual({
      dir: undefined,
      bucket: place,
      s3: {
        ...{ endpoint: 'https://s3.eu-central-1.amazonaws.com', pathStyle: 'auto', region: 'eu-central-1' },
        ...{ keyId: 'AKID', secret: 'hush of the bucket' },
      },
    })
    const own = readConfig({ ...S3, BACKUP_DIR: 's3://backups', BACKUP_S3_ENDPOINT: 'http://minio.lan:9000/' })
    expect([own.s3?.endpoint, own.backup?.bucket]).toEqual(['http://minio.lan:9000', { bucket: 'backups', prefix: '' }])
    // Commands also read a bucket if the service does not write to one.
    expect(readConfig({ ...S3, BACKUP_DIR: '/srv/backups' })).toMatchObject({
      ...{ backup: { dir: '/srv/backups', bucket: undefined }, s3: { keyId: 'AKID' } },
    })
    expect(readConfig({}).s3).toBeNull()
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ BACKUP_DIR: 's3://' }, /^BACKUP_DIR must be a directory, or a bucket/],
    [{ BACKUP_DIR: 's3://Backups' }, /^BACKUP_DIR must be/],
    [{ BACKUP_DIR: 's3://backups/a//b' }, /^BACKUP_DIR must be/],
    [{ BACKUP_DIR: 's3://backups/../other' }, /^BACKUP_DIR must be/],
    [{ BACKUP_DIR: 's3://backups/a b' }, /^BACKUP_DIR must be/],
    [{ BACKUP_S3_KEY_ID: '' }, /^BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together/],
    [{ BACKUP_S3_SECRET: '' }, /^BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together/],
    [{ BACKUP_S3_KEY_ID: '', BACKUP_S3_SECRET: '' }, /needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET/],
    [{ BACKUP_S3_ENDPOINT: 'minio.lan:9000' }, /^BACKUP_S3_ENDPOINT must be a URL/],
    [{ BACKUP_S3_ENDPOINT: 'https://u:hush@minio.lan' }, /^BACKUP_S3_ENDPOINT must have no query/],
    [{ BACKUP_S3_PATH_STYLE: 'true' }, /^BACKUP_S3_PATH_STYLE must be auto, on, off, not "true"/],
    [
      { BACKUP_S3_PATH_STYLE: 'off', BACKUP_S3_ENDPOINT: 'http://10.0.0.7:9000' },
      /^BACKUP_S3_PATH_STYLE=off needs a host name/,
    ],
    [
      { BACKUP_S3_PATH_STYLE: 'off', BACKUP_S3_ENDPOINT: 'http://[::1]:9000' },
      /^BACKUP_S3_PATH_STYLE=off needs a host name/,
    ],
    [{ BACKUP_S3_REGION: 'eu central' }, /^BACKUP_S3_REGION must be/],
  ])('the bucket settings %j are refused', (wrong, mistake) => {
    const mistakes = mistakesOf({ ...S3, ...wrong })
    expect(mistakes[0]).toMatch(mistake)
    expect(mistakes.join()).not.toContain('hush')
  })

  test('all mistakes are reported at once, with their variables', () => {
    const wrong = {
      PORT: '65536',
      DATABASE_URL: 'mysql://db',
      DATABASE_POOL_MAX: '0',
      MASTER_KEY: 'short',
      OPERATOR_TOKEN: 'too short',
      EARLIER_VARIANT: 'yes',
      CLOCK_SKEW_SECONDS: '-1',
      CORS_ORIGINS: 'https://app.example,https://app.example/',
      GRAPH_BASE_URL: 'graph.facebook.com',
      GRAPH_VERSION: '26',
      GRAPH_TIMEOUT_MS: '1e3',
      INSIGHTS_CUTOFF_DATE: '2026-02-30',
      LATE_POST_HOURS: '0',
      PUBLISHER_INTERVAL_MS: '99',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'text',
      STOP_TIMEOUT_MS: 'never',
    }
    const mistakes = mistakesOf(wrong)
    expect(mistakes.map((mistake) => mistake.split(' ')[0]).sort()).toEqual(Object.keys(wrong).sort())
  })

  test.each([
    'v',
    '27',
    '27.0',
    'v27',
    'V27.0',
    'v27.',
    'v027.0',
    'v0.1',
    'v27.0.1',
    'v27.0 ',
    `v${'2'.repeat(5_000)}.0`,
  ])('GRAPH_VERSION %j is refused with a valid example', (given) => {
    const mistake = expect.stringMatching(/^GRAPH_VERSION must look like v27\.0, not "/)
    expect(mistakesOf({ GRAPH_VERSION: given })).toEqual([mistake])
  })

  test.each([
    [false, {}],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '' }],
    [true, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }],
    [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }],
    [true, { OTEL_TRACES_EXPORTER: 'console' }],
    [false, { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }],
    [false, { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }],
  ])("sets tracing to %s for OpenTelemetry's %o", (expected, env) => {
    expect(readConfig(env).asksForTraces).toBe(expected)
  })

  const OIDC = {
    PUBLIC_URL: 'https://example.com/greenroom/',
    OIDC_ISSUER: 'https://login.example.com/tenant',
    OIDC_CLIENT_ID: 'greenroom',
    OIDC_CLIENT_SECRET: 'secret of the provider',
  }

  test('reads an identity provider with its roles', () => {
    const {
      oidc,
      access: { passwords },
      http: { publicUrl },
    } = readConfig({
      ...OIDC,
      PASSWORDS: 'off',
      OIDC_ALLOWED_DOMAINS: 'Example.com, example.org',
      OIDC_ORGANIZATION: 'org_1',
      OIDC_DEFAULT_ROLE: 'VIEWER',
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLES: 'writers=EDITOR, cn=leads=ADMIN+approve',
    })
    expect({ passwords, publicUrl }).toEqual({ passwords: false, publicUrl: 'https://example.com/greenroom' })
    expect(oidc).toMatchObject({
      issuer: OIDC.OIDC_ISSUER,
      scopes: 'openid email profile',
      allowedDomains: ['example.com', 'example.org'],
      defaultRole: { role: 'VIEWER', mayApprove: false },
    })
    expect([...oidc!.roles]).toEqual([
      ['writers', { role: 'EDITOR', mayApprove: false }],
      ['cn=leads', { role: 'ADMIN', mayApprove: true }],
    ])
    expect(readConfig({}).oidc).toBeNull()
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ PASSWORDS: 'off', OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }, /^PASSWORDS=off needs/],
    [{ OIDC_ISSUER: '', OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_ID is set without OIDC_ISSUER/],
    [{ OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must be an https/],
    [{ OIDC_ISSUER: 'login.example.com' }, /^OIDC_ISSUER must be an https/],
    [{ PUBLIC_URL: '' }, /^OIDC_ISSUER needs PUBLIC_URL/],
    [{ PUBLIC_URL: 'http://example.com' }, /^OIDC_ISSUER needs PUBLIC_URL/],
    [{ OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID is missing/],
    [{ OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_SECRET is missing/],
    [{ OIDC_SCOPES: 'email' }, /^OIDC_SCOPES must contain openid/],
    [{ OIDC_ALLOWED_DOMAINS: 'ada@example.com' }, /^OIDC_ALLOWED_DOMAINS must be/],
    [{ OIDC_ORGANIZATION: 'org_1' }, /^OIDC_ORGANIZATION and a role/],
    [{ OIDC_DEFAULT_ROLE: 'VIEWER', OIDC_ALLOWED_DOMAINS: '*' }, /^OIDC_ORGANIZATION and a role/],
    [
      { OIDC_DEFAULT_ROLE: 'VIEWER', OIDC_ORGANIZATION: 'org_1' },
      /^OIDC_DEFAULT_ROLE and OIDC_ROLES need OIDC_ALLOWED/,
    ],
    [{ OIDC_DEFAULT_ROLE: 'OWNER' }, /^OIDC_DEFAULT_ROLE must be/],
    [{ OIDC_ROLE_CLAIM: 'groups' }, /^OIDC_ROLE_CLAIM and OIDC_ROLES/],
    [
      { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: 'writers', OIDC_ORGANIZATION: 'org_1', OIDC_ALLOWED_DOMAINS: '*' },
      /^OIDC_ROLES must look like/,
    ],
  ])('reports %j as a mistake', (wrong, mistake) => {
    const found = mistakesOf({ ...OIDC, ...wrong })
    expect(found[0]).toMatch(mistake)
    expect(found.join()).not.toContain('secret of')
  })

  test.each([
    '*',
    'null',
    'app.example',
    'https://App.example',
    'https://app.example:443',
    'https://a.example/path',
  ])('CORS_ORIGINS accepts only origins as browsers send them, not %s', (origin) => {
    expect(mistakesOf({ CORS_ORIGINS: origin })).toEqual([expect.stringContaining('CORS_ORIGINS')])
  })

  test('CORS_ORIGINS lists origins with or without spaces', () => {
    const {
      http: { corsOrigins },
    } = readConfig({ CORS_ORIGINS: 'https://app.example, http://127.0.0.1:5173,' })
    expect(corsOrigins).toEqual(['https://app.example', 'http://127.0.0.1:5173'])
  })

  test('TRUST_PROXY accepts addresses and subnets', () => {
    const {
      http: { trustProxy },
    } = readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1,192.0.2.7' })
    expect(trustProxy).toEqual(['10.0.0.0/8', '::1', '192.0.2.7'])
    for (const wrong of ['true', '10.0.0.0/33', '10.0.0.0/', '10.0.0', '::1/129', '10.0.0.0/8/8']) {
      expect(() => readConfig({ TRUST_PROXY: wrong }), wrong).toThrow('TRUST_PROXY must be')
    }
  })

  test('an invalid secret is not repeated', () => {
    const text = mistakesOf({
      DATABASE_URL: 'mysql://user:hunter2@db',
      MASTER_KEY: 'hunter2',
      OPERATOR_TOKEN: 'hunter2',
    }).join('\n')
    expect(text).not.toContain('hunter2')
  })

  describe('a secret in a file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'greenroom-config-'))
    afterAll(() => rmSync(directory, { recursive: true }))
    const file = (name: string, content: string): string => {
      const path = join(directory, name)
      writeFileSync(path, content)
      return path
    }

    test('counts as its variable, without a trailing line break', () => {
      const config = readConfig({
        DATABASE_URL_FILE: file('url', 'postgres://db/greenroom\n'),
        MASTER_KEY_FILE: file('key', `${'ab'.repeat(32)}\r\n`),
        MASTER_KEY_PREVIOUS_FILE: file('previous', 'cd'.repeat(32)),
        OPERATOR_TOKEN_FILE: file('token', 'operator-token-in-a-file\n'),
        GRAPH_APP_SECRET_FILE: file('secret', 'app secret in a file\n'),
      })
      expect(config).toMatchObject({
        database: { url: 'postgres://db/greenroom' },
        masterKeys: { current: Buffer.alloc(32, 0xab), previous: Buffer.alloc(32, 0xcd) },
        access: { operatorToken: 'operator-token-in-a-file' },
        graph: { appSecret: 'app secret in a file' },
      })
    })

    test('is refused beside its variable, or if it is unreadable, empty or invalid, and never repeated', () => {
      const missing = join(directory, 'missing')
      expect(
        mistakesOf({
          OPERATOR_TOKEN: 'operator-token-of-16',
          OPERATOR_TOKEN_FILE: file('token', 'hunter2'),
          DATABASE_URL_FILE: missing,
          MASTER_KEY_FILE: file('key', 'hunter2\n'),
          MASTER_KEY_PREVIOUS_FILE: file('empty', '\n'),
        }),
      ).toEqual([
        expect.stringMatching(`^DATABASE_URL_FILE ${missing} cannot be read: .*no such file`),
        expect.stringMatching(/^MASTER_KEY_PREVIOUS_FILE .*empty is empty: write the secret to it\.$/),
        'OPERATOR_TOKEN_FILE and OPERATOR_TOKEN are both set: unset one of them.',
        'MASTER_KEY must be 64 hex digits: make one with `openssl rand -hex 32`.',
      ])
    })
  })

  test('the previous key of a rotation needs a different current key', () => {
    const key = 'ab'.repeat(32)
    expect(readConfig({ MASTER_KEY: key, MASTER_KEY_PREVIOUS: 'cd'.repeat(32) })).toBeDefined()
    for (const MASTER_KEY of ['', key]) {
      const wrong = { MASTER_KEY, MASTER_KEY_PREVIOUS: key }
      expect(mistakesOf(wrong)).toEqual([expect.stringContaining('set MASTER_KEY to the new key')])
    }
  })

  test('PostgreSQL needs a master key, so that every node can open the same secrets', () => {
    expect(mistakesOf({ DATABASE_URL: 'postgres://db/greenroom' })).toEqual([expect.stringContaining('MASTER_KEY')])
    const config = readConfig({ DATABASE_URL: 'postgres://db/greenroom', MASTER_KEY: 'ab'.repeat(32) })
    expect(config.masterKeys.current).toEqual(Buffer.alloc(32, 0xab))
  })
})
