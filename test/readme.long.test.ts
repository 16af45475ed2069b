import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Child, startChild, TSX } from './child.js'
import { freePort } from './free-port.js'
import { codeBlocks, ROOT } from './recipes.js'
import { findTool } from './tools.js'

const MAIN = new URL('../src/main.ts', import.meta.url)
const PAGES = ['README.md', 'docs/api.md']
/** The README's address, which the demo uses if its port is free. */
const WRITTEN_URL = 'http://127.0.0.1:8080'

const tools = ['bash', 'curl', 'openssl', 'python3'].map((name) => findTool(name))

/** The values that the reader takes from the demo's output and from demo.json. */
interface Demo {
  baseUrl: string
  organizationId: string
  workspaceId: string
  channelId: string
  adAccountId: string
  key: { id: string; secret: string }
}

/** Blocks that other tests run, by their first line. */
const ELSEWHERE = ['npm ci && npm run demo', 'npm ci && npm run build']
/** The block that sets up the reader's own organization, on their own service. */
const OWN = 'organization=$(npx greenroom organizations create'

describe.skipIf(tools.includes(undefined))('the README and docs/api.md (need bash, curl, openssl and python3)', () => {
  let folder: string
  let child: Child
  let demo: Demo
  let url: string
  const said: string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'greenroom-readme-'))
    mkdirSync(join(folder, 'bin'))
    // npm ci puts the command and the client there.
    program('npx', `shift\nexec '${process.execPath}' --import '${TSX}' '${MAIN.pathname}' "$@"`)
    program('greenroom', `exec '${process.execPath}' --import '${TSX}' '${MAIN.pathname}' "$@"`)
    const installed = join(folder, 'node_modules/greenroom')
    mkdirSync(installed, { recursive: true })
    symlinkSync(join(ROOT, 'src/client'), join(installed, 'client'))
    const exported = { name: 'greenroom', type: 'module', exports: { './client': './client/index.ts' } }
    writeFileSync(join(installed, 'package.json'), JSON.stringify(exported))
    child = startChild(MAIN, ['demo'], { PORT: '0', DATA_DIR: join(folder, '.greenroom-demo') })
    for await (const line of child.lines) {
      said.push(line)
      if (line.startsWith('Ready at')) break
    }
    demo = JSON.parse(readFileSync(join(folder, '.greenroom-demo/demo.json'), 'utf8'))
    url = new URL(demo.baseUrl).origin
  })
  afterAll(async () => {
    child.process.kill('SIGTERM')
    await child.ended
    rmSync(folder, { recursive: true, force: true })
  })

  function program(name: string, script: string): void {
    const path = join(folder, 'bin', name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }

  /** Runs a program as a reader does, by default in the demo's folder; fails unless it succeeds. Returns its output. */
  async function run(command: string, args: string[], cwd = folder): Promise<string> {
    const { GREENROOM_URL: _, ...env } = process.env
    const path = [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(':')
    const options = { cwd, env: { ...env, PATH: path, XDG_CONFIG_HOME: folder, PYTHONIOENCODING: 'utf-8' } }
    const { stdout } = await promisify(execFile)(command, args, options)
    return stdout
  }
  /** Returns the block with the reader's own ids and keys filled in. */
  const filled = (block: string): string =>
    block
      .replaceAll(WRITTEN_URL, url)
      .replaceAll(/\bWORKSPACE\b/g, demo.workspaceId)
      .replaceAll(/\bCHANNEL\b/g, demo.channelId)
      .replaceAll(/\bAD_ACCOUNT\b/g, demo.adAccountId)
      .replace('key=key_… secret=…', `key=${demo.key.id} secret=${demo.key.secret}`)
  const bash = (script: string, cwd?: string): Promise<string> =>
    run(tools[0]!, ['-c', `set -euo pipefail\n${script}`], cwd)

  const shell = ['sh', 'bash'].flatMap((tag) => PAGES.flatMap((page) => codeBlocks(page, tag)))
  const own = shell.filter((block) => block.startsWith(OWN))
  const here = shell.filter((block) => ![...ELSEWHERE, OWN].some((start) => block.startsWith(start)))

  test('every block is run, here or elsewhere', () => {
    expect([shell.length - here.length, own.length]).toEqual([ELSEWHERE.length + 1, 1])
    const fences = PAGES.flatMap((page) => readFileSync(join(ROOT, page), 'utf8').match(/^```\w+$/gm) ?? [])
    expect(fences).toHaveLength(shell.length + 2)
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const [, script] of shell.join('').matchAll(/npm (?:run )?(demo|test|start)\b/g)) {
      expect(scripts).toHaveProperty(script!)
    }
  })

  test.each(here.map((block, index) => [index + 1, block] as const))('shell block %i', async (_index, block) => {
    const stdout = await bash(filled(block))
    expect(stdout).not.toBe('')
    // A placeholder for something that the reader does not have would be sent as it is.
    expect(filled(block)).not.toMatch(/…(?! )|\b[A-Z]{2,}_[A-Z]+\b(?<!LC_ALL)/)
  })

  test('the README is enough to create an organization on a service set up with init', async () => {
    const ownFolder = join(folder, 'own')
    mkdirSync(ownFolder)
    const port = await freePort()
    const [, set] = shell.find((block) => block.startsWith('npm ci && npm run build'))!.split('\n')
    expect(set).toMatch(/^npx greenroom init /)
    await bash(set!, ownFolder)
    const settings = join(ownFolder, '.greenroom/settings.env')
    const text = readFileSync(settings, 'utf8')
    expect(text).toContain('PORT=8080\n')
    writeFileSync(settings, text.replace('PORT=8080', `PORT=${port}`))
    const service = startChild(MAIN, ['serve'], {
      PORT: '',
      OPERATOR_TOKEN: '',
      DATA_DIR: join(ownFolder, '.greenroom'),
    })
    onTestFinished(async () => {
      service.process.kill('SIGTERM')
      await service.ended
    })
    for await (const line of service.lines) if (line.includes('Greenroom listens at')) break
    // The log needs a reader all the time.
    service.process.stdout.resume()
    const said = await bash(own[0]!, ownFolder)
    expect(said).toContain(`http://127.0.0.1:${port}/#invitation=`)
    expect(JSON.parse(await bash('npx greenroom organizations list', ownFolder))).toMatchObject([{ name: 'Acme' }])
  }, 300_000)

  test('its post is published a minute after its time', async () => {
    const posts = JSON.parse(await bash(`npx greenroom posts list --json`)) as { status: string; mediumsData: object }[]
    const mine = posts.find((post) => JSON.stringify(post.mediumsData).includes('Lanterns tonight at eight'))
    expect(['SCHEDULED', 'PUBLISHING', 'PUBLISHED']).toContain(mine?.status)
  })

  test('TypeScript, with the client', async () => {
    const { key, workspaceId, channelId } = demo
    const [block] = codeBlocks('docs/api.md', 'ts')
    const given = { key: key.id, secret: key.secret, workspaceId, mediumId: channelId }
    writeFileSync(
      join(folder, 'readme.mts'),
      `const { key, secret, workspaceId, mediumId } = ${JSON.stringify(given)}\n${filled(block!)}`,
    )
    expect(await run(process.execPath, ['--import', TSX, 'readme.mts'])).toMatch(/\w/)
  })

  test('Python', async () => {
    const [block] = codeBlocks('docs/api.md', 'python')
    const given = `key, secret = '${demo.key.id}', '${demo.key.secret}'\n`
    expect(JSON.parse(await run(tools[3]!, ['-c', given + filled(block!)]))).not.toEqual([])
  })

  test('each call that the demo prints works, and insights come as the table that a terminal shows', async () => {
    const commands = said
      .flatMap((lines) => lines.split('\n'))
      .filter((line) => /^ {2}.*npx greenroom (call|insights|organizations|posts list)/.test(line))
    expect(commands.length).toBeGreaterThanOrEqual(6)
    for (const command of commands) expect(await bash(command.trim()), command).not.toBe('')
    expect(commands.filter((command) => command.includes('insights'))).toEqual([
      expect.stringMatching(/npx greenroom insights \d+$/),
    ])
  })
})
