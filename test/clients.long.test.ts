import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentOf } from './documents.js'
import { OPERATOR_TOKEN, Tenant } from './harness.js'
import { type ListeningApp, startListening } from './listening.js'
import { ROOT } from './recipes.js'

/**
 * Generates two clients from the documents with tools from npm. The programs of packages/generated call the app with
 * them. `npm run test:clients` installs the generators and runs this.
 */
const PACKAGE = join(ROOT, 'packages/generated')
const MODULES = join(PACKAGE, 'node_modules')
const isInstalled = existsSync(MODULES)
if (!isInstalled && process.env.REQUIRE_TOOLS)
  throw new Error('The generators of clients are not installed: npm ci --prefix packages/generated')

const DOCUMENTS = ['all', 'v1'] as const

const run = promisify(execFile)

describe.skipIf(!isInstalled)('a generated client (needs packages/generated)', () => {
  let folder: string
  let app: ListeningApp
  const call = async (program: string, ...words: string[]): Promise<string> => {
    const { stdout, stderr } = await run(process.execPath, [join(MODULES, program), ...words], { cwd: folder })
    return stripVTControlCharacters(stdout + stderr)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'greenroom-clients-'))
    for (const name of readdirSync(PACKAGE).filter((file) => /\.ts$|^(?:ts|package\.)\w*\.?json$/.test(file))) {
      cpSync(join(PACKAGE, name), join(folder, name))
    }
    symlinkSync(MODULES, join(folder, 'node_modules'))
    mkdirSync(join(folder, 'generated/openapi-typescript'), { recursive: true })
    for (const name of DOCUMENTS) writeFileSync(join(folder, `${name}.json`), JSON.stringify(documentOf(name)))
    app = await startListening()
  })
  afterAll(async () => {
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('openapi-typescript and @hey-api/openapi-ts accept both documents without complaints', async () => {
    for (const name of DOCUMENTS) {
      const types = await call(
        'openapi-typescript/bin/cli.js',
        `${name}.json`,
        '-o',
        `generated/openapi-typescript/${name}.ts`,
      )
      const sdk = await call(
        ...(['@hey-api/openapi-ts/bin/run.js', '-i', `${name}.json`, '-o', `generated/hey-api/${name}`] as const),
        ...['-c', '@hey-api/client-fetch', '--no-log-file'],
      )
      expect(types).toContain(`${name}.json → generated/openapi-typescript/${name}.ts`)
      expect(sdk).toContain('Done!')
      expect(types + sdk).not.toMatch(/warn|error|invalid|duplicate|deprecat|unsupported/i)
    }
  })

  test('the generated code compiles in strict mode, together with calls of it', async () => {
    expect(await call('typescript/bin/tsc', '-p', '.')).toBe('')
  })

  test.each(['by-openapi-fetch', 'by-hey-api'])('%s makes ten calls of /api and ten of /v1', async (program) => {
    const tenant = await Tenant.create(app)
    const workspace = await tenant.workspace('VIP')
    await tenant.channel([workspace])
    const env = {
      ...process.env,
      GREENROOM_URL: app.url,
      GREENROOM_TOKEN: OPERATOR_TOKEN,
      GREENROOM_KEY: tenant.key.id,
      GREENROOM_SECRET: tenant.key.secret,
    }
    const { stdout } = await run(process.execPath, [join(folder, 'built', `${program}.js`)], { cwd: folder, env })
    expect(JSON.parse(stdout)).toEqual([
      ...['getApiCaller 200', 'createOrganization 201', 'createWorkspace 201', 'createChannel 201'],
      ...['connectChannel 200', 'listMembers 200', 'updateOrganization 200', 'createOrganizationScheduledPost 201'],
      ...['listAuditTrail 200', 'getOrganizationScheduledPost 404 post_not_found'],
      ...['getCaller 200', 'listWorkspaces 200', 'listChannels 200', 'listVipUsers 200', 'createScheduledPost 201'],
      ...['getScheduledPost 200', 'updateScheduledPost 200', 'updateScheduledPost 412 post_changed'],
      ...['listScheduledPosts 200', 'deleteScheduledPost 200'],
    ])
  })
})
