import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The rules of CONTRIBUTING.md that a reviewer would otherwise have to remember. */

const SRC = resolve(import.meta.dirname, '../src')

interface Source {
  /** Relative to src/, such as `http/mount.ts`. */
  path: string
  text: string
  imports: { from: string; typeOnly: boolean }[]
}

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8')
    const statements = text.matchAll(/^(?:import|export)\s(type\s)?[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm)
    const imports = [...statements].map(([, typeOnly, fixed, dynamic]) => ({
      from: relative(SRC, resolve(SRC, dirname(path), (fixed ?? dynamic)!)).replace(/\.js$/, '.ts'),
      typeOnly: typeOnly !== undefined,
    }))
    return { path, text, imports }
  })

const room = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path)

const FEATURES = ['vip-users', 'campaigns', 'scheduled-posts', 'workspaces', 'operator']
const GROUND = ['lib', 'errors.ts']

/** Which rooms a room may import from, besides itself. Type imports are free but for lib and errors.ts. */
const MAY_IMPORT: Record<string, string[]> = {
  lib: [],
  'errors.ts': [],
  'config.ts': GROUND,
  database: [...GROUND],
  graph: [...GROUND],
  sandbox: [...GROUND],
  http: [...GROUND, 'database'],
  ...Object.fromEntries(FEATURES.map((feature) => [feature, [...GROUND, 'database', 'graph', 'http', ...FEATURES]])),
  publisher: [...GROUND, 'database', 'graph', ...FEATURES],
  'context.ts': [...GROUND, 'database', 'graph', 'vip-users'],
  'operations.ts': FEATURES,
  'api-document.ts': ['operations.ts', 'http', ...FEATURES],
  'app.ts': [...GROUND, 'http', 'operations.ts', 'api-document.ts'],
  'serve.ts': [...GROUND, 'app.ts', 'config.ts', 'context.ts', 'database', 'http', 'publisher'],
  demo: [...GROUND, 'config.ts', 'context.ts', 'serve.ts', 'sandbox', 'database', 'http', ...FEATURES],
  client: [],
  cli: [...GROUND, 'config.ts', 'client'],
  'main.ts': [...GROUND, 'api-document.ts', 'config.ts', 'context.ts', 'serve.ts', 'demo', 'cli', 'database'],
}

const isOperation = ({ text }: Source): boolean => /= (operation|operatorOperation)(<|\()/.test(text)

function offenders(rule: (source: Source) => boolean): string[] {
  return sources.filter(rule).map((source) => source.path)
}

describe('the house rules', () => {
  test('every room imports only from the rooms below it', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter(({ from, typeOnly }) => {
          const here = room(source.path)
          const there = room(from)
          if (here === there || (typeOnly && here !== 'lib' && here !== 'errors.ts')) return false
          return !(MAY_IMPORT[here] ?? []).includes(there)
        })
        .map(({ from }) => `${source.path} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('an operation never imports an operation', () => {
    const operations = new Set(sources.filter(isOperation).map((source) => source.path))
    expect(operations.size).toBeGreaterThan(5)
    const wrong = sources
      .filter(isOperation)
      .flatMap((source) =>
        source.imports.filter(({ from }) => operations.has(from)).map(({ from }) => `${source.path}: ${from}`),
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
      /\b(workspaces|channels|workspace_channels|ad_accounts|conversations|vip_marks|scheduled_posts|scheduled_post_channels|hashtag_claims|superpowers|publications|scheduled_post_history|idempotency_keys)\b/
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

  test('fetch is called only in graph/, client/ and cli/', () => {
    expect(
      offenders(
        ({ path, text }) => /\bfetch\(/.test(stripComments(text)) && !['graph', 'client', 'cli'].includes(room(path)),
      ),
    ).toEqual([])
  })

  test('process.env is read only in config.ts', () => {
    expect(offenders(({ path, text }) => /process\.env/.test(stripComments(text)) && path !== 'config.ts')).toEqual([])
  })

  test('the clock and randomness come from lib/, and in the client, which stands alone, from its runtime', () => {
    const own = /Date\.now\(|new Date\(\)|Math\.random\(|randomBytes|randomUUID/
    expect(
      offenders(
        ({ path, text }) => own.test(stripComments(text)) && room(path) !== 'lib' && path !== 'client/runtime.ts',
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
