import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SandboxAdAccount } from '../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { accessTokenContext, insertAdAccount } from '../src/insights/ad-accounts.store.js'
import { toNodeArgs } from './child.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, makeAccount, makeCampaign } from './graph-harness.js'
import { Tenant } from './harness.js'
import { type ListeningApp, startListening } from './listening.js'
import { insertPost } from './posts.js'
import { codeBlock, codeBlocks, ROOT } from './recipes.js'
import { findTool } from './tools.js'

const RECIPES = `${ROOT}/docs/recipes`
/** The day begins here before it does anywhere else, so yesterday in UTC is another day for most of the day. */
const TIMEZONE = 'Pacific/Kiritimati'
const DAY_MS = 86_400_000

const bash = findTool('bash')
const curl = findTool('curl')
const openssl = findTool('openssl')
const python = findTool('python3')

const dateInZone = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * DAY_MS).toLocaleDateString('sv-SE', { timeZone: TIMEZONE })

let sandbox: Sandbox
let service: ListeningApp
let folder: string
let adAccount: SandboxAdAccount
let tenant: Tenant
let workspace: string
let channel: string
let env: Record<string, string>

beforeAll(async () => {
  const dates = [4, 3, 2, 1, 0].map(dateInZone)
  // There are three pages, and the middle one is empty: only the first and the last campaign delivered recently.
  const silent = Array.from({ length: 199 }, () => makeCampaign(['2026-05-01']))
  adAccount = makeAccount({ timezone: TIMEZONE, campaigns: [makeCampaign(dates), ...silent, makeCampaign(dates)] })
  sandbox = await startSandbox({ model: { tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] }, adAccounts: [adAccount] } })
  service = await startListening({ GRAPH_BASE_URL: sandbox.url })
  folder = makeFolder()
})

afterAll(async () => {
  await service.close()
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  tenant = await Tenant.create(service)
  workspace = await tenant.workspace()
  channel = await tenant.channel([workspace])
  const { database, sealer } = service.context
  await insertAdAccount(database, tenant.organizationId, {
    ad_account_id: AD_ACCOUNT_ID,
    name: 'Shop',
    currency: 'EUR',
    timezone: TIMEZONE,
    access_token_sealed: sealer.seal(ACCESS_TOKEN, accessTokenContext(tenant.organizationId, AD_ACCOUNT_ID)),
  })
  env = {
    GREENROOM_URL: service.url,
    GREENROOM_KEY: tenant.key.id,
    GREENROOM_SECRET: tenant.key.secret,
    WORKSPACE: workspace,
    CHANNEL: channel,
    AD_ACCOUNT: AD_ACCOUNT_ID,
  }
})

/** Makes a folder as the pages assume it: the recipes, and greenroom with its command and its client, from the sources. */
function makeFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'greenroom-recipes-'))
  cpSync(RECIPES, join(made, 'docs/recipes'), { recursive: true })
  const installed = join(made, 'node_modules/greenroom')
  mkdirSync(installed, { recursive: true })
  const nodeArgs = (path: string): string[] => toNodeArgs(pathToFileURL(join(ROOT, path)))
  const client = nodeArgs('src/client/index.ts').at(-1)!
  symlinkSync(dirname(client), join(installed, 'client'))
  const exported = { './client': `./client/${basename(client)}` }
  writeFileSync(
    join(installed, 'package.json'),
    JSON.stringify({ name: 'greenroom', type: 'module', exports: exported }),
  )
  mkdirSync(join(made, 'bin'))
  const command = join(made, 'bin/greenroom')
  const words = [process.execPath, ...nodeArgs('src/main.ts')]
  writeFileSync(command, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(command, 0o755)
  return made
}

interface Run {
  code: number
  stdout: string
  stderr: string
}

/** Runs a shell command in that folder as a reader of the page would. */
async function shell(command: string, overrides: Record<string, string> = {}): Promise<Run> {
  const surroundings = {
    ...process.env,
    ...env,
    PATH: [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(':'),
    PYTHONDONTWRITEBYTECODE: '1',
    XDG_CONFIG_HOME: folder,
    PYTHONIOENCODING: 'utf-8',
    ...overrides,
  }
  const script = `set -euo pipefail\n${command}`
  try {
    const { stdout, stderr } = await promisify(execFile)(bash!, ['-c', script], { cwd: folder, env: surroundings })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Run
    if (typeof code !== 'number') throw error
    return { code, stdout, stderr }
  }
}

/** Runs a shell command that must succeed; returns its output. */
async function say(command: string): Promise<string> {
  const { code, stdout, stderr } = await shell(command)
  expect(code, stderr).toBe(0)
  return stdout
}

const page = (name: string): string => `docs/recipes/${name}.md`
const fileOf = (name: string): string => readFileSync(join(RECIPES, name), 'utf8')

describe.skipIf(!bash)('birthdays this month (needs bash)', () => {
  test('prints one line for each birthday of the month, by day, and disarms names that a spreadsheet would run', async () => {
    const month = String(new Date().getMonth() + 1).padStart(2, '0')
    const other = month === '12' ? '01' : '12'
    const rows = [
      { id: 'a', birthday: `1990-${month}-21`, user_name: 'x' },
      { id: 'b', birthday: `--${month}-03` },
      { id: 'c', birthday: `1990-${other}-03` },
      { id: 'd' },
      { id: 'e', birthday: `2001-${month}-10` },
      { id: 'not a VIP', birthday: `1990-${month}-05` },
    ]
    await tenant.conversations(channel, rows)
    await tenant.changeAudience(
      channel,
      `update conversations set first_name = case conversation_id when 'a' then $3 else $4 end, last_name = 'Núñez'
        where organization_id = $1 and channel_id = $2 and conversation_id in ('a', 'b')`,
      ['=HYPERLINK("http://evil.example")', 'Zoë, "Zo"'],
    )
    await tenant.markVips(workspace, channel, ['a', 'b', 'c', 'd', 'e'])

    const [withCommand, withFile] = codeBlocks(page('birthdays-this-month'), 'sh')
    await say(withFile!)
    const lines = readFileSync(join(folder, 'birthdays-by-day.csv'), 'utf8').split('\r\n')
    const m = Number(month)
    expect(lines).toEqual([
      'month,day,year of birth,first name,last name,cuid',
      `${m},3,,"Zoë, ""Zo""",Núñez,cu_b`,
      `${m},10,2001,,,cu_e`,
      `${m},21,1990,"'=HYPERLINK(""http://evil.example"")",Núñez,cu_a`,
      '',
    ])

    await say(withCommand!)
    const [header, ...exported] = readFileSync(join(folder, 'birthdays.csv'), 'utf8').trim().split('\r\n')
    expect(header).toContain('conversationId,')
    expect(exported.map((line) => line.split(',')[0])).toEqual(['a', 'b', 'e'])
  })

  test('ends with an error and prints no line for a wrong id', async () => {
    const { code, stdout, stderr } = await shell(`node docs/recipes/birthdays-this-month.mjs ws_none "$CHANNEL"`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('NotFoundError')
  })
})

describe.skipIf(!bash || !python)('yesterday into SQLite (needs bash, python3)', () => {
  /** Returns everything in the table. */
  const table = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse(
      await say(`python3 -c '
import json, sqlite3
database = sqlite3.connect("insights.db")
database.row_factory = sqlite3.Row
print(json.dumps([dict(row) for row in database.execute("select * from daily_insights order by campaign_id, date")]))
'`),
    )

  test('leaves the same table after a second run, and updates a changed day', async () => {
    const [once, threeDays] = codeBlock(page('insights-to-sqlite'), 'sh').trim().split('\n')
    const yesterdays = [dateInZone(1)]
    expect(await say(once!)).toMatch(/: 2 rows, 2 of them new or changed\n$/)
    const first = await table()
    yesterdays.push(dateInZone(1))
    expect(first).toHaveLength(2)
    expect(first.map(({ ad_account_id }) => ad_account_id)).toEqual([AD_ACCOUNT_ID, AD_ACCOUNT_ID])
    expect(yesterdays).toContain(first[0]!.date)
    expect(first[0]).toMatchObject({ spend: 38.87, delivered: 2755, read_rate: null })

    expect(await say(once!)).toMatch(/: 2 rows, 0 of them new or changed\n$/)
    expect(await table()).toEqual(first)

    const [changed] = adAccount.campaigns
    for (const day of changed!.days) day.metrics = { ...day.metrics, marketing_messages_spend: '40.01' }
    expect(await say(once!)).toMatch(/: 2 rows, 1 of them new or changed\n$/)
    const [row] = (await table()).filter(({ campaign_id }) => campaign_id === changed!.id)
    expect(row).toMatchObject({ spend: 40.01, delivered: 2755 })
    expect(JSON.parse(String(row!.day_row))).toMatchObject({ marketing_messages_spend: '40.01' })

    expect(await say(threeDays!)).toMatch(/: 6 rows, 4 of them new or changed\n$/)
    expect(await table()).toHaveLength(6)
  })

  test("writes a line for each of yesterday's campaigns with the command in the text", async () => {
    const [command] = readFileSync(`${ROOT}/${page('insights-to-sqlite')}`, 'utf8').match(
      /(?<=`)greenroom insights .+?(?=`)/,
    )!
    await say(command!)
    const [header, ...lines] = readFileSync(join(folder, 'insights.csv'), 'utf8').trim().split('\r\n')
    expect(header).toContain('marketing_messages_spend')
    expect(lines).toHaveLength(2)
  })

  test('ends with the reason and leaves the table alone if the server refuses', async () => {
    await say('rm -f insights.db')
    const run = await shell(codeBlock(page('insights-to-sqlite'), 'sh'), { GREENROOM_SECRET: 'wrong' })
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('403 {"message":"The signature is wrong')
    expect(await say('ls')).not.toContain('insights.db')
  })
})

describe.skipIf(!bash)('rejected posts back to draft (needs bash)', () => {
  const notesOf = async (id: string): Promise<unknown> => {
    const { body } = await tenant.get(200, `/scheduled-posts/${id}`)
    return [body.status, body.notes]
  }

  test("moves all of them, more than a page, with the note above the reviewer's text, and no others", async () => {
    const command = codeBlock(page('rejected-posts-to-draft'), 'sh')
    const rejected: string[] = []
    for (let index = 0; index < 203; index++) {
      rejected.push(await insertPost(tenant, { status: 'REJECTED', notes: `Too dark, ${index}` }))
    }
    const bare = await insertPost(tenant, { status: 'REJECTED' })
    const waiting = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL', notes: 'Look at it' })

    const moved = (await say(command)).trim().split('\n')
    expect(moved.toSorted()).toEqual([...rejected, bare].map((id) => `${id} is a draft again`).toSorted())
    expect(await notesOf(rejected[0]!)).toEqual(['DRAFT', 'Autumn clean-up\n\nToo dark, 0'])
    expect(await notesOf(bare)).toEqual(['DRAFT', 'Autumn clean-up'])
    expect(await notesOf(waiting)).toEqual(['WAITING_FOR_APPROVAL', 'Look at it'])
    expect(await say(command)).toBe('')
  })

  test('does nothing without a note', async () => {
    const id = await insertPost(tenant, { status: 'REJECTED', notes: 'Too dark' })
    const { code, stderr } = await shell('node docs/recipes/rejected-posts-to-draft.mjs')
    expect(code).toBe(1)
    expect(stderr).toContain('Say why')
    expect(await notesOf(id)).toEqual(['REJECTED', 'Too dark'])
  })
})

describe('a signed call', () => {
  const [inBash, inPython] = codeBlocks(page('signed-call'), 'sh')
  const body = `{"notes":"It's \\"done\\" 🎉 $HOME"}`
  const change = (): Promise<string> => insertPost(tenant, { status: 'DRAFT' })

  test.skipIf(!bash || !curl || !openssl)(
    'bash: a read, a write, and a refusal (needs bash, curl, openssl)',
    async () => {
      expect(JSON.parse(await say(inBash!))).toMatchObject([{ id: workspace }])
      const id = await change()
      const call = `bash docs/recipes/signed-call.sh PATCH "/scheduled-posts/$ID" "$BODY"`
      const { code, stdout } = await shell(call, { ID: id, BODY: body })
      expect([code, JSON.parse(stdout).notes]).toEqual([0, `It's "done" 🎉 $HOME`])
      const refused = await shell(inBash!, { GREENROOM_SECRET: 'wrong' })
      expect(refused.code).not.toBe(0)
      expect(refused.stdout).toContain('The signature is wrong')
    },
  )

  test.skipIf(!bash || !python)('Python: a read, a write, and a refusal (needs bash, python3)', async () => {
    expect(JSON.parse(await say(inPython!))).toMatchObject([{ id: workspace }])
    const id = await change()
    const call = `python3 docs/recipes/signed_call.py PATCH "/scheduled-posts/$ID" "$BODY"`
    const { code, stdout } = await shell(call, { ID: id, BODY: body })
    expect([code, JSON.parse(stdout).notes]).toEqual([0, `It's "done" 🎉 $HOME`])
    const refused = await shell(inPython!, { GREENROOM_SECRET: 'wrong' })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('403 {"message":"The signature is wrong')
  })

  test('Postman: every request of the collection is accepted, signed by its script', async () => {
    const variables = await variablesOfRequests()
    const { item, event } = postman()
    expect(item).toHaveLength(4)
    for (const { name, request } of item) {
      const headers = Object.fromEntries(request.header.map(({ key, value }) => [key, value]))
      const pm = {
        variables: { get: (name: string) => variables[name] },
        request: { headers: { upsert: ({ key, value }: Header) => Object.assign(headers, { [key]: value }) } },
      }
      runInNewContext(event[0]!.script.exec.join('\n'), { pm, require: requireCryptoJs })
      await expectAccepted(name, request.method, fill(request.url.raw, variables), headers, request.body?.raw)
    }
  })

  test('Bruno: every request of the collection is accepted, signed by its script', async () => {
    const environment = brunoBlock(fileOf('bruno/environments/local.bru'), 'vars')
    const variables = await variablesOfRequests()
    const secret = ['key', 'secret']
    const declared = [...environment.matchAll(/^ *(\w+):/gm)].map(([, name]) => name!)
    expect([...declared, ...secret].toSorted()).toEqual(Object.keys(variables).toSorted())
    const files = ['list-workspaces', 'list-vip-users', 'list-daily-insights', 'update-scheduled-post']
    for (const file of files) {
      const text = fileOf(`bruno/${file}.bru`)
      const method = /^(get|patch) \{$/m.exec(text)![1]!
      const target = /^ {2}url: (.+)$/m.exec(text)![1]!
      const body = text.includes('body:json') ? brunoBlock(text, 'body:json') : undefined
      const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const bru = { getEnvVar: (name: string) => variables[name] }
      const req = { setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }) }
      const script = brunoBlock(fileOf('bruno/collection.bru'), 'script:pre-request')
      runInNewContext(script, { bru, req, require: requireCryptoJs })
      await expectAccepted(file, method.toUpperCase(), fill(target, variables), headers, body)
    }
  })

  async function variablesOfRequests(): Promise<Record<string, string>> {
    await tenant.conversations(channel, [{ id: 'a' }])
    return {
      baseUrl: `${service.url}/v1`,
      key: tenant.key.id,
      secret: tenant.key.secret,
      workspaceId: workspace,
      channelId: channel,
      adAccountId: AD_ACCOUNT_ID,
      startDate: dateInZone(2),
      endDate: dateInZone(1),
      scheduledPostId: await insertPost(tenant, { status: 'REJECTED' }),
    }
  }
})

interface Header {
  key: string
  value: string
}

interface PostmanCollection {
  event: { script: { exec: string[] } }[]
  item: {
    name: string
    request: { method: string; header: Header[]; url: { raw: string }; body?: { raw: string } }
  }[]
}

const postman = (): PostmanCollection => JSON.parse(fileOf('greenroom.postman_collection.json'))

/** Returns the text between the braces of a block of a .bru file. */
function brunoBlock(text: string, name: string): string {
  return new RegExp(`^${name} \\{\\n([\\s\\S]*?)^\\}$`, 'm').exec(text)![1]!
}

const fill = (text: string, variables: Record<string, string>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables[name]!)

/**
 * The library that both programs offer to scripts, as far as a signature needs it: text as UTF-8, and toString() as
 * lowercase hex.
 */
function requireCryptoJs(name: string): unknown {
  if (name !== 'crypto-js') throw new Error(`There is no module ${name} for scripts.`)
  const HmacSHA256 = (text: string, key: string) => ({
    toString: () => createHmac('sha256', key).update(text).digest('hex'),
  })
  return { HmacSHA256 }
}

async function expectAccepted(
  name: string,
  method: string,
  target: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<void> {
  const response = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) })
  expect(response.status, `${name}: ${await response.text()}`).toBe(200)
}
