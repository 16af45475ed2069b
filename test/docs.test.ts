import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { KEY_SECRET_PREFIX } from '../src/access/keys/keys.js'
import {
  KEY_PERMISSIONS,
  memberPermissions,
  OPERATOR_PERMISSIONS,
  OWNER_PERMISSIONS,
} from '../src/access/permissions.js'
import { SURFACES, v1 } from '../src/access/surfaces.js'
import { OPERATOR_TOKEN_PREFIX } from '../src/access/tokens/operator-tokens.js'
import { SETTINGS } from '../src/config/index.js'
import { ERRORS } from '../src/errors.js'
import { PERMISSIONS, type Permission } from '../src/http/principal.js'
import { routesOf } from '../src/http/surfaces.js'
import { COMMENT_REASONS, EFFECT_REASONS, EFFECT_STATES } from '../src/interface/automation.js'
import { LATE_TEXTS, WAIT_REASONS } from '../src/interface/post-waits.js'
import { TOKEN_SCOPE_NAMES } from '../src/interface/token-scopes.js'
import { newSecret } from '../src/lib/ids.js'
import { LIMITS } from '../src/lib/limits.js'
import { operations } from '../src/operations.js'
import { readCommands } from './cli.js'
import { type Block, blocksToRun, NOT_RUN, RUN_ELSEWHERE, shellBlocks } from './doc-commands.js'
import { groupsLeftOut, toSettingsPage } from './settings-page.js'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Returns the rows of a Markdown table whose first cell is in backticks, cell by cell. */
function tableRows(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** Returns a row for each permission, with its holders. */
function permissionRows(): string[][] {
  const approver = memberPermissions('VIEWER', true)
  const holders: ReadonlySet<Permission>[] = [
    ...(['VIEWER', 'EDITOR', 'ADMIN'] as const).map((role) => memberPermissions(role, false)),
    new Set([...approver].filter((permission) => !memberPermissions('VIEWER', false).has(permission))),
    OWNER_PERMISSIONS,
    OPERATOR_PERMISSIONS,
    KEY_PERMISSIONS,
    new Set(TOKEN_SCOPE_NAMES),
  ]
  return PERMISSIONS.filter(
    (permission) => !['sign-in', 'device', 'second-factor', 'self', 'api', 'review'].includes(permission),
  ).map((permission) => [`\`${permission}\``, ...holders.map((held) => (held.has(permission) ? 'yes' : ''))])
}

/** Returns the ids that GitHub gives to the headings of a page. */
const headingIds = (markdown: string): string[] =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) =>
      line
        .slice(line.indexOf(' ') + 1)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )

/** Lists the Markdown pages that people read. */
const pages = (): string[] => [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(new URL('../docs', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
]

const decisions = (): string[] =>
  readdirSync(new URL('../docs/decisions', import.meta.url))
    .filter((name) => name !== 'README.md')
    .toSorted()
    .map((name) => `docs/decisions/${name}`)

/** Lists the files of the repository that people write. */
const textFiles = (): string[] =>
  execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(?:[cm]?js|jsonc?|md|sh|sql|tsx?|ya?ml)$/.test(path) && !path.endsWith('package-lock.json'))

/**
 * Finds the calls of `greenroom` in the shell blocks and the code spans of a page, as words without what pipes and
 * comments add.
 */
function greenroomCalls(markdown: string): string[][] {
  const blocks = [...markdown.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)
  const spans = [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
  const lines = [...blocks.flatMap((code) => code.replaceAll(/\\\n/g, ' ').split('\n')), ...spans]
  return lines.flatMap((line) =>
    [...line.replace(/\s#.*/, '').matchAll(/(?<![^\s(])(?<!exec )greenroom\s+([a-z][^|<>;&)]*)/g)].map(([, rest]) =>
      rest!.trim().split(/\s+/),
    ),
  )
}

/** The commands of src/main.ts, which start or load a server. */
const SERVER_COMMANDS: Record<string, string[]> = { serve: ['--role', '--again'], demo: ['--again'], openapi: [] }

/** Returns the words of a call that are neither a command nor an option of greenroom. */
function unknownWords(program: Command, words: readonly string[]): string[] {
  const named = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]!)
  const known = SERVER_COMMANDS[words[0]!]
  if (known !== undefined) return named.filter((option) => !known.includes(option))
  let command = program
  const options = [...program.options]
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) {
      // A command that only contains others takes no words itself.
      if (command.registeredArguments.length === 0 && command.commands.length > 0 && /^[a-z-]+$/.test(word))
        return [word]
      break
    }
    command = next
    options.push(...next.options)
  }
  return named.filter((name) => name !== '--help' && !options.some(({ long }) => long === name))
}

describe('the documents match the code', () => {
  test('every command of greenroom on a page exists, with its options', async () => {
    const program = await readCommands()
    const main = read('src/main.ts')
    for (const name of Object.keys(SERVER_COMMANDS)) expect(main).toContain(`.command('${name}')`)
    const calls = pages().flatMap((page) => greenroomCalls(read(page)).map((words) => ({ page, words })))
    expect(calls.length).toBeGreaterThan(100)
    const wrong = calls.filter(({ words }) => unknownWords(program, words).length > 0)
    expect(wrong.map(({ page, words }) => `${page}: ${words.join(' ')}`)).toEqual([])
  })

  test('every block of commands is run by a test, or has a reason why not', () => {
    const blocks = shellBlocks()
    const starts = Object.keys(NOT_RUN)
    const run = blocksToRun().map(({ code }) => code)
    const waysOf = ({ page, code }: Block): number =>
      [page in RUN_ELSEWHERE, starts.some((start) => code.startsWith(start)), run.includes(code)].filter(Boolean).length
    expect(blocks.filter((block) => waysOf(block) !== 1).map(({ page, code }) => `${page}: ${code}`)).toEqual([])
    expect(starts.filter((start) => !blocks.some(({ code }) => code.startsWith(start)))).toEqual([])
    const named = [...Object.values(RUN_ELSEWHERE), ...Object.values(NOT_RUN)].flatMap(
      (text) => text.match(/(?:src|test|packages|\.ci)\/[\w./-]*\w/g) ?? [],
    )
    expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })

  test('every npm script on a page exists', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...pages(), 'bench/README.md'].flatMap((page) =>
      [...read(page).matchAll(/\bnpm\s+run\s+(?:--silent\s+)?([a-z][\w:-]*)/g)].map(([, name]) => name!),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  // `npm run settings` records it.
  test('docs/settings.md lists every setting with its default and meaning', async () => {
    expect(groupsLeftOut()).toEqual([])
    await expect(toSettingsPage()).toMatchFileSnapshot('../docs/settings.md')
  })

  test('the README names settings that exist, with their defaults', () => {
    const section = read('README.md').split('## Your own service')[1]!.split('\n## ')[0]!
    const rows = tableRows(section).map(([name, fallback]) => [name!, fallback!] as const)
    expect(rows).toHaveLength(8)
    for (const [name, fallback] of rows) {
      const [wanted] = SETTINGS[name.replaceAll('`', '') as keyof typeof SETTINGS]
      expect(fallback, name).toBe(wanted === '' ? '' : `\`${wanted}\``)
    }
  })

  test('docs/api.md lists every operation of /v1, and names those that are refused to every key', () => {
    const section = read('docs/api.md').split('## Operations of /v1')[1]!.split('\n## ')[0]!
    const listed = tableRows(section).map(([cell]) => cell!.replaceAll('`', '').replace(/\?.*/, ''))
    const built = (isWanted: boolean): string[] =>
      routesOf(v1, operations)
        .filter(({ isOpen }) => isOpen === isWanted)
        .map(({ operation, path }) => `${operation.method} ${path}`)
    expect(listed.toSorted()).toEqual(built(true).toSorted())
    for (const refused of built(false)) expect(section).toContain(`\`${refused}\``)
  })

  test('docs/automation.md explains every reason of a comment and an effect, and every state', () => {
    const page = read('docs/automation.md')
    const listed = (head: string): string[] => {
      const table = page.split(`| ${head} | meaning |`)[1]!.split('\n\n')[0]!
      return tableRows(table).map(([name, meaning]) => {
        expect(meaning, name).not.toBe('')
        return name!.replaceAll('`', '')
      })
    }
    expect(listed('reason of a comment')).toEqual(COMMENT_REASONS)
    expect(listed('reason of an effect')).toEqual(EFFECT_REASONS)
    expect(listed('state')).toEqual(EFFECT_STATES)
  })

  test('docs/incidents.md says what to do for each reason to wait', () => {
    const [, section = ''] = read('docs/incidents.md').split('## Why is a post late?')
    const rows = tableRows(section.slice(0, section.indexOf('\n## ')))
    expect(rows.map(([reason]) => reason)).toEqual(WAIT_REASONS.map((reason) => `\`${reason}\``))
    for (const cells of rows) expect(cells.map((cell) => cell !== '')).toEqual([true, true, true])
    for (const cause of Object.keys(LATE_TEXTS)) expect(section).toContain(`\`${cause}\``)
  })

  test('docs/errors.md lists every error with its status and text', () => {
    const wanted = Object.entries(ERRORS).map(([code, [status, message]]) => [`\`${code}\``, String(status), message])
    expect(tableRows(read('docs/errors.md'))).toEqual(wanted)
  })

  test('docs/access.md lists the holders of each permission', () => {
    expect(tableRows(read('docs/access.md'))).toEqual(permissionRows())
  })

  test('the code reads each limit', () => {
    const paths = execFileSync('git', ['ls-files', '--', 'src'], { encoding: 'utf8' }).split('\n')
    const sources = paths
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && path !== 'src/lib/limits.ts')
      .map(read)
      .join('\n')
    expect(Object.keys(LIMITS).filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([])
  })

  test('docs/limits.md lists every limit', () => {
    const wanted = Object.entries(LIMITS).map(([name, [value, unit]]) => [
      `\`${name}\``,
      `${value.toLocaleString('en')} ${unit}`,
      expect.stringMatching(/\w/),
      expect.stringMatching(/\w/),
    ])
    expect(tableRows(read('docs/limits.md'))).toEqual(wanted)
  })

  test('docs/security.md describes the form of issued secrets for secret scanners', () => {
    const [pattern] = /greenroom_\(\S+\)\S+\}/.exec(read('docs/security.md'))!
    for (const prefix of [KEY_SECRET_PREFIX, OPERATOR_TOKEN_PREFIX]) {
      expect(`${prefix}${newSecret()}`).toMatch(new RegExp(`^${pattern}$`))
    }
  })

  test('docs/architecture.md lists every file and folder of src/', () => {
    const section = read('docs/architecture.md').split('## The rooms')[1]!
    const listed = tableRows(section).flatMap(([where]) =>
      [...where!.matchAll(/`src\/([\w.-]+)\/?`/g)].map(([, name]) => name!),
    )
    const built = readdirSync(new URL('../src', import.meta.url)).filter((name) => !name.endsWith('.test.ts'))
    expect(listed.toSorted()).toEqual(built.toSorted())
  })

  test('docs/threat-model.md names tests that exist', () => {
    const named = [...read('docs/threat-model.md').matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`/g)].map(
      ([, path]) => path!,
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })

  test('every path of the service on a page or in the changelog belongs to an operation', () => {
    const shapeOf = (path: string): string => path.replaceAll(/\{\w{1,80}\}/g, '{}').replace(/[/.]{1,9}$/, '')
    const known = SURFACES.flatMap((surface) => routesOf(surface, operations).map(({ path }) => shapeOf(path)))
    const named = [...pages(), 'CHANGELOG.md'].flatMap((page) =>
      [...read(page).matchAll(/(?<![\w.-])\/(?:api|v1|v0|operator|console|review)\/[\w/{}-]+/g)].map(([path]) => path),
    )
    expect(named.length).toBeGreaterThan(30)
    const isKnown = (path: string): boolean => known.some((each) => `${each}/`.startsWith(`${shapeOf(path)}/`))
    expect(named.filter((path) => !isKnown(path) && path !== '/v1/openapi')).toEqual([])
  })

  test('every decision that a file names has a page', () => {
    const named = textFiles().flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/(decisions\/[\w-]{1,60}(?:\.md)?)|\b[Dd]ecision \d{1,3}\b/g)].map(
        ([words, page]) => ({ label: `${path}: ${words}`, page }),
      ),
    )
    expect(named.length).toBeGreaterThan(20)
    const missing = named.filter(
      ({ page }) => page === undefined || !existsSync(new URL(`../docs/${page}`, import.meta.url)),
    )
    expect(missing.map(({ label }) => label)).toEqual([])
  })

  test('docs/decisions/README.md lists every decision with its title', () => {
    const listed = read('docs/decisions/README.md')
      .split('\n')
      .filter((line) => line.startsWith('| ['))
    const titled = decisions().map((path) => {
      const name = path.split('/').at(-1)!
      return `| [${name.replace('.md', '')}](${name}) | ${read(path).split('\n')[0]!.replace('# ', '')} |`
    })
    expect(listed).toEqual(titled)
  })

  test('every file and name of the code that a decision puts in backticks exists', () => {
    const code = textFiles()
      .filter((path) => !path.endsWith('.md'))
      .map(read)
      .join('\n')
    const exists = (path: string): boolean => existsSync(new URL(`../${path}`, import.meta.url))
    const isFile = (span: string): boolean => /^\w[\w/-]{1,80}(?:\.[\w-]{1,20}){1,3}$/.test(span) && span.includes('/')
    const isName = (span: string): boolean => /^\w{1,80}$/.test(span) && /_|[a-z][A-Z]/.test(span)
    const named = decisions().flatMap((path) =>
      [...read(path).matchAll(/`([^`\s]{1,80})`/g)].map(([, span]) => ({ path, span: span! })),
    )
    expect(named.filter(({ span }) => isFile(span)).length).toBeGreaterThan(20)
    expect(named.filter(({ span }) => isName(span)).length).toBeGreaterThan(50)
    const missing = named.filter(({ span }) =>
      isFile(span) ? !exists(span) && !exists(`src/${span}`) : isName(span) && !code.includes(span),
    )
    expect(missing.map(({ path, span }) => `${path}: ${span}`)).toEqual([])
  })

  test('every link on a page leads to an existing file and heading', () => {
    const links = pages().flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, target, heading]) => ({
        document,
        path: target === '' ? document : join(dirname(document), target!),
        heading,
      })),
    )
    expect(links.length).toBeGreaterThan(100)
    const isBroken = ({ path, heading }: { path: string; heading: string | undefined }): boolean =>
      !existsSync(new URL(`../${path}`, import.meta.url)) ||
      (heading !== undefined && !headingIds(read(path)).includes(heading))
    const broken = links.filter(isBroken)
    expect(broken.map(({ document, path, heading }) => `${document}: ${path}#${heading ?? ''}`)).toEqual([])
  })
})
