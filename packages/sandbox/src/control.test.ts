import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { gate } from '../../../test/gate.js'
import { INSTAGRAM_ID, makePages, PAGE_ACCESS_TOKEN, PAGE_ID } from '../../../test/graph-harness.js'
import { TestClock } from '../../../test/harness.js'
import { startReceiver } from '../../../test/webhook-receiver.js'
import { KNOWN_FAULTS } from './known-faults.js'
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.js'

async function start(options: Partial<SandboxOptions> = {}) {
  const clock = new TestClock()
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages: makePages() }, clock, ...options })
  onTestFinished(() => sandbox.close())
  return { clock, sandbox }
}

/** Calls `/sandbox…` and checks the status. */
async function call(sandbox: Sandbox, status: number, method: string, path: string, body?: unknown, headers = {}) {
  const answer = await fetch(`${sandbox.url}/sandbox${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect([method, path, answer.status, text]).toEqual([method, path, status, text])
  return text === '' ? undefined : JSON.parse(text)
}

const publish = async (sandbox: Sandbox, message = 'Hello', path = `/${PAGE_ID}/feed`): Promise<number | string> =>
  fetch(`${sandbox.url}/v27.0${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PAGE_ACCESS_TOKEN}` },
    body: new URLSearchParams({ message }),
  }).then(
    ({ status }) => status,
    () => 'cut',
  )

/** Values for faults with required fields. */
const NEEDED: Record<string, object> = {
  delay: { ms: 1 },
  acceptedThenDelay: { ms: 1 },
  missingPermission: { scope: 'pages_manage_posts' },
  notFound: { id: '1' },
  refused: { message: 'Not like this' },
  graphError: { code: 4 },
  accountLimit: { id: PAGE_ID },
  refusal: { reason: 'blocked' },
  spentReply: { reason: 'notAFollower' },
  headers: { headers: { 'x-app-usage': '{}' } },
}

test('each fault can be set by name, is listed, and can be cleared separately or with the others', async () => {
  const { sandbox } = await start()
  const { known } = await call(sandbox, 200, 'GET', '/faults')
  const names: string[] = known.map(({ name }: { name: string }) => name)
  // This one needs an action that only the demo has.
  expect([...names, 'killed'].toSorted()).toEqual(Object.keys(KNOWN_FAULTS).toSorted())
  const ids: string[] = []
  for (const name of names) ids.push((await call(sandbox, 201, 'POST', '/faults', { name, ...NEEDED[name] })).id)
  const { active } = await call(sandbox, 200, 'GET', '/faults')
  expect(active.map(({ id, name }: Record<string, string>) => [id, name])).toEqual(
    names.map((name, n) => [ids[n], name]),
  )
  expect(await (await fetch(sandbox.url)).text()).toContain('appLimit, for one request')

  await call(sandbox, 204, 'DELETE', `/faults/${ids[0]}`)
  expect((await call(sandbox, 404, 'DELETE', `/faults/${ids[0]}`)).error).toContain(ids[0])
  expect((await call(sandbox, 200, 'GET', '/faults')).active).toHaveLength(names.length - 1)
  await call(sandbox, 204, 'DELETE', '/faults')
  expect((await call(sandbox, 200, 'GET', '/faults')).active).toEqual([])
})

test('the README lists each fault with its effect and its fields', () => {
  const wanted = Object.entries(KNOWN_FAULTS)
    .filter(([, { once }]) => once === undefined)
    .map(([name, { about, on, fields }]) => {
      const listed = Object.entries(fields).map(
        ([field, type]) => `\`${field}\`${type.isOptional || type.default !== undefined ? '?' : ''}`,
      )
      return `| \`${name}\` | ${about} | ${on ?? 'people who comment'} | ${listed.join(' ')} |`
    })
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, table] = readme.split('| name | what happens | requests | fields |\n|---|---|---|---|\n')
  expect(table!.split('\n\n')[0]!.split('\n')).toEqual(wanted)
})

test.each([
  ['an unknown name', { name: 'donw' }, 'There is no fault "donw".'],
  ['no name', {}, 'the body lacks "name"'],
  ['a name of every object', { name: 'toString' }, 'There is no fault "toString".'],
  [
    'an unknown field',
    { name: 'down', second: 1 },
    'unknown field "second"; it may have: name, method, path, times, seconds',
  ],
  ['a field out of bounds', { name: 'delay', ms: -1 }, '"ms" must be an integer from 0 to 600000'],
  ['a missing field', { name: 'missingPermission' }, '"scope", which must be one of ads_management, ads_read'],
  ['an invalid header', { name: 'headers', headers: { 'a b': 'c' } }, '"headers" must be an object of headers'],
  ['times for a habit', { name: 'doubled', times: 1 }, 'doubled is about people who comment'],
  ['no object', [], 'the body must be a JSON object'],
  ['no JSON', '{', 'The body is not valid JSON.'],
])('%s is refused with the possible values', async (_what, body, error) => {
  const { sandbox } = await start()
  expect((await call(sandbox, 400, 'POST', '/faults', body)).error).toContain(error)
  expect((await call(sandbox, 200, 'GET', '/faults')).active).toEqual([])
})

test('a fault applies to one request, to a given number of them, or for some seconds', async () => {
  const { clock, sandbox } = await start()
  await call(sandbox, 201, 'POST', '/faults', { name: 'appLimit' })
  expect([await publish(sandbox), await publish(sandbox)]).toEqual([400, 200])
  await call(sandbox, 201, 'POST', '/faults', { name: 'badGateway', times: 2 })
  expect([await publish(sandbox), await publish(sandbox), await publish(sandbox)]).toEqual([502, 502, 200])
  await call(sandbox, 201, 'POST', '/faults', { name: 'down', seconds: 10 })
  expect([await publish(sandbox), await publish(sandbox)]).toEqual([503, 503])
  expect((await call(sandbox, 200, 'GET', '/faults')).active).toMatchObject([
    { name: 'down', timesLeft: null, secondsLeft: 10 },
  ])
  clock.advance(10_000)
  expect(await publish(sandbox)).toBe(200)
})

test('a fault applies to the requests of its group, and can be limited to a method and a path', async () => {
  const { sandbox } = await start()
  await call(sandbox, 201, 'POST', '/faults', { name: 'tokenExpired', path: '/*/feed', method: 'POST' })
  await call(sandbox, 201, 'POST', '/faults', { name: 'tokenExpired', path: `/${INSTAGRAM_ID}/*` })
  await call(sandbox, 201, 'POST', '/faults', { name: 'likesLocked', times: 1 })
  const read = () =>
    fetch(`${sandbox.url}/v27.0/${PAGE_ID}/feed`, { headers: { authorization: `Bearer ${PAGE_ACCESS_TOKEN}` } })
  expect((await read()).status).toBe(200)
  expect([await publish(sandbox), await publish(sandbox)]).toEqual([401, 200])
  const left = (await call(sandbox, 200, 'GET', '/faults')).active.map(({ name }: { name: string }) => name)
  expect(left).toEqual(['tokenExpired', 'likesLocked'])
})

test('a lost or delayed answer shows what was carried out, and how often the call was received', async () => {
  const waited: number[] = []
  const over = gate()
  const { sandbox } = await start({
    wait: (ms) => {
      waited.push(ms)
      return over.opened
    },
  })
  await call(sandbox, 201, 'POST', '/faults', { name: 'lost' })
  expect([await publish(sandbox), await publish(sandbox)]).toEqual(['cut', 200])
  expect((await call(sandbox, 200, 'GET', '/publications')).items).toMatchObject([
    { text: 'Hello', received: 2 },
    { text: 'Hello', received: 2 },
  ])
  sandbox.setFault({ name: 'delay', ms: 250 })
  const late = publish(sandbox, 'Late')
  over.open()
  expect([await late, waited]).toEqual([200, [250]])
  const { items } = await call(sandbox, 200, 'GET', '/requests')
  expect(items).toMatchObject([{ method: 'POST', path: `/${PAGE_ID}/feed`, tokenIn: 'header' }, {}, {}])
  expect(JSON.stringify(items)).not.toContain(PAGE_ACCESS_TOKEN)
  await call(sandbox, 204, 'DELETE', '/requests')
  expect(sandbox.requests).toEqual([])
})

test('people comment and write, and shops deliver to the address that a program sets', async () => {
  const { sandbox } = await start()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const to = (name: string) => ({ url: `${receiver.url}/${name}`, secret: 'secret' })
  const { senders } = await call(sandbox, 200, 'PUT', '/senders', { shopify: to('shopify'), meta: to('meta') })
  expect(senders.map(({ name }: { name: string }) => name)).toEqual(['shopify', PAGE_ID, INSTAGRAM_ID])
  const { sent } = await call(sandbox, 200, 'POST', '/senders/shopify/order')
  expect(sent[0]).toMatchObject({ sender: 'shopify', title: 'orders/create', answers: { 204: 1 } })

  await publish(sandbox, 'feed,messages', `/${PAGE_ID}/subscribed_apps?subscribed_fields=feed,messages`)
  await publish(sandbox)
  const postId = sandbox.published[0]!.id
  const { id } = await call(sandbox, 201, 'POST', '/comments', { postId, from: 'Ana', text: 'How much?' })
  expect(sandbox.comments.find(id)).toMatchObject({ text: 'How much?' })
  await call(sandbox, 204, 'POST', '/messages', { pageId: PAGE_ID, from: 'Ana', text: 'Hi' })
  expect(receiver.received.map(({ body }) => /How much|Hi|"test"/.exec(body)?.[0])).toEqual([
    '"test"',
    'How much',
    'Hi',
  ])
  expect(await call(sandbox, 200, 'GET', '/comments')).toEqual({ replies: [], messages: [], likes: [] })

  expect((await call(sandbox, 404, 'POST', '/senders/woocommerce/order')).connected).toContain('shopify')
  expect((await call(sandbox, 404, 'POST', '/senders/shopify/message')).actions).toContain('order')
  expect((await call(sandbox, 404, 'POST', '/comments', { postId: '1', from: 'Ana', text: '?' })).error).toContain(
    'no page',
  )
  const wrong = { shopify: { url: 'file:///etc', secret: 's' } }
  expect((await call(sandbox, 400, 'PUT', '/senders', wrong)).error).toContain('the url of "shopify"')
})

test('describes itself, and refuses other methods, paths, content types and web sites', async () => {
  const { sandbox } = await start({
    model: { appSecret: 'of-the-app', tokens: {}, adAccounts: [], pages: makePages() },
  })
  const described = await call(sandbox, 200, 'GET', '')
  expect(described).toMatchObject({
    graphUrl: `${sandbox.url}/v27.0`,
    needsAppSecretProof: true,
    pages: [{ id: PAGE_ID, accessToken: PAGE_ACCESS_TOKEN }, { id: INSTAGRAM_ID }],
  })
  expect(JSON.stringify(described)).not.toContain('of-the-app')
  expect((await call(sandbox, 405, 'PATCH', '/faults', {})).error).toContain('takes GET, POST, DELETE')
  await call(sandbox, 404, 'GET', '/nothing')
  await call(sandbox, 415, 'POST', '/faults', '{"name":"down"}', { 'content-type': 'text/plain' })
  await call(sandbox, 403, 'POST', '/faults', { name: 'down' }, { 'sec-fetch-site': 'cross-site' })
  for (const origin of ['http://evil.example', 'null', `${sandbox.url}.evil.example`]) {
    await call(sandbox, 403, 'POST', '/faults', { name: 'down' }, { origin })
  }
  for (const path of ['feed', '/v27.0/*/feed', '/v27.0', '']) {
    expect((await call(sandbox, 400, 'POST', '/faults', { name: 'down', path })).error).toContain('"path"')
  }
  expect(sandbox.faults.list()).toEqual([])
  await call(sandbox, 201, 'POST', '/faults', { name: 'down', path: '/*/feed' }, { origin: sandbox.url })
})
