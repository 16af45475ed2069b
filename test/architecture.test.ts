import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TABLE_ENTRIES } from '../src/database/tables.js'

/** The rules of CONTRIBUTING.md that a reviewer would otherwise have to remember. */

const SRC = resolve(import.meta.dirname, '../src')

interface Source {
  /** Relative to src/, such as `http/mount.ts`; files of the sandbox package are below `sandbox/`. */
  path: string
  text: string
  /** The files that it imports, for types or values. */
  imports: string[]
}

/** The sandbox is also a room, although it is its own package. */
const nameOf = (file: string): string => relative(SRC, file).replace('../packages/sandbox/src/', 'sandbox/')

const sources: Source[] = [SRC, resolve(SRC, '../packages/sandbox/src')]
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    const statements = text.matchAll(/^(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm)
    const imports = [...statements].map(([, fixed, dynamic]) =>
      nameOf(resolve(dirname(file), (fixed ?? dynamic)!)).replace(/\.js$/, '.ts'),
    )
    return { path: nameOf(file), text, imports }
  })

const room = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path)

/** Every room may import these. */
const GROUND = ['lib', 'interface', 'errors.ts', 'config']
const BELOW_HTTP = [...GROUND, 'database', 'graph', 'observability', 'work']
const BELOW_NEWS = [...BELOW_HTTP, 'http', 'audit']
const BELOW_FEATURES = [...BELOW_NEWS, 'news']
const SETUP = [...BELOW_FEATURES, 'networks', 'access', 'channels']

/** The declared graph: the other rooms that a room may import from, for types and values alike. */
const MAY_IMPORT: Record<string, string[]> = {
  lib: [],
  interface: [],
  'errors.ts': ['interface'],
  config: ['lib', 'interface'],
  database: GROUND,
  graph: GROUND,
  // Each network has its own folder, over the client of Meta's API.
  networks: [...GROUND, 'graph'],
  // Every worker shares this: loop, claim, back-off, liveness, one call.
  work: [...GROUND, 'database'],
  observability: [...GROUND, 'database'],
  http: BELOW_HTTP,
  // Every room writes to the trail and to the outbox.
  audit: [...BELOW_HTTP, 'http'],
  news: BELOW_NEWS,
  access: BELOW_FEATURES,
  channels: [...BELOW_FEATURES, 'networks', 'access'],
  audience: SETUP,
  insights: [...BELOW_FEATURES, 'access'],
  intake: [...SETUP, 'audience'],
  superpowers: SETUP,
  media: [...BELOW_FEATURES, 'access'],
  posts: [...SETUP, 'media', 'superpowers'],
  publisher: [...SETUP, 'posts'],
  automation: [...SETUP, 'audience', 'superpowers', 'posts', 'publisher'],
  backup: [...BELOW_FEATURES, 'access', 'media'],
  // Deletion and retention have parts in several rooms.
  removal: [...SETUP, 'insights', 'audience', 'intake', 'superpowers', 'media', 'posts', 'automation', 'backup'],
  // Its responses are about several rooms.
  status: [...BELOW_FEATURES, 'access', 'backup', 'intake', 'publisher'],
  'context.ts': [...SETUP, 'audience', 'insights', 'intake', 'backup'],
  'operation-list.ts': [
    'http',
    'audit',
    'news',
    'access',
    'channels',
    'audience',
    'insights',
    'intake',
    'superpowers',
    'media',
    'posts',
    'automation',
    'backup',
    'removal',
    'status',
  ],
  'operations.ts': ['http', 'context.ts', 'operation-list.ts'],
  'api-document.ts': ['operations.ts', 'http', 'access', 'news'],
  // Calendar programs read addresses of posts.
  'app.ts': [
    ...BELOW_FEATURES,
    'access',
    'backup',
    'intake',
    'automation',
    'removal',
    'posts',
    'context.ts',
    'operations.ts',
    'api-document.ts',
  ],
  'serve.ts': [
    ...BELOW_FEATURES,
    'access',
    'backup',
    'intake',
    'posts',
    'publisher',
    'automation',
    'removal',
    'context.ts',
    'app.ts',
  ],
  // Only the demo uses this package.
  sandbox: [],
  demo: [
    ...SETUP,
    'audience',
    'insights',
    'superpowers',
    'posts',
    'publisher',
    'context.ts',
    'serve.ts',
    'sandbox',
    'client',
  ],
  client: ['interface'],
  // The client signs its calls.
  reference: ['client'],
  console: ['interface'],
  cli: ['lib', 'config', 'client', 'interface'],
  doctor: [...SETUP, 'insights', 'intake', 'media', 'backup', 'removal', 'serve.ts'],
  'local-commands': [...GROUND, 'database', 'backup', 'doctor', 'client', 'cli'],
  'main.ts': [...GROUND, 'http', 'api-document.ts', 'serve.ts', 'demo', 'cli', 'local-commands'],
}

const isOperation = ({ text }: Source): boolean => /= (operation|serverOperation|ownOperation)(<|\()/.test(text)

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

  test('the declared graph has no cycle, and names only existing rooms', () => {
    const rooms = new Set(sources.map(({ path }) => room(path)))
    const declared = Object.keys(MAY_IMPORT)
    expect(declared.toSorted()).toEqual([...rooms].toSorted())
    expect(findCircles(new Map(Object.entries(MAY_IMPORT)))).toEqual([])
  })

  test('no files import each other in a cycle, not even for types', () => {
    expect(findCircles(new Map(sources.map(({ path, imports }) => [path, imports])))).toEqual([])
  })

  test('only the rooms named in the registry write a table', () => {
    const writes =
      /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?([a-z_]+)(?=\s+(?:as|set|where|using|\(|[a-z]\s+set|[a-z]\s+using)|\s*\()/g
    const writers = new Map<string, Set<string>>()
    for (const { path, text } of sources.filter(({ path }) => path.endsWith('.store.ts'))) {
      for (const [, table] of text.matchAll(writes)) {
        writers.set(table!, (writers.get(table!) ?? new Set()).add(room(path)))
      }
    }
    for (const [table, { room, alsoWrittenBy }] of TABLE_ENTRIES) {
      const found = [...(writers.get(table) ?? ['database'])].filter((writer) => writer !== alsoWrittenBy)
      expect([table, ...found]).toEqual([table, room])
      writers.delete(table)
    }
    // The remaining names are not tables.
    expect([...writers.keys()]).toEqual([])
  })

  test('a network knows of no other network', () => {
    const network = (path: string): string | undefined => /^networks\/([a-z]{1,40})\//.exec(path)?.[1]
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter((from) => (network(path) ?? network(from)) !== (network(from) ?? network(path)))
        .map((from) => `${path}: ${from}`),
    )
    expect(wrong).toEqual([])
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

  test('only stores and database/ contain SQL', () => {
    const statement = /[`'"]\s*(select\s|insert into\s|update\s+\w+\s+set\s|delete from\s|with\s+\w+\s+as\s)/
    expect(
      offenders(
        ({ path, text }) =>
          !path.endsWith('.store.ts') && room(path) !== 'database' && statement.test(stripComments(text)),
      ),
    ).toEqual([])
  })

  /** The files that may call others or listen, by what they use; each has its reason beside it. */
  const SOCKETS: Record<string, { uses: RegExp; files: string[] }> = {
    fetch: {
      uses: /\bfetch\(/,
      files: [
        // It calls the ad platform and, for the doctor, the proxy in front of the service.
        'graph/',
        // Standalone programs and pages call the service itself.
        'client/',
        'cli/',
        'console/api.ts',
        'console/early.ts',
        'reference/try.ts',
        // It calls the public beacon of raffles, and limits the response's size.
        'automation/raffles/beacon.ts',
        // It calls the identity provider, and limits the response's size.
        'access/sessions/bounded-fetch.ts',
        // It calls a bucket for backups.
        'backup/storage/s3.ts',
        // It delivers from the shops and the inbox to the demo itself.
        'sandbox/senders/delivery.ts',
      ],
    },
    'node:http': {
      uses: valuesFrom('node:http'),
      files: [
        // It listens for callers.
        'http/connections.ts',
        // It listens like the platform.
        'sandbox/sandbox.ts',
        // It calls an address of the outside that it has checked before, which fetch would look up again.
        'news/webhooks/send-webhook.ts',
        'posts/outside-media.ts',
      ],
    },
    'node:https': {
      uses: valuesFrom('node:https'),
      files: ['news/webhooks/send-webhook.ts', 'posts/outside-media.ts'],
    },
    'node:net': {
      uses: valuesFrom('node:net', 'BlockList|isIP|isIPv4|isIPv6'),
      files: [
        // The lock of the data directory is a socket of this machine.
        'database/pglite/process-lock.ts',
        // It tests whether a port is free.
        'doctor/check-listening.ts',
        'demo/demo.ts',
      ],
    },
    'node:dns': {
      uses: valuesFrom('node:dns(?:/promises)?'),
      files: [
        // It resolves the hosts of webhooks, to refuse private addresses.
        'lib/public-addresses.ts',
        // It checks whether the host of PUBLIC_URL is this machine.
        'doctor/check-proxy.ts',
      ],
    },
    pg: {
      uses: valuesFrom('pg'),
      files: [
        'database/postgres.ts',
        'database/postgres-session.ts',
        // It looks for a pooler before the database opens.
        'database/pooler.ts',
      ],
    },
    nodemailer: { uses: valuesFrom('nodemailer'), files: ['news/mails/smtp.ts'] },
    // Every call of it goes through bounded-fetch.ts.
    'openid-client': { uses: valuesFrom('openid-client'), files: ['access/sessions/provider-connection.ts'] },
    // Every call of it goes through the fetch that is passed in.
    s3mini: { uses: valuesFrom('s3mini'), files: ['backup/storage/s3.ts'] },
    'what no file needs': {
      uses: valuesFrom('undici|ws|axios|got|node:(?:tls|dgram|http2)|(?:tls|dgram|http2|http|https|net|dns)'),
      files: [],
    },
    // It shows the progress of an upload, which fetch does not report.
    'other globals': {
      uses: /\bnew (?:WebSocket|EventSource|XMLHttpRequest)\(|\bsendBeacon\(/,
      files: ['console/api.ts'],
    },
  }

  test.each(Object.entries(SOCKETS))('%s: no other file opens sockets with it', (_name, { uses, files }) => {
    const found = offenders(({ text }) => uses.test(stripComments(text)))
    const isAllowed = (path: string): boolean =>
      files.some((file) => path === file || (file.endsWith('/') && path.startsWith(file)))
    expect(found.filter((path) => !isAllowed(path))).toEqual([])
    expect(files.filter((file) => !found.some((path) => path.startsWith(file)))).toEqual([])
  })

  test('the S3 client is loaded only with the first bucket', () => {
    const client = 'backup/storage/s3.ts'
    expect(offenders(({ text }) => /^import (?!type).* from 's3mini'/m.test(text))).toEqual([client])
    const loaders = sources.filter(({ imports }) => imports.includes(client))
    expect(loaders.map(({ path }) => path)).toEqual(['backup/storage/open-storage.ts'])
    expect(loaders[0]!.text).toMatch(/await import\('\.\/s3\.js'\)/)
    expect(loaders[0]!.text).not.toMatch(/from '\.\/s3\.js'/)
  })

  test('process.env is read only in config/', () => {
    expect(
      offenders(({ path, text }) => /process\.env/.test(stripComments(text)) && !path.startsWith('config/')),
    ).toEqual([])
  })

  test('the clock and randomness come from lib/, and in separate programs from one place each', () => {
    const own = /Date\.now\(|new Date\(\)|Math\.random\(|randomBytes|randomUUID/
    expect(
      offenders(
        ({ path, text }) =>
          own.test(stripComments(text)) &&
          room(path) !== 'lib' &&
          !path.startsWith('sandbox/lib/') &&
          !['client/runtime.ts', 'console/clock.ts'].includes(path),
      ),
    ).toEqual([])
  })

  test('doctor and a start distinguish errors by class or code, not by text', () => {
    const reads = /(?:\.message\.(?:includes|match|split|startsWith)|\/\.test\([\w.]*message\b)/
    const starts = ['doctor', 'doctor.ts', 'serve.ts', 'main.ts', 'context.ts', 'local-commands', 'local-commands.ts']
    expect(offenders(({ path, text }) => starts.includes(room(path)) && reads.test(text))).toEqual([])
  })

  test('only app.ts and http/ use Fastify', () => {
    expect(
      offenders(({ path, text }) => /from 'fastify'/.test(text) && path !== 'app.ts' && room(path) !== 'http'),
    ).toEqual([])
  })
})

/** Finds imports of values from a module, including those at run time; `harmless` names exports that open nothing. */
function valuesFrom(module: string, harmless = '(?!)'): RegExp {
  const quoted = `['"](?:${module})['"]`
  const names = `\\{(?:\\s*(?:type \\w+|(?:${harmless}))\\b,?)*\\s*\\}`
  return new RegExp(
    `^(?:import|export) (?!type\\b)(?!${names} from)[^;'"]*?from ${quoted}|^import ${quoted}|(?<!typeof )\\b(?:import|require)\\(${quoted}\\)`,
    'm',
  )
}

function stripComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Returns the cycles of a graph, each as the names along it. */
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
