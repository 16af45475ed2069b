import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDemoModel, type Sandbox, startSandbox } from '../packages/sandbox/src/index.js'
import { toBareDate } from '../src/lib/dates.js'
import { type Child, startChild, toNodeArgs } from './child.js'
import { type Block, blocksToRun } from './doc-commands.js'
import { freePort } from './free-port.js'
import { FROM_OWN_PAGE } from './harness.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from './test-database.js'
import { findTool } from './tools.js'

const MAIN = new URL('../src/main.ts', import.meta.url)
const PLATFORM = makeDemoModel({ seed: 1, today: toBareDate(Date.now()) })
const bash = findTool('bash')

/** Commands that fail here because a page shows them for a different case: their beginnings, and the responses. */
const REFUSED: Record<string, RegExp> = {
  'greenroom posts retry': /post/i,
  'greenroom channels delete ORG CHANNEL\n': /--yes/,
  'greenroom automation stop': /superpower/i,
}
/** Commands that would wait for a person or replace the service, each with the test that runs them. */
const ELSEWHERE: Record<string, string> = {
  'greenroom serve': 'test/readme.long.test.ts',
  'greenroom init': 'src/cli/init.test.ts',
  'greenroom login': 'src/cli/login.test.ts',
  'greenroom logout': 'src/cli/login.test.ts',
  'greenroom --profile other': 'src/cli/profiles.test.ts',
  'greenroom profiles': 'src/cli/profiles.test.ts',
}

/** The files that the commands read. */
const FILES: Record<string, string> = {
  'audience.csv': 'conversationId,cuid,firstName,lifetimeValue,vip\nc-1,cu-1,Zoë,120.5,true\nc-2,cu-2,Noah,80,true\n',
  'crm.csv': 'Chat,Customer no,Notes,firstName\nc-3,cu-3,none,Ana\n',
  'orders.csv': `orderId,amount,currency,at,userId\no-1,20,EUR,${new Date().toISOString()},cu-1\n`,
  'page-token.txt': `${PLATFORM.pageAccessToken}\n`,
  'token.txt': `${PLATFORM.accessToken}\n`,
  'secret.txt': 'the secret of the shop\n',
  'passphrase.txt': 'words that no one guesses\n',
  'raffle.json': '{"conditionGroups":[]}',
}

/** The id that a command has made, by the words with which it begins. */
const MADE: Record<string, string> = {
  'organizations create': 'ORG',
  'workspaces create': 'WORKSPACE',
  'posts create': 'POST',
  'segments create': 'SEGMENT',
  'superpowers create': 'SUPERPOWER',
  'discussions write': 'MESSAGE',
  'keys issue': 'KEY',
  'sources add ORG EVENTS': 'SOURCE',
}

describe.skipIf(bash === undefined)('the commands of docs/ (need bash)', () => {
  let folder: string
  let sandbox: Sandbox
  let service: Child
  let url: string
  const ids: Record<string, string> = {
    CHANNEL: `FB_PAGE_${PLATFORM.pageId}`,
    AD_ACCOUNT: PLATFORM.adAccountId,
    CONVERSATION: 'c-1',
    ANOTHER: 'c-2',
    CUID: 'cu-1',
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'greenroom-docs-'))
    mkdirSync(join(folder, 'bin'))
    const command = join(folder, 'bin/greenroom')
    const words = [process.execPath, ...toNodeArgs(MAIN)].map((word) => `'${word}'`).join(' ')
    writeFileSync(command, `#!/bin/sh\nexec ${words} "$@"\n`)
    chmodSync(command, 0o755)
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
    sandbox = await startSandbox({ model: PLATFORM.model })
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const database: Record<string, string> =
      TEST_DATABASE_URL === undefined ? {} : { DATABASE_URL: await createEmptyDatabase('docs') }
    const set = { PORT: String(port), GRAPH_BASE_URL: sandbox.url, BACKUP_DIR: join(folder, 'backups'), ...database }
    await run('greenroom init', set)
    service = startChild(MAIN, ['serve'], { ...CLEAN, DATA_DIR: join(folder, '.greenroom') })
    for await (const line of service.lines) if (line.includes('Greenroom listens at')) break
    service.process.stdout.resume()
  })
  afterAll(async () => {
    service.process.kill('SIGTERM')
    await service.ended
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Variables of these tests that a reader does not have. */
  const CLEAN = { PORT: '', OPERATOR_TOKEN: '', DATABASE_URL: '', MASTER_KEY: '', GREENROOM_URL: '' }

  async function run(command: string, given: Record<string, string> = {}): Promise<string> {
    const path = [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(':')
    const env = { ...process.env, ...CLEAN, OUTSIDE_MEDIA: 'off', XDG_CONFIG_HOME: folder, PATH: path, ...given }
    const script = `set -euo pipefail\n[ -f warehouse.env ] && . ./warehouse.env\n${command}`
    const ran = promisify(execFile)(bash!, ['-c', script], { cwd: folder, env })
    // Some commands ask for a passphrase.
    ran.child.stdin!.end(FILES['passphrase.txt'])
    return (await ran).stdout
  }

  /** Returns a command of a page, with the ids and files of these tests. */
  function filled(command: string): string {
    const text = command
      .replaceAll('123456789012345', PLATFORM.pageId)
      .replaceAll('104512883716042', PLATFORM.pageId)
      .replaceAll('FB_PAGE_172938475610293', ids.CHANNEL!)
      .replaceAll('1234567890', PLATFORM.adAccountId)
      .replaceAll('org_5V3kPq', ids.ORG ?? 'ORG')
      .replaceAll('usr_4Tb9Wn', ids.PERSON ?? 'PERSON')
      .replace('2026-12-24T09:00:00Z', '+1d')
      .replace('posts approve ORG POST', 'posts approve ORG POST --yes')
      .replace("--reason 'Sold out'", "--reason 'Sold out' --yes")
    return text.replaceAll(/\b[A-Z]{2,}(?:_[A-Z]+)?\b/g, (word) => ids[word] ?? word)
  }

  test.each(blocksToRun().map((block) => [`${block.page}: ${block.code.split('\n')[0]}`, block] as const))(
    '%s',
    async (_name, block) => {
      for (const command of commandsOf(block)) {
        if ([...Object.keys(ELSEWHERE), 'export '].some((start) => command.startsWith(start))) continue
        const given = filled(command)
        const refusal = Object.entries(REFUSED).find(([start]) => `${command}\n`.startsWith(start))?.[1]
        if (refusal !== undefined) {
          expect(await run(given).catch(({ stderr }) => stderr), given).toMatch(refusal)
          continue
        }
        const output = await run(given).catch(({ stderr }) =>
          // A terminal would have asked.
          stderr.includes('add --yes') ? run(`${given} --yes`) : expect.unreachable(`${given}\n${stderr}`),
        )
        const made = Object.entries(MADE).find(([words]) => command.startsWith(`greenroom ${words}`))?.[1]
        if (made !== undefined) ids[made] = idOf(JSON.parse(output))
        // Some pages need a member before the page about people makes another one.
        if (made === 'ORG') ids.PERSON = await invite('lea@example.com')
        if (command.startsWith('greenroom invitations create')) ids.PERSON = await accept(JSON.parse(output).link)
      }
    },
    900_000,
  )

  test('what they have made exists', async () => {
    expect(readFileSync(join(folder, 'warehouse.env'), 'utf8')).toContain('GREENROOM_KEY=')
    expect(sandbox.requests.length).toBeGreaterThan(1)
  })

  const invite = async (mail: string): Promise<string> =>
    accept(JSON.parse(await run(`greenroom invitations create ${ids.ORG} ${mail} --role EDITOR`)).link)

  /** Accepts an invitation as a browser does; returns the id of the person. */
  async function accept(link: string): Promise<string> {
    const body = JSON.stringify({ token: link.split('#invitation=')[1], name: 'Zoe', password: 'words of a person' })
    const headers = { 'content-type': 'application/json', ...FROM_OWN_PAGE }
    const answer = await fetch(`${url}/api/invitation/accept`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
    return ((await answer.json()) as { person: { id: string } }).person.id
  }
})

/** Returns the commands of a block, without comments and with long lines joined. */
const commandsOf = ({ code }: Block): string[] =>
  code
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .map((line) => line.replace(/ +# .*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

// biome-ignore lint/suspicious/noExplicitAny: the responses of several commands
const idOf = (made: any): string => made.creativeTemplateId ?? made.messageId ?? made.id
