import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The rules of CONTRIBUTING.md that a reviewer would otherwise have to remember. */

const SRC = resolve(import.meta.dirname, '../src')

interface Source {
  /** Relative to src/, such as `http/mount.ts`. */
  path: string
  text: string
  /** The files that it imports, for types or for values. */
  imports: string[]
}

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8')
    const statements = text.matchAll(/^(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm)
    const imports = [...statements].map(([, fixed, dynamic]) =>
      relative(SRC, resolve(SRC, dirname(path), (fixed ?? dynamic)!)).replace(/\.js$/, '.ts'),
    )
    return { path, text, imports }
  })

const room = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path)

/** What any room may import. */
const GROUND = ['lib', 'interface', 'errors.ts', 'config.ts']
const BELOW_HTTP = [...GROUND, 'database', 'graph', 'observability']
const BELOW_FEATURES = [...BELOW_HTTP, 'http', 'events']

/** The declared graph: which rooms a room may import from besides itself, for types as for values. */
const MAY_IMPORT: Record<string, string[]> = {
  lib: [],
  interface: [],
  'errors.ts': ['interface'],
  'config.ts': ['lib'],
  database: GROUND,
  graph: GROUND,
  observability: [...GROUND, 'database'],
  http: BELOW_HTTP,
  // The outbox, of which every room may write.
  events: [...GROUND, 'database'],
  access: BELOW_FEATURES,
  channels: [...BELOW_FEATURES, 'access'],
  audience: [...BELOW_FEATURES, 'channels', 'access'],
  insights: [...BELOW_FEATURES, 'access'],
  superpowers: [...BELOW_FEATURES, 'channels', 'access'],
  media: [...BELOW_FEATURES, 'access'],
  notifications: [...BELOW_FEATURES, 'access'],
  posts: [...BELOW_FEATURES, 'media', 'superpowers', 'channels', 'access'],
  publisher: [...BELOW_FEATURES, 'posts', 'channels', 'access'],
  // What is deleted has parts in several rooms: docs/decisions/0021.
  removal: [
    ...BELOW_FEATURES,
    'media',
    'posts',
    'superpowers',
    'insights',
    'audience',
    'channels',
    'notifications',
    'access',
  ],
  // All of it: docs/decisions/0031.
  backup: [...BELOW_FEATURES, 'media', 'access'],
  // It removes rows of several rooms: docs/decisions/0046.
  retention: [...BELOW_FEATURES, 'backup', 'media', 'posts', 'superpowers', 'access'],
  'context.ts': [...BELOW_FEATURES, 'backup', 'audience', 'insights', 'channels', 'notifications', 'access'],
  'operations.ts': [
    'http',
    'context.ts',
    'access',
    'channels',
    'audience',
    'insights',
    'superpowers',
    'media',
    'posts',
    'removal',
    'backup',
    'notifications',
  ],
  'api-document.ts': ['operations.ts', 'http', 'access', 'audience', 'insights', 'superpowers', 'posts'],
  'app.ts': [...BELOW_FEATURES, 'access', 'backup', 'retention', 'context.ts', 'operations.ts', 'api-document.ts'],
  'serve.ts': [
    ...BELOW_FEATURES,
    'access',
    'backup',
    'app.ts',
    'context.ts',
    'posts',
    'publisher',
    'notifications',
    'retention',
  ],
  sandbox: ['lib'],
  demo: [
    ...BELOW_FEATURES,
    'context.ts',
    'serve.ts',
    'sandbox',
    'client',
    'publisher',
    'access',
    'channels',
    'audience',
    'insights',
    'superpowers',
    'posts',
  ],
  client: ['interface'],
  // Its calls are signed as the client signs.
  reference: ['client'],
  console: ['interface'],
  cli: ['lib', 'config.ts', 'client', 'interface'],
  'doctor.ts': [...GROUND, 'backup', 'doctor', 'observability'],
  // Its single checks, of all that a service has.
  doctor: [
    ...BELOW_FEATURES,
    'access',
    'backup',
    'channels',
    'insights',
    'media',
    'notifications',
    'retention',
    'serve.ts',
  ],
  'local-commands.ts': [...GROUND, 'cli', 'doctor.ts', 'local-commands'],
  // Its single commands.
  'local-commands': [...GROUND, 'backup', 'cli', 'client'],
  'main.ts': [...GROUND, 'api-document.ts', 'serve.ts', 'demo', 'cli', 'local-commands.ts'],
}

/** The one room that writes a table. */
const WRITERS: Record<string, string> = {
  organizations: 'access',
  api_keys: 'access',
  key_uses: 'access',
  operator_tokens: 'access',
  key_reminders: 'access',
  operator_token_reminders: 'access',
  audit_trail: 'access',
  audit_repeats: 'access',
  audit_exports: 'access',
  master_keys: 'access',
  people: 'access',
  memberships: 'access',
  invitations: 'access',
  entry_links: 'access',
  sessions: 'access',
  sign_in_places: 'access',
  review_links: 'access',
  identities: 'access',
  finished_visits: 'access',
  passkeys: 'access',
  totp_secrets: 'access',
  recovery_codes: 'access',
  factor_failures: 'access',
  half_sessions: 'access',
  workspaces: 'channels',
  channels: 'channels',
  workspace_channels: 'channels',
  conversations: 'audience',
  vip_marks: 'audience',
  erased_people: 'audience',
  audiences: 'audience',
  pending_audience_changes: 'audience',
  running_imports: 'audience',
  ad_accounts: 'insights',
  media: 'media',
  media_removals: 'media',
  superpowers: 'superpowers',
  scheduled_posts: 'posts',
  scheduled_post_channels: 'posts',
  hashtag_claims: 'posts',
  publications: 'posts',
  post_reviews: 'posts',
  idempotency_keys: 'posts',
  publishers: 'publisher',
  last_backup: 'backup',
  housekeeping: 'retention',
  events: 'events',
  webhooks: 'notifications',
  webhook_deliveries: 'notifications',
  mails: 'notifications',
  person_mails: 'notifications',
}

const isOperation = ({ text }: Source): boolean => /= (operation|serverOperation)(<|\()/.test(text)

function offenders(rule: (source: Source) => boolean): string[] {
  return sources.filter(rule).map((source) => source.path)
}

describe('the house rules', () => {
  test('every room imports only what the declared graph allows, types included', () => {
    expect(sources.length).toBeGreaterThan(100)
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter((from) => {
          const [here, there] = [room(source.path), room(from)]
          return here !== there && !MAY_IMPORT[here]?.includes(there)
        })
        .map((from) => `${source.path} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('the declared graph has no circle, and names no room that is not there', () => {
    const rooms = new Set(sources.map(({ path }) => room(path)))
    expect(Object.keys(MAY_IMPORT).toSorted()).toEqual([...rooms].toSorted())
    expect(findCircles(new Map(Object.entries(MAY_IMPORT)))).toEqual([])
  })

  test('no files import each other in a circle, not even types', () => {
    expect(findCircles(new Map(sources.map(({ path, imports }) => [path, imports])))).toEqual([])
  })

  test('one room writes a table', () => {
    const writes =
      /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?([a-z_]+)(?=\s+(?:as|set|where|using|\(|[a-z]\s+set|[a-z]\s+using)|\s*\()/g
    const writers = new Map<string, Set<string>>()
    for (const { path, text } of sources.filter(({ path }) => path.endsWith('.store.ts'))) {
      for (const [, table] of text.matchAll(writes)) {
        writers.set(table!, (writers.get(table!) ?? new Set()).add(room(path)))
      }
    }
    expect(Object.fromEntries([...writers].map(([table, rooms]) => [table, [...rooms].join(', ')]))).toEqual(WRITERS)
  })

  test('an operation never imports an operation', () => {
    const operations = new Set(sources.filter(isOperation).map((source) => source.path))
    expect(operations.size).toBeGreaterThan(5)
    const wrong = sources
      .filter(isOperation)
      .flatMap((source) =>
        source.imports.filter((from) => operations.has(from)).map((from) => `${source.path}: ${from}`),
      )
    expect(wrong).toEqual([])
  })

  test('SQL stands only in stores and database/', () => {
    const statement = /[`'"]\s*(select\s|insert into\s|update\s+\w+\s+set\s|delete from\s|with\s+\w+\s+as\s)/
    expect(
      offenders(
        ({ path, text }) =>
          !path.endsWith('.store.ts') && room(path) !== 'database' && statement.test(stripComments(text)),
      ),
    ).toEqual([])
  })

  test('every statement on a tenant table names the organization', () => {
    const tenantTable =
      /\b(workspaces|channels|workspace_channels|ad_accounts|conversations|vip_marks|running_imports|scheduled_posts|scheduled_post_channels|hashtag_claims|superpowers|publications|post_reviews|audit_trail|audit_repeats|audit_exports|media_removals|idempotency_keys|erased_people|audiences|memberships|invitations|review_links|webhooks|webhook_deliveries|mails|key_reminders)\b/
    const stores = sources.filter(({ path }) => path.endsWith('.store.ts'))
    const wrong = stores.flatMap(({ path, text }) =>
      [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)]
        .map(([literal]) => literal)
        .filter((literal) => /\b(select|insert into|update|delete from)\b/i.test(literal) && tenantTable.test(literal))
        .filter((literal) => !literal.includes('organization_id'))
        .map((literal) => `${path}: ${literal.slice(0, 60)}`),
    )
    expect(wrong).toEqual([])
  })

  test('fetch is called only in graph/, client/, cli/, for the identity provider, for a bucket and in three files of the pages', () => {
    expect(
      offenders(
        ({ path, text }) =>
          /\bfetch\(/.test(stripComments(text)) &&
          !['graph', 'client', 'cli'].includes(room(path)) &&
          !['console/api.ts', 'console/early.ts', 'reference/try.ts'].includes(path) &&
          !['access/sessions/bounded-fetch.ts', 'backup/storage/s3.ts'].includes(path),
      ),
    ).toEqual([])
  })

  test('the client of S3 is loaded with the first bucket, and not before', () => {
    const client = 'backup/storage/s3.ts'
    expect(offenders(({ text }) => /^import (?!type).* from 's3mini'/m.test(text))).toEqual([client])
    const loaders = sources.filter(({ imports }) => imports.includes(client))
    expect(loaders.map(({ path }) => path)).toEqual(['backup/storage/open-storage.ts'])
    expect(loaders[0]!.text).toMatch(/await import\('\.\/s3\.js'\)/)
    expect(loaders[0]!.text).not.toMatch(/from '\.\/s3\.js'/)
  })

  test('process.env is read only in config.ts', () => {
    expect(offenders(({ path, text }) => /process\.env/.test(stripComments(text)) && path !== 'config.ts')).toEqual([])
  })

  test('the clock and randomness come from lib/, and in client and console, which stand alone, from one file each', () => {
    const own = /Date\.now\(|new Date\(\)|Math\.random\(|randomBytes|randomUUID/
    expect(
      offenders(
        ({ path, text }) =>
          own.test(stripComments(text)) &&
          room(path) !== 'lib' &&
          !['client/runtime.ts', 'console/clock.ts'].includes(path),
      ),
    ).toEqual([])
  })

  test('Fastify is known only to app.ts and http/', () => {
    expect(
      offenders(({ path, text }) => /from 'fastify'/.test(text) && path !== 'app.ts' && room(path) !== 'http'),
    ).toEqual([])
  })
})

function stripComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** The circles of a graph, each as the names along it. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (name: string, way: string[]): void => {
    const start = way.indexOf(name)
    if (start >= 0) circles.push([...way.slice(start), name].join(' > '))
    if (start >= 0 || done.has(name)) return
    for (const next of graph.get(name) ?? []) visit(next, [...way, name])
    done.add(name)
  }
  for (const name of graph.keys()) visit(name, [])
  return circles
}
