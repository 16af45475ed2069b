import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { codeBlock, codeBlocks, ROOT } from '../../../test/recipes.js'
import { findTool } from '../../../test/tools.js'

const README = 'packages/sandbox/README.md'
const tools = ['bash', 'curl'].map((name) => findTool(name))
let folder: string
let main: string

/** A folder with the package as npm installs it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-sandbox-'))
  const installed = join(folder, 'node_modules/greenroom-sandbox')
  main = join(installed, 'dist/main.js')
  mkdirSync(installed, { recursive: true })
  cpSync(join(ROOT, 'packages/sandbox/package.json'), join(installed, 'package.json'))
  const words = [
    '-p',
    'packages/sandbox',
    '--outDir',
    join(installed, 'dist'),
    '--tsBuildInfoFile',
    join(folder, 'info'),
  ]
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...words], { cwd: ROOT })
  chmodSync(main, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the program and reads its output. */
async function start(...args: string[]) {
  const child = spawn(main, ['--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('Ctrl-C')) break
  }
  const text = lines.join('\n')
  return { child, ended, text, url: /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0] }
}

test.skipIf(tools.includes(undefined))(
  'the commands of the README and those that it prints work (needs bash, curl)',
  async () => {
    const { text, url } = await start()
    const [startIt, ...calls] = codeBlocks(README, 'sh')
    expect(startIt).toBe('npx greenroom-sandbox --port 8090\n')
    const printed = text.match(/^ {2}curl .*$/gm)!
    expect([calls.length, printed.length]).toEqual([2, 2])
    const answers: string[] = []
    for (const script of [...calls, ...printed]) {
      const bash = ['-c', `set -euo pipefail\n${script.replaceAll('http://127.0.0.1:8090', url)}`]
      answers.push((await promisify(execFile)(tools[0]!, bash)).stdout)
    }
    expect(answers[0]).toMatch(/^\{"id":"102938475610293_\d+"\}\{\n {2}"id": "fault_1",/)
    // Nothing listens at the addresses of the README.
    expect(answers[1]).toContain('"no response": 1')
    expect(answers[2]).toContain('"code":4')
    expect(answers[3]).toContain('"timesLeft": 1')
  },
)

test("the README's example is a test that passes, and fails if a post is published twice", async () => {
  const file = join(folder, 'example.test.js')
  const run = (code: string) => {
    writeFileSync(file, code)
    return promisify(execFile)(process.execPath, ['--test', file], { cwd: folder, env: { PATH: process.env.PATH } })
  }
  const example = codeBlock(README, 'js')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  expect((await run(example)).stdout).toMatch(/pass 1\n/)
  await expect(run(example.replace('=== message)) return', '=== message)) {}'))).rejects.toThrow('Command failed')
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it at once, even in the middle of a response', async (signal) => {
  const { child, ended, url } = await start()
  const set = (fault: object) =>
    fetch(`${url}/sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    })
  expect([(await set({ name: 'hang' })).status, (await set({ name: 'delay', ms: 600_000 })).status]).toEqual([201, 201])
  const waiting = [1, 2].map(() => fetch(`${url}/v27.0/me`).catch(() => 'cut'))
  // Both have arrived once the list of calls contains them.
  for (let listed = 0; listed < 2; ) {
    const { items } = (await (await fetch(`${url}/sandbox/requests`)).json()) as { items: unknown[] }
    listed = items.length
  }
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(await Promise.all(waiting)).toEqual(['cut', 'cut'])
})

test('prints its options and version, and reports mistakes on standard error', async () => {
  const run = (...args: string[]) => promisify(execFile)(main, args)
  expect((await run('--help')).stdout).toContain('Usage: greenroom-sandbox')
  expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  await expect(run('--port', 'x')).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('"x"'),
  })
})
