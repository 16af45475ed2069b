import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Child, startChild } from '../test/child.js'

const MAIN = new URL('main.ts', import.meta.url)
const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-main-'))

const children: Child[] = []
afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.splice(0).map(({ ended }) => ended))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function start(command: string | string[], env: Record<string, string> = {}): Child {
  // An empty variable counts as not set.
  const clean = { DATABASE_URL: '', MASTER_KEY: '', OPERATOR_TOKEN: '', HOST: '', LOG_LEVEL: '', STOP_TIMEOUT_MS: '' }
  const child = startChild(MAIN, [command].flat(), { ...clean, DATA_DIR: dataDir, PORT: '0', ...env })
  children.push(child)
  return child
}

/** The URL of the one line that says where the server listens. */
async function listening(child: Child): Promise<string> {
  for await (const line of child.lines) {
    const url = /Greenroom listens at (http:\S+?)"/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`it never listened: ${child.errors()}`)
}

test('serve says where it listens, keeps its data directory to itself, and stops at SIGTERM with exit code 0', async () => {
  const server = start('serve')
  const url = await listening(server)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  const second = start('serve')
  expect(await second.ended).toBe(1)
  expect(second.errors()).toMatch(new RegExp(`^The data directory is in use by process ${server.process.pid}: .+\n$`))

  server.process.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(server.errors()).toBe('')
})

test('--role publisher tells how it is and serves no API; --role api has no publisher', async () => {
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status
  const publisher = start(['serve', '--role', 'publisher'], { OPERATOR_TOKEN: 'x'.repeat(16) })
  const publisherUrl = await listening(publisher)
  expect(await (await fetch(`${publisherUrl}/readyz`)).json()).toMatchObject({ status: 'ready', publisher: {} })
  expect(await (await fetch(`${publisherUrl}/metrics`)).text()).toContain('greenroom_scheduled_posts{status="DRAFT"} 0')
  expect(await statusOf(`${publisherUrl}/v1/workspaces`)).toBe(404)
  expect(await statusOf(`${publisherUrl}/operator/organizations`)).toBe(404)
  publisher.process.kill('SIGTERM')
  expect(await publisher.ended).toBe(0)

  const api = start(['serve', '--role', 'api'])
  const apiUrl = await listening(api)
  expect(await (await fetch(`${apiUrl}/readyz`)).json()).not.toHaveProperty('publisher')
  expect(await statusOf(`${apiUrl}/v1/workspaces`)).toBe(400)
  api.process.kill('SIGTERM')
  expect(await api.ended).toBe(0)

  const neither = start(['serve', '--role', 'cook'])
  expect(await neither.ended).toBe(2)
  expect(neither.errors()).toContain('Allowed choices are api, publisher.')
})

test('serve names every mistake of its configuration and exits with 2', async () => {
  const child = start('serve', { PORT: 'no', LOG_LEVEL: 'loud' })
  expect(await child.ended).toBe(2)
  expect(child.errors()).toMatch(/^The configuration is wrong:\n {2}- PORT must .+\n {2}- LOG_LEVEL must .+\n$/)
})

test('openapi prints the committed document', async () => {
  const child = start('openapi')
  let printed = ''
  for await (const line of child.lines) printed += `${line}\n`
  expect(await child.ended).toBe(0)
  expect(printed).toBe(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
})
