import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EDGES, type Edge, type Host, type NodeType, type TokenKind } from './edges.js'
import { GRAPH_VERSIONS, MARKETING_VERSIONS } from './versions.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const PATHS: Readonly<Record<NodeType, string>> = {
  Root: '',
  Application: '/app',
  User: '/me',
  Page: '/{page}',
  Post: '/{post}',
  Video: '/{video}',
  Photo: '/{photo}',
  Comment: '/{comment}',
  UserProfile: '/{person}',
  IGUser: '/{account}',
  IGMedia: '/{media}',
  IGContainer: '/{container}',
  IGComment: '/{comment of Instagram}',
  IGProfile: '/{person on Instagram}',
  AdAccount: '/act_{id}',
  Campaign: '/{campaign}',
  Ad: '/{ad}',
}
const TOKENS: Readonly<Record<TokenKind, string>> = {
  page: 'page',
  user: 'person',
  app: 'app',
  instagram: 'account',
}

/** The rows of a host as in the README: methods with the same requirements share a line. */
function linesOf(host: Host): string[] {
  const grouped = new Map<string, { methods: string[]; row: Edge }>()
  for (const row of EDGES.filter((each) => each.host === host)) {
    const key = JSON.stringify([row.node, row.edge, row.tokens, row.scopes, row.since])
    const group = grouped.get(key) ?? { methods: [], row }
    grouped.set(key, group)
    group.methods.push(row.method)
  }
  return [...grouped.values()].map(({ methods, row: { node, edge, tokens, scopes, since } }) => {
    const path = `${PATHS[node]}${edge === '' ? '' : `/${edge}`}` || '/'
    const until = since === undefined ? '' : `, since ${since}`
    const needs = scopes.map((scope) => `\`${scope}\``).join(', ')
    return `| \`${path}\` | ${methods.join(', ')}${until} | ${tokens.map((kind) => TOKENS[kind]).join(', ')} | ${needs} |`
  })
}

const tableUnder = (title: string): string[] => {
  const [, section = ''] = README.split(`\n### ${title}\n`)
  const [, table = ''] = section.split('| edge | methods | tokens | permissions |\n|---|---|---|---|\n')
  return table.split('\n\n')[0]!.split('\n')
}

test.each(['graph.facebook.com', 'graph.instagram.com'] as const)('the README lists each edge of %s', (host) => {
  expect(tableUnder(host)).toEqual(linesOf(host))
})

test('the README states when versions begin and end', () => {
  const [newest] = Object.keys(GRAPH_VERSIONS)
  const [ended] = Object.entries(MARKETING_VERSIONS).filter(([, [, ends]]) => ends !== undefined)
  expect(README).toContain(`${newest} since ${GRAPH_VERSIONS[newest!]![0]}`)
  expect(README).toContain(`${ended![0]} until ${ended![1][1]}`)
})
