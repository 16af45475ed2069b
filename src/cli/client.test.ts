import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type CliRun, greenroom } from '../../test/cli.js'
import { startTestApp, Tenant } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'

/** Starts a server for one test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const run = (url: string, argv: string[]): Promise<CliRun> =>
  greenroom(argv, { env: { GREENROOM_URL: url, GREENROOM_KEY: 'key_1', GREENROOM_SECRET: 'secret' } })

test('a read is repeated when the server is busy, and its final result is printed', async () => {
  let calls = 0
  const url = await serve((_request, response) => {
    if (++calls < 3) response.writeHead(429, { 'retry-after': '2' }).end('{"message":"Slowly."}')
    else response.end('[]')
  })
  expect(await run(url, ['posts', 'list'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  expect(calls).toBe(3)
})

test('a change that is refused unread is sent again when the server says, and so is a call of any path', async () => {
  const calls: string[] = []
  const url = await serve((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    if (calls.length % 2 === 1) response.writeHead(429, { 'retry-after': '2' }).end('{"message":"Slowly."}')
    else response.end('{"id":"post_1"}')
  })
  expect((await run(url, ['posts', 'submit', 'post_1'])).code).toBe(0)
  expect((await run(url, ['call', 'POST', '/anything', '--data', '{}'])).code).toBe(0)
  expect(calls).toEqual([
    ...Array(2).fill('POST /v1/scheduled-posts/post_1/submit-for-approval'),
    ...Array(2).fill('POST /v1/anything'),
  ])
})

test("a read that stays refused exits with 1, with the server's message", async () => {
  const url = await serve((_request, response) =>
    response.writeHead(503, { 'x-error-code': 'not_ready', 'x-request-id': 'req_1' }).end('{"message":"Wait."}'),
  )
  expect(await run(url, ['posts', 'list'])).toMatchObject({
    code: 1,
    stderr: 'Wait.\n(503 not_ready, request req_1)\n',
  })
})

test('a change with a lost response is not repeated, and the message says that it may have been made', async () => {
  let calls = 0
  const url = await serve((request) => {
    calls++
    request.socket.destroy()
  })
  const { code, stderr } = await run(url, ['posts', 'submit', 'post_1'])
  expect({ code, calls }).toEqual({ code: 3, calls: 1 })
  expect(stderr).toContain('The change may have been made')
  expect((await run(url, ['posts', 'get', 'post_1'])).stderr).not.toContain('may have been made')
})

test('a redirect or a web page instead of a response is not reported as a refusal: exit code 3', async () => {
  const redirecting = await serve((_request, response) => response.writeHead(301, { location: 'https://a/' }).end())
  expect(await run(redirecting, ['posts', 'list'])).toMatchObject({
    code: 3,
    stderr: `${redirecting} redirects: set GREENROOM_URL to where it leads.\n`,
  })
  const website = await serve((_request, response) => response.end('<html>Welcome</html>'))
  expect(await run(website, ['posts', 'list'])).toMatchObject({
    code: 3,
    stderr: `${website} answered 200 without JSON: is GREENROOM_URL the address of a Greenroom server?\n`,
  })
})

test('texts of the server cannot move the cursor of a terminal', async () => {
  const url = await serve((_request, response) =>
    response.writeHead(400, { 'x-error-code': 'a' }).end('{"message":"no\\u001b[2J\\u009b1m\\u202e"}'),
  )
  const env = { GREENROOM_URL: url, GREENROOM_KEY: 'key_1', GREENROOM_SECRET: 'secret' }
  for (const argv of [
    ['posts', 'list'],
    ['call', 'GET', '/workspaces'],
  ]) {
    const { stdout, stderr } = await greenroom(argv, { env, terminal: 'both' })
    expect(stdout + stderr).toContain('no')
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  }
  const plain = await serve((_request, response) => response.end('hello\u001b[2J\n'))
  const shown = await greenroom(['call', 'GET', '/x'], { env: { ...env, GREENROOM_URL: plain }, terminal: 'both' })
  expect(shown.stdout).toBe('hello\\u001b[2J\n\n')
})

test('a clock that is five minutes slow does no harm', async () => {
  const app = await startApp()
  // The `Date` header of a response is the time of this machine.
  app.test.clock.set(new Date(Date.now()).toISOString())
  const slow = { now: () => app.test.clock.now() - 300_000 }
  const { code, stderr } = await greenroom(['posts', 'list'], { env: app.env, clock: slow })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a hashtag in use is reported with the channel and the hashtag', async () => {
  const { test, tenant, env } = await startApp()
  const channel = await tenant.channel()
  const argv = ['posts', 'create', '--superpower', `${channel}={"hashtag":"#Raffle","active":true}`]
  expect(await greenroom(argv, { env, clock: test.clock })).toMatchObject({ code: 0 })
  const { code, stderr } = await greenroom(argv, { env, clock: test.clock })
  expect(code).toBe(1)
  expect(stderr).toContain(`${channel}: #Raffle is already-in-use.\n(409 `)
})

test('posts list --all reads every page', async () => {
  const { test, tenant, env } = await startApp()
  const channel = await tenant.channel()
  for (let count = 0; count < 60; count++) await insertPost(tenant, publishable(channel))
  const list = async (...argv: string[]): Promise<number> =>
    JSON.parse((await greenroom(['posts', 'list', ...argv], { env, clock: test.clock })).stdout).length
  expect(await list()).toBe(50)
  expect(await list('--all')).toBe(60)
})

test("without a named organization, lists are those of the key's own organization", async () => {
  const { test, tenant, env } = await startApp()
  const workspace = await tenant.workspace('VIP', 'Paris')
  const channel = await tenant.channel([workspace])
  const list = async (what: string): Promise<unknown> =>
    JSON.parse((await greenroom([what, 'list'], { env, clock: test.clock })).stdout)
  expect(await list('workspaces')).toEqual([{ id: workspace, name: 'Paris', type: 'VIP' }])
  expect(await list('channels')).toMatchObject([{ id: channel }])
  expect(await list('ad-accounts')).toEqual([])
  expect(await list('superpowers')).toEqual([])
})

/** Starts the whole app on a socket, with a tenant and the settings for it. */
async function startApp() {
  const test = await startTestApp()
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => test.app.close())
  const tenant = await Tenant.create(test)
  const env = {
    GREENROOM_URL: `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`,
    GREENROOM_KEY: tenant.key.id,
    GREENROOM_SECRET: tenant.key.secret,
  }
  return { test, tenant, env }
}
