import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { documentOf } from './documents.js'
import { ROOT } from './recipes.js'

/** The rules by which npm compares versions. */
const { satisfies } = createRequire(import.meta.url)('semver') as { satisfies(version: string, range: string): boolean }

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const service = JSON.parse(read('package.json'))
const client = JSON.parse(read('packages/client/package.json'))
const sandbox = JSON.parse(read('packages/sandbox/package.json'))

test('npm ci prepares nothing and prints nothing without the sources or the development packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepare-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const prepare = () => execFileSync('sh', ['-c', `${service.scripts.prepare} 2>&1`], { cwd: folder, encoding: 'utf8' })
  expect(prepare()).toBe('')
  mkdirSync(join(folder, 'scripts'))
  writeFileSync(join(folder, 'scripts/generate.mjs'), "export const generate = () => console.log('generated')")
  expect(prepare()).toBe('')
  mkdirSync(join(folder, 'node_modules/esbuild'), { recursive: true })
  expect(prepare()).toBe('generated\n')
})

describe('the packages', () => {
  test.each([client, sandbox])('$name has the version of the service, and no dependencies', (own) => {
    expect(own.version).toBe(service.version)
    expect(own.engines).toEqual(service.engines)
    expect(own.license).toBe(service.license)
    expect(own).not.toHaveProperty('dependencies')
  })

  test('greenroom-client is the same as greenroom/client', () => {
    expect(client.exports['.'].default).toBe(service.exports['./client'].default)
    expect(client.exports['.'].types).toBe(service.exports['./client'].types)
  })

  test.each([service, client, sandbox])('$name is not published to a registry', (own) => {
    expect(own.private).toBe(true)
  })

  test('greenroom contains no Dockerfile that needs the sources, and its pages do not link to one', () => {
    for (const path of ['Dockerfile', 'compose.yaml', '.dockerignore']) expect(service.files).not.toContain(path)
  })

  test('every shipped package supports the Node versions in package.json, so that none prints a warning', () => {
    const packages: Record<string, { dev?: boolean; engines?: { node?: string } }> = JSON.parse(
      read('package-lock.json'),
    ).packages
    const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
    const versions = ['20.19.0', '20.20.2', '21.7.3', '22.4.1', '22.12.0', '22.22.0', '23.1.0', '24.0.0', '26.1.0']
    const wanted = versions.filter((version) => satisfies(version, service.engines.node))
    expect(wanted).toEqual(expect.arrayContaining(['20.19.0', '22.12.0', '24.0.0']))
    const refusing = shipped.flatMap(([path, { engines }]) =>
      wanted
        .filter((version) => !satisfies(version, engines?.node ?? '*'))
        .map((version) => `${path} refuses ${version}`),
    )
    expect(shipped.length).toBeGreaterThan(50)
    expect(refusing).toEqual([])
  })

  test('greenroom contains the pages that its pages link to', () => {
    // npm adds these.
    const held = [...service.files, 'README.md', 'LICENSE', 'package.json']
    const isHeld = (path: string): boolean => held.some((entry) => path === entry || path.startsWith(`${entry}/`))
    const pages = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.md') && isHeld(path),
    )
    expect(pages.length).toBeGreaterThan(20)
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
        .map(([, link]) => join(dirname(page), link!))
        .filter((path) => !isHeld(path) || !existsSync(join(ROOT, path)))
        .map((path) => `${page}: ${path}`),
    )
    expect(broken).toEqual([])
  })

  test('the lock file has no registry, and a hash for every package', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"')
    const { '': _self, ...packages } = JSON.parse(read('package-lock.json')).packages
    expect(Object.keys(packages).length).toBeGreaterThan(100)
    const unhashed = Object.entries<{ integrity?: string }>(packages).filter(
      ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    )
    expect(unhashed).toEqual([])
  })

  test("the documents and the lock file have the package's version", () => {
    expect(documentOf('v1').info).toMatchObject({ version: service.version })
    expect(JSON.parse(read('package-lock.json')).version).toBe(service.version)
  })

  test('CHANGELOG.md has the unreleased changes first, then versions, newest first', () => {
    const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)
    expect(headings[0]).toBe('Unreleased')
    const versions = headings.slice(1)
    for (const heading of versions) expect(heading).toMatch(/^\d{1,3}\.\d{1,3}\.\d{1,3}( — \d{4}-\d\d-\d\d)?$/)
    expect(versions).toEqual(versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })))
  })
})

/** Names in registries, hosts and domains that do not belong to the project. */
const NOT_OURS = [
  /github\.com\/greenroom\b/,
  /ghcr\.io\b/,
  /docker\.io\/greenroom\b/,
  /docker pull greenroom\b/,
  /npmjs\.(com|org)\/(package\/)?greenroom\b/,
  /pkg:(npm|docker)\/greenroom\b/,
  /\bgreenroom\.(dev|io|app|sh|org|com|net)\b/,
  /npm (i|install|add|pack|publish)( -\S{1,20}){0,3} greenroom(-client|-sandbox)?(@|\s|`|$)/,
  /npx( -\S{1,20}){0,3} greenroom(-client|-sandbox)?@/,
]

test('no file names a package, an image, a repository or a domain that does not belong to the project', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').slice(0, -1)
  expect(files.length).toBeGreaterThan(1_000)
  const text = files.filter((path) => /\.(md|ts|tsx|mjs|cjs|json|jsonc|ya?ml|sh|sql|html)$|^[^.]*$|^\.ci\//.test(path))
  const found = text
    .filter((path) => path !== 'test/package.test.ts' && existsSync(join(ROOT, path)))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => NOT_OURS.some((name) => name.test(line)))
        .map((line) => `${path}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})

describe('npm run release', () => {
  /** Makes a repository with the scripts and this changelog. */
  function release(changes: string, ...words: string[]): () => string {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-release-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '0.2.0' }))
    writeFileSync(join(folder, 'CHANGELOG.md'), changes)
    const git = (...command: string[]) => execFileSync('git', command, { cwd: folder, stdio: 'pipe' })
    git('init', '--quiet')
    git('add', '--all')
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'All')
    return () =>
      execFileSync(process.execPath, [join(folder, 'scripts/release.mjs'), ...words], { stdio: 'pipe' }).toString()
  }

  test('needs the tag of the version, or a commit', () => {
    expect(release('## 0.2.0\n\n- New.\n')).toThrow('There is no commit v0.2.0')
  })

  test('needs an entry in CHANGELOG.md', () => {
    expect(release('## Unreleased\n\n## 0.2.0-rc\n', 'HEAD')).toThrow('CHANGELOG.md has no entry for 0.2.0.')
  })
})

describe('npm version', () => {
  /** Runs the script in a copy of what it reads. */
  function release(step: string, changes: string, version = '0.2.0'): { changes: string; packages: string[] } {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-release-'))
    try {
      const files = ['client', 'sandbox'].map((name) => join(folder, 'packages', name, 'package.json'))
      for (const file of files) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, '{\n  "version": "0.1.0"\n}\n')
      }
      cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
      writeFileSync(join(folder, 'CHANGELOG.md'), changes)
      execFileSync(process.execPath, [join(folder, 'scripts/version.mjs'), step], { stdio: 'pipe' })
      return {
        changes: readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
        packages: files.map((file) => readFileSync(file, 'utf8')),
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  test('assigns the version and the day to unreleased changes, and the version to the other packages', () => {
    const { changes, packages } = release('write', '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 — 2026-11-01\n')
    expect(changes).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 — \d{4}-\d\d-\d\d\n\n- New\.\n\n## 0\.1\.0 — 2026-11-01\n$/,
    )
    expect(packages.map((text) => JSON.parse(text))).toEqual([{ version: '0.2.0' }, { version: '0.2.0' }])
  })

  test.each([
    ['nothing is unreleased', 'check', '## Unreleased\n\n## 0.1.0 — 2026-11-01\n\n- Old.\n'],
    ['there is no such heading', 'write', '## 0.1.0 — 2026-11-01\n\n- Old.\n'],
  ])('is refused when %s', (_what, step, changes) => {
    expect(() => release(step, changes)).toThrow('lists nothing under "## Unreleased"')
  })
})
