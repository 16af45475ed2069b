import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { CliStage } from '../../test/cli-stage.js'
import { OPERATOR_TOKEN, Tenant } from '../../test/harness.js'
import { makePipe } from '../../test/pipe.js'
import { type Config, readConfig, readEnvironment, SETTINGS } from '../config/index.js'
import { ConfigError } from '../config/read.js'

const stage = new CliStage()

let folder: string
/** The data directory does not exist at the start of a test. */
let dataDir: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-init-'))
  dataDir = join(folder, 'data')
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

const init = (...options: string[]) => greenroom(['init', ...options], { env: { DATA_DIR: dataDir } })
const contentOf = (name: string): string => readFileSync(join(dataDir, name), 'utf8')
const modeOf = (path: string): number => statSync(path).mode & 0o777
/** Returns the configuration of a service that starts in the data directory with this environment. */
const configOf = (env: Record<string, string> = {}): Readonly<Config> =>
  readConfig(readEnvironment({ DATA_DIR: dataDir, ...env }))
function mistakesOf(env: Record<string, string> = {}): string[] {
  try {
    configOf(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
}

describe('greenroom init', () => {
  test('writes settings and an operator token that only the user can read, and a service there uses them', async () => {
    const { code, stdout, stderr } = await init()
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      directory: dataDir,
      files: ['operator-token', 'backup-passphrase', 'settings.env'],
    })
    expect(modeOf(dataDir)).toBe(0o700)
    for (const name of readdirSync(dataDir)) expect(modeOf(join(dataDir, name)), name).toBe(0o600)
    const token = contentOf('operator-token').trim()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    const passphrase = contentOf('backup-passphrase').trim()
    expect(passphrase).toMatch(/^(?:[0-9a-f]{4}-){7}[0-9a-f]{4}$/)
    for (const secret of [token, passphrase]) expect(stdout + stderr).not.toContain(secret)
    expect(stderr).toMatch(/copy of them on another machine[\s\S]*backup-passphrase is the passphrase of the backups/)
    expect(configOf({ BACKUP_DIR: folder }).backup?.passphrase).toBe(passphrase)
    expect(configOf()).toMatchObject({
      database: { dataDir, url: undefined },
      http: { port: 8080 },
      access: { operatorToken: token },
    })
    // The README has the same order.
    const commands = [...stderr.matchAll(/^ {2}DATA_DIR=(\S*) greenroom (\w+ ?[\w-]*)/gm)].map(([, ...parts]) => parts)
    expect(commands).toEqual(
      ['serve', 'organizations create', 'users invite-owner'].map((command) => [dataDir, command]),
    )
  })

  test('for PostgreSQL also writes the database URL and a master key, in files', async () => {
    const url = 'postgres://greenroom:secret%40word@db.example.com/greenroom'
    const { code, stdout, stderr } = await init('--database-url', url, '--port', '9090')
    expect(code, stderr).toBe(0)
    expect(readdirSync(dataDir).toSorted()).toEqual([
      'backup-passphrase',
      'database-url',
      'master.key',
      'operator-token',
      'settings.env',
    ])
    for (const name of readdirSync(dataDir)) expect(modeOf(join(dataDir, name)), name).toBe(0o600)
    const config = configOf()
    expect(config).toMatchObject({ database: { url }, http: { port: 9090 } })
    expect(config.masterKeys.current?.toString('hex')).toBe(contentOf('master.key').trim())
    expect(stdout + stderr + contentOf('settings.env')).not.toContain('secret%40word')
    expect(stderr).toContain('greenroom doctor')
  })

  test('writes the settings of the environment, and their secrets into files', async () => {
    const url = 'postgres://greenroom:secret%40word@db/greenroom'
    const env = {
      DATA_DIR: dataDir,
      PORT: '9090',
      PUBLIC_URL: 'https://greenroom.example.com',
      MEDIA_DIR: join(folder, 'media of ours'),
      BACKUP_DIR: 's3://backups/greenroom',
      OPERATOR_TOKEN_FILE: join(folder, 'token'),
      DATABASE_URL: url,
      MASTER_KEY: 'ab'.repeat(32),
    }
    writeFileSync(env.OPERATOR_TOKEN_FILE, OPERATOR_TOKEN)
    const { code, stderr } = await greenroom(['init'], { env })
    expect(code, stderr).toBe(0)
    expect(readdirSync(dataDir).toSorted()).toEqual(['backup-passphrase', 'database-url', 'master.key', 'settings.env'])
    const s3 = { BACKUP_S3_KEY_ID: 'AKID', BACKUP_S3_SECRET: 'hush of the bucket' }
    expect(configOf(s3)).toMatchObject({
      http: { port: 9090, publicUrl: env.PUBLIC_URL },
      media: { dir: env.MEDIA_DIR },
      backup: { bucket: { bucket: 'backups' } },
      access: { operatorToken: OPERATOR_TOKEN },
      database: { url },
    })
    expect(contentOf('master.key')).toBe(`${env.MASTER_KEY}\n`)
    const option = await greenroom(['init', join(folder, 'option'), '--port', '9091'], { env: { PORT: '9090' } })
    expect(option.code, option.stderr).toBe(0)
    expect(readFileSync(join(folder, 'option/settings.env'), 'utf8')).toContain('\nPORT=9091\n')
    const wrong = await greenroom(['init', join(folder, 'wrong')], { env: { PORT: 'many' } })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('PORT must be a whole number')
    expect(existsSync(join(folder, 'wrong'))).toBe(false)
  })

  test('writes every setting of the environment, so that it reads as the same value', async () => {
    const env: Record<string, string> = {
      SMTP_URL: 'smtps://user:hush-of-the-mails@mail.example.com',
      MAIL_FROM: `"Anna's" $HOME #1 <a@example.com>`,
      PUBLIC_URL: 'https://example.com',
      METRICS_TOKEN: 'hush-of-the-metrics',
      CORS_ORIGINS: 'https://a.example,https://b.example',
      BACKUP_DIR: 's3://backups/greenroom',
      BACKUP_S3_KEY_ID: "AK'ID",
      BACKUP_S3_SECRET: `hush "of' the\nbucket\`\\n`,
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'ours and theirs\nin two lines',
      OIDC_CLIENT_SECRET: 'hush-of-the-issuer',
      AUDIT_KEEP_DAYS: '90',
      AUDIT_EXPORT_DIR: join(folder, "the trail's #1"),
      LATE_POST_HOURS: '5',
      MASTER_KEY_PREVIOUS: 'cd'.repeat(32),
    }
    // Every other setting has its default.
    const all = { ...Object.fromEntries(Object.entries(SETTINGS).map(([name, [value]]) => [name, value])), ...env }
    const { code, stdout, stderr } = await greenroom(['init'], { env: { ...all, DATA_DIR: dataDir } })
    expect(code, stderr).toBe(0)
    expect(stdout + stderr + contentOf('settings.env')).not.toContain('hush')
    const given = readEnvironment({ DATA_DIR: dataDir })
    const read = Object.entries(all).map(([name]) => [
      name,
      given[name] ?? (given[`${name}_FILE`] ? readFileSync(given[`${name}_FILE`]!, 'utf8').replace(/\n$/, '') : ''),
    ])
    const made = ['OPERATOR_TOKEN', 'BACKUP_PASSPHRASE', 'DATA_DIR']
    const isCompared = ([name]: (string | undefined)[]): boolean => !made.includes(name!) && !name!.endsWith('_FILE')
    expect(Object.fromEntries(read.filter(isCompared))).toEqual(
      Object.fromEntries(Object.entries(all).filter(isCompared)),
    )
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ OIDC_NAME: `all of ' " and \`` }, /^OIDC_NAME cannot be written to settings\.env/],
    [{ OIDC_NAME: 'two\rlines' }, /^OIDC_NAME cannot be written to settings\.env/],
    [{ GRAPH_APP_SECRET: 'hush\r' }, /^GRAPH_APP_SECRET cannot be written to a file/],
  ])('rejects %j, which no file can reproduce, before it writes', async (env, message) => {
    const { code, stderr } = await greenroom(['init', dataDir], { env })
    expect(code, stderr).toBe(2)
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('hush')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('rejects the pipe of a secret, which a start could not read again', async () => {
    const pipe = makePipe(join(folder, 'pipe'), '0123456789abcdef')
    await expect.poll(() => existsSync(pipe)).toBe(true)
    const { code, stderr } = await greenroom(['init', dataDir], { env: { METRICS_TOKEN_FILE: pipe } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('METRICS_TOKEN_FILE must name a file')])
    expect(existsSync(dataDir)).toBe(false)
  })

  test('reports a misspelt setting and leaves it out', async () => {
    const { stderr } = await greenroom(['init', dataDir], { env: { METRIC_TOKEN: 'hush-of-the-metrics' } })
    expect(stderr).toContain('did you mean METRICS_TOKEN?')
    expect(stderr).not.toContain('hush')
  })

  test.each([
    ['.', 'DATA_DIR=. greenroom serve'],
    ['of ours', "DATA_DIR='of ours' greenroom serve"],
    ["Anna's", "DATA_DIR='Anna'\\''s' greenroom serve"],
    ['~', "DATA_DIR='~' greenroom serve"],
    ['plain', 'DATA_DIR=plain greenroom serve'],
  ])('prints the directory %s as a shell accepts it', async (directory, hint) => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
    onTestFinished(() => cwd.mockRestore())
    const { code, stderr } = await greenroom(['init', directory], { env: {} })
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(`  ${hint}\n`)
  })

  test.each([
    ['postgres://greenroom:pass/word-hush@db/greenroom', '`node -p'],
    ['postgres://greenroom:100%hush@db/greenroom', '`node -p'],
    ['postgres://greenroom:1#hush@db/greenroom', '`node -p'],
    ['postgres://greenroom:p@hush/word@db/greenroom', '`node -p'],
    ['postgres://greenroom:p@hush?word@db/greenroom', '`node -p'],
    ['postgres://greenroom:p@hush#word@db/greenroom', '`node -p'],
    ['postgres://greenroom:@/hush@db/greenroom', '`node -p'],
    ['postgres://greenroom:12/hush@db/greenroom', '`node -p'],
    ['postgres://green/room:p@hush@db/greenroom', '`node -p'],
    ['postgres://greenroom@db/greenroom?password=p@hush', '`node -p'],
    ['postgres://greenroom:hush@db/100%', 'database name'],
    ['postgres://greenroom:hush@::1:5432/greenroom', 'brackets'],
    ['postgres://greenroom:hush@fe80::1%eth0/greenroom', 'brackets'],
    ['postgres://greenroom:hush@db:99999/greenroom', '65535'],
    ['postgres://greenroom:hush@db:0/greenroom', '65535'],
    ['postgres://greenroom:hush@db/greenroom?port=99999', '65535'],
    ['postgres://greenroom:hush@:5432/greenroom', 'must name a host'],
    ['postgres://greenroom:hush@/greenroom', 'must name a host'],
    ['postgres://greenroom:hush@d%zb/greenroom', 'host or port'],
    ['postgres://db:port/greenroom', 'host or port'],
  ])('reports the error of %s without its password', async (url, hint) => {
    const { code, stderr } = await init('--database-url', url)
    expect(code).toBe(2)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain('hush')
    expect(mistakesOf({ DATABASE_URL: url, MASTER_KEY: 'ab'.repeat(32) })).toEqual([expect.stringContaining(hint)])
    const typed = await greenroom(['init', '--database-url', '-'], { env: { DATA_DIR: dataDir }, stdin: `${url}\n` })
    expect([typed.code, typed.stderr]).toEqual([2, stderr])
  })

  test.each([
    'postgres://greenroom:p@ss:word@db/greenroom',
    'postgres://greenroom@db/green%40room?user=me%40corp',
    'postgres://greenroom:word@[::1]:5432/greenroom',
    'postgres://greenroom:word@%2Frun%2Fpostgresql/greenroom',
    'postgres:///greenroom?host=/run/postgresql&port=5433',
  ])('accepts %s', (url) => {
    expect(readConfig({ DATABASE_URL: url, MASTER_KEY: 'ab'.repeat(32) }).database.url).toBe(url)
  })

  test('reads the database URL from stdin, and shows no part of a wrong one', async () => {
    const given = await greenroom(['init', '--database-url', '-'], {
      env: { DATA_DIR: dataDir },
      stdin: 'postgres://greenroom@db/greenroom\n',
    })
    expect(given.code, given.stderr).toBe(0)
    expect(configOf().database.url).toBe('postgres://greenroom@db/greenroom')
    const wrong = await greenroom(['init', join(folder, 'other'), '--database-url', 'mysql://root:secret@db/x'])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('--database-url must be')
    expect(wrong.stderr).not.toContain('secret')
    expect(existsSync(join(folder, 'other'))).toBe(false)
  })

  test('replaces nothing, and leaves nothing behind if it cannot write everything', async () => {
    await init()
    const before = [contentOf('operator-token'), contentOf('settings.env')]
    const again = await init()
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain('already exists, so nothing was changed')
    expect([contentOf('operator-token'), contentOf('settings.env')]).toEqual(before)

    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'master.key'), 'a key that seals secrets\n')
    const onPostgres = await greenroom(['init', other, '--database-url', 'postgres://db/greenroom'])
    expect(onPostgres.stderr).toContain(`${join(other, 'master.key')} already exists`)
    expect(readdirSync(other)).toEqual(['master.key'])

    writeFileSync(join(folder, 'file'), '')
    const wrong = await greenroom(['init', join(folder, 'file')])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('cannot be written')
  })

  test('accepts a directory whose service was started without it', async () => {
    mkdirSync(join(dataDir, 'database'), { recursive: true })
    writeFileSync(join(dataDir, 'master.key'), `${'ab'.repeat(32)}\n`)
    expect((await init()).code).toBe(0)
    expect(configOf().access.operatorToken).toBe(contentOf('operator-token').trim())
  })

  test('warns of a profile that the commands would use instead', async () => {
    const profiles = join(folder, 'profiles.json')
    const content = { current: 'acme', profiles: { acme: { url: 'https://greenroom.example' } } }
    writeFileSync(profiles, JSON.stringify(content), { mode: 0o600 })
    const { stderr } = await greenroom(['init'], { env: { DATA_DIR: dataDir, GREENROOM_PROFILES_FILE: profiles } })
    expect(stderr).toContain('current profile, acme')
  })

  test('prints npx if it was run with it', async () => {
    const { stderr } = await greenroom(['init'], { env: { DATA_DIR: dataDir, npm_command: 'exec' } })
    expect(stderr).toContain('npx greenroom serve')
  })
})

describe('settings.env', () => {
  const write = (settings: string): void => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'settings.env'), settings, { mode: 0o600 })
  }

  test('the environment takes precedence, a secret over its file, and a file over its secret in settings.env', () => {
    write('PORT=9000\nOPERATOR_TOKEN_FILE=operator-token\nMETRICS_TOKEN=metrics-token-of-the-file\nMEDIA_DIR=media\n')
    writeFileSync(join(dataDir, 'operator-token'), 'operator-token-of-the-file\n')
    expect(configOf()).toMatchObject({
      http: { port: 9000 },
      access: { operatorToken: 'operator-token-of-the-file' },
      metrics: { token: 'metrics-token-of-the-file' },
      media: { dir: join(dataDir, 'media') },
    })
    expect(configOf({ PORT: '' }).http.port).toBe(9000)
    const other = join(folder, 'metrics')
    writeFileSync(other, 'metrics-token-of-another-file')
    const env = { PORT: '9001', OPERATOR_TOKEN: 'operator-token-given', METRICS_TOKEN_FILE: other }
    expect(configOf(env)).toMatchObject({
      http: { port: 9001 },
      access: { operatorToken: 'operator-token-given' },
      metrics: { token: 'metrics-token-of-another-file' },
    })
  })

  test('a directory is relative to the file, but a bucket is not', () => {
    const access = 'BACKUP_S3_KEY_ID=AKID\nBACKUP_S3_SECRET=hush of the bucket\n'
    write(`BACKUP_DIR=backups\n${access}`)
    expect(configOf()).toMatchObject({ backup: { dir: join(dataDir, 'backups'), bucket: undefined } })
    write(`BACKUP_DIR=s3://backups/greenroom\n${access}`)
    expect(configOf()).toMatchObject({
      backup: { dir: undefined, bucket: { bucket: 'backups', prefix: 'greenroom/' } },
      s3: { keyId: 'AKID' },
    })
  })

  test('quotes, comments, a byte order mark and Windows line ends are read as in other files of this kind', () => {
    write("\uFEFF# a comment\r\nPUBLIC_URL='https://a.example' # ours\r\nexport PORT=9000\r\n\r\nMAIL_FROM=\r\n")
    expect(configOf()).toMatchObject({ http: { port: 9000, publicUrl: 'https://a.example' } })
  })

  test('an unknown name, and DATA_DIR, are mistakes reported with their line', () => {
    write('DATABSE_URL=postgres://db/greenroom\nDATA_DIR=/elsewhere\n')
    expect(mistakesOf()).toEqual([
      expect.stringMatching(/settings\.env sets DATABSE_URL, which is not a setting/),
      expect.stringMatching(/settings\.env sets DATA_DIR, which is the directory of this file/),
    ])
  })

  test('a duplicate name is a mistake reported with its lines, also by the commands', async () => {
    write('PORT=9000\r\nPUBLIC_URL="https://a.example\nPORT=1"\n export  PORT = 9001\n#PORT=2\n')
    const path = join(dataDir, 'settings.env')
    const mistake = `${path} sets PORT in the lines 1 and 4: keep one of them.`
    expect(mistakesOf()).toEqual([mistake])
    const { stderr } = await stage.run(2, ['organizations', 'list'], {
      env: { GREENROOM_URL: undefined, GREENROOM_OPERATOR_TOKEN: undefined, DATA_DIR: dataDir },
    })
    expect(stderr).toContain(mistake)
  })

  test.each([
    ['PORT 9350', 'line 1'],
    ['PORT 9350\nOPERATOR_TOKEN: abcdefhush\nLOG_LEVEL=warn', 'the lines 1 and 2'],
    ['\uFEFF# ours\r\nPORT=1\r\n\r\nabcdefhush\r\n', 'line 4'],
    ['export PORT=1\nexport HOST', 'line 2'],
    ['MAIL_FROM="a\nOIDC_NAME=b\n"\nhush\n', 'line 4'],
    ['OIDC_NAME="hush\nPORT=1\n', 'line 1'],
    ["OIDC_NAME='Anna's hush'\n", 'line 1'],
    ['METRICS_TOKEN:hush=hush\n', 'line 1'],
    ['=hush\n', 'line 1'],
  ])('malformed lines of %j are reported by number and not shown', async (settings, lines) => {
    write(settings)
    const mistake = `${join(dataDir, 'settings.env')} is malformed in ${lines}: write NAME=value, or # before a comment.`
    expect(mistakesOf()).toEqual([expect.stringContaining(mistake)])
    expect(mistakesOf().join()).not.toContain('hush')
    const { stderr } = await stage.run(2, ['organizations', 'list'], {
      env: { GREENROOM_URL: undefined, GREENROOM_OPERATOR_TOKEN: undefined, DATA_DIR: dataDir },
    })
    expect(stderr).toContain(mistake)
    expect(stderr).not.toContain('hush')
  })

  test('an empty value does not take the next line, and a name that may be a secret is not shown', () => {
    write('OIDC_NAME= \nMAIL_FROM=\t\nPORT=9000\n')
    expect(configOf().http.port).toBe(9000)
    write('OPERATOR_TOKEN=a\\\nc2hush==\n')
    expect(mistakesOf()).toEqual([expect.stringContaining('sets a name, which is not a setting')])
  })

  test('an unreadable file is a mistake', () => {
    mkdirSync(join(dataDir, 'settings.env'), { recursive: true })
    expect(mistakesOf()).toEqual([expect.stringMatching(/settings\.env cannot be read: /)])
  })
})

describe('the commands beside a service that was set up here', () => {
  /** Writes a data directory like that of `greenroom init`, for the server of these tests. */
  function setUp(token = OPERATOR_TOKEN): Record<string, string | undefined> {
    mkdirSync(dataDir)
    const { port } = new URL(stage.url)
    writeFileSync(join(dataDir, 'settings.env'), `HOST=0.0.0.0\nPORT=${port}\nOPERATOR_TOKEN_FILE=operator-token\n`)
    writeFileSync(join(dataDir, 'operator-token'), `${token}\n`)
    return { GREENROOM_URL: undefined, GREENROOM_OPERATOR_TOKEN: undefined, DATA_DIR: dataDir }
  }

  test('find its address and its operator token, even with a key in the environment', async () => {
    const env = setUp()
    const tenant = await Tenant.create(stage.app)
    const id = tenant.organizationId
    expect(await stage.json(['workspaces', 'list', id], { env })).toEqual([])
    const saved = join(folder, 'acme.env')
    await stage.run(0, ['keys', 'issue', id, '--save', saved], { env })
    const [, GREENROOM_KEY, GREENROOM_SECRET] = /^export GREENROOM_KEY=(\S+)\nexport GREENROOM_SECRET=(\S+)\n$/.exec(
      readFileSync(saved, 'utf8'),
    )!
    const withKey = { ...env, GREENROOM_KEY, GREENROOM_SECRET }
    expect(await stage.json(['call', 'GET', '/whoami'], { env: withKey })).toMatchObject({ id: GREENROOM_KEY })
    expect(await stage.json(['workspaces', 'list', id], { env: withKey })).toEqual([])
  })

  test('send its token to no other server', async () => {
    const env = { ...setUp(), GREENROOM_URL: 'http://127.0.0.1:1' }
    expect((await stage.run(2, ['organizations', 'list'], { env })).stderr).toContain('Set GREENROOM_OPERATOR_TOKEN')
    const profiles = join(folder, 'profiles.json')
    const content = { current: 'acme', profiles: { acme: { url: 'http://127.0.0.1:1' } } }
    writeFileSync(profiles, JSON.stringify(content), { mode: 0o600 })
    const withProfile = { ...env, GREENROOM_URL: undefined, GREENROOM_PROFILES_FILE: profiles }
    const refused = await stage.run(2, ['organizations', 'list'], { env: withProfile })
    expect(refused.stderr).toContain('The profile acme does not have it.')
  })

  test('say where the address comes from if there is no answer, and if a token cannot be read', async () => {
    const env = setUp()
    writeFileSync(join(dataDir, 'settings.env'), 'PORT=1\nOPERATOR_TOKEN_FILE=operator-token\n')
    const { stderr } = await stage.run(3, ['organizations', 'list'], { env })
    expect(stderr).toContain(`PORT in ${join(dataDir, 'settings.env')}`)
    rmSync(join(dataDir, 'operator-token'))
    const lost = await stage.run(2, ['organizations', 'list'], { env })
    expect(lost.stderr).toContain(`${join(dataDir, 'operator-token')} cannot be read`)
  })
})

describe('greenroom keys issue --save', () => {
  test('writes the secret to a file that only the user can read, shows it nowhere, and replaces no file', async () => {
    const tenant = await Tenant.create(stage.app)
    const saved = join(folder, 'acme.env')
    const { stdout, stderr } = await stage.run(0, ['keys', 'issue', tenant.organizationId, '--save', saved])
    const content = readFileSync(saved, 'utf8')
    const secret = /greenroom_secret_[0-9a-f]{64}/.exec(content)![0]
    expect(stdout + stderr).not.toContain(secret)
    expect(modeOf(saved)).toBe(0o600)
    expect(stderr).toContain(`. ${saved}`)
    const keys = async (): Promise<unknown[]> => stage.json(['keys', 'list', tenant.organizationId])
    const before = await keys()
    const again = await stage.run(2, ['keys', 'issue', tenant.organizationId, '--save', saved])
    expect(again.stderr).toContain('already exists')
    expect(readFileSync(saved, 'utf8')).toBe(content)
    // If the secret cannot be written, no key is issued.
    expect(await keys()).toEqual(before)
    const refused = join(folder, 'refused.env')
    await stage.run(1, ['keys', 'issue', 'org_none', '--save', refused])
    expect(existsSync(refused)).toBe(false)
  })

  test('says which key to revoke if its secret could not be written', async () => {
    const place = join(folder, 'place')
    mkdirSync(place)
    const server = createServer((_, response) => {
      // Removes the directory while the key is being issued.
      rmSync(place, { recursive: true })
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'key_lost', secret: 'greenroom_secret_lost' }))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const saved = join(place, 'acme.env')
    const { code, stdout, stderr } = await greenroom(['keys', 'issue', 'org_a', '--save', saved], {
      env: { GREENROOM_URL: url, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN },
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${saved} cannot be written: there is no such file or directory.`)
    expect(stderr).toContain('Revoke it with greenroom keys revoke org_a key_lost.')
    expect(stderr).not.toContain('greenroom_secret_lost')
  })
})

test('--quiet prints only the id, for a shell variable', async () => {
  const organization = (await stage.run(0, ['organizations', 'create', 'Quiet', '--quiet'])).stdout.trim()
  expect(organization).toMatch(/^org_\S+$/)
  const create = ['workspaces', 'create', organization, 'VIPs', '--type', 'VIP', '--quiet']
  expect((await stage.run(0, create)).stdout).toMatch(/^ws_\S+\n$/)
})
