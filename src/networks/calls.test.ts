import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EDGES } from '../../packages/sandbox/src/edges.js'
import { PLATFORM_CALLS, type PlatformCall, permissionsFor } from './calls.js'

const HOSTS = { facebook: 'graph.facebook.com', instagram: 'graph.instagram.com' } as const
const TITLES: [of: PlatformCall['of'], login: PlatformCall['login'], title: string][] = [
  ['FB_PAGE', 'facebook', 'A Facebook page'],
  ['INSTAGRAM_ACCOUNT', 'facebook', 'An Instagram account by Facebook login'],
  ['INSTAGRAM_ACCOUNT', 'instagram', 'An Instagram account by Instagram login'],
  ['AD_ACCOUNT', 'facebook', 'An ad account'],
]
const documentation = readFileSync('docs/meta.md', 'utf8')
const callsOf = (of: PlatformCall['of'], login: PlatformCall['login']): PlatformCall[] =>
  PLATFORM_CALLS.filter((one) => one.of === of && one.login === login)

describe('docs/meta.md', () => {
  test.each(TITLES)('lists the calls of %s by %s', (of, login, title) => {
    const rows = callsOf(of, login).map(({ for: purpose, call, permissions, source }) => {
      const needed = permissions.map((name) => `\`${name}\``).join(', ')
      return `| ${purpose} | \`${call}\` | ${needed} | [page](${source}) |`
    })
    const section = documentation.split(/^## /m).find((text) => text.startsWith(`${title}\n`))
    expect(section).toContain(['| for | call | permissions | source |', '|---|---|---|---|', ...rows].join('\n'))
  })

  test('has a table for each kind of object and login', () => {
    expect(TITLES.flatMap(([of, login]) => callsOf(of, login))).toHaveLength(PLATFORM_CALLS.length)
  })
})

test.each(PLATFORM_CALLS)('$of by $login: $call is an edge of the platform, with these permissions', (one) => {
  const { call, login, permissions } = one
  const [method, path = ''] = call.split(' ')
  const [first = '', edge = ''] = path.slice(1).split('/')
  const isRoot = first !== '' && !/[{}]|^(?:me|app)$/.test(first)
  const rows = EDGES.filter((row) => {
    const isThere = isRoot ? row.node === 'Root' && row.edge === first : row.edge === edge
    return row.method === method && row.host === HOSTS[login] && isThere
  })
  const isTaken = rows.some(({ scopes }) => permissions.every((name) => (scopes as readonly string[]).includes(name)))
  // A page sends its account's messages, and the table of edges cannot know whose message it is.
  const isOfAccount = call === 'POST /{page}/messages' && one.of === 'INSTAGRAM_ACCOUNT'
  expect(isTaken || (isOfAccount && rows.length > 0)).toBe(true)
})

test('the table has every edge that the code names', () => {
  const code = ['src/graph', 'src/networks']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.ts') && !/calls|\.test\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  const named = new Set([...code.matchAll(/(?:}|\/me)\/([a-z_]{4,40})[`'?]/g)].map(([, edge]) => edge))
  expect(named.size).toBeGreaterThan(12)
  const listed = new Set(PLATFORM_CALLS.map(({ call }) => call.split('/').at(-1)))
  expect([...named].filter((edge) => !listed.has(edge))).toEqual([])
})

test('each permission is listed with its uses', () => {
  expect([...permissionsFor('FB_PAGE', 'facebook', ['publish'])]).toEqual([
    ['pages_manage_posts', ['publish']],
    ['pages_read_engagement', ['publish']],
  ])
  expect(permissionsFor('INSTAGRAM_ACCOUNT', 'instagram', ['comments', 'messages', 'likes']).size).toBe(2)
})
