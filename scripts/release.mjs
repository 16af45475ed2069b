// `npm run release [-- COMMIT]` makes the files of a release in release/: the three packages, the software bill of
// materials, the release notes, and SHA256SUMS over all of them. It builds them in a new checkout of the tag of the
// version in package.json, or of another commit for a trial, so nothing of this working tree gets into them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RELEASE = join(ROOT, 'release')
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const commit = process.argv[2] ?? `v${readJson(join(ROOT, 'package.json')).version}`
const tree = mkdtempSync(join(tmpdir(), 'greenroom-release-'))

try {
  checkOut()
  const { version } = readJson(join(tree, 'package.json'))
  const notes = makeNotes(version)
  say(`Building Greenroom ${version} from ${commit}`)
  run('npm', 'ci', '--no-audit', '--no-fund')
  run(process.execPath, 'scripts/build.mjs', '--lay-out')
  rmSync(RELEASE, { recursive: true, force: true })
  mkdirSync(RELEASE)
  run(process.execPath, 'scripts/sbom.mjs', join(RELEASE, `greenroom-${version}.cdx.json`))
  packLibraries()
  packService()
  writeFileSync(join(RELEASE, 'release-notes.md'), notes)
  sumUp(version)
} catch (error) {
  process.stderr.write(`${error.stderr ?? ''}${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(tree, { recursive: true, force: true })
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

/** Runs a program in the new checkout. What it prints is shown only if it fails. */
function run(program, ...args) {
  return execFileSync(program, args, {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function checkOut() {
  const archive = join(tree, 'tree.tar')
  try {
    execFileSync('git', ['archive', '--output', archive, commit], { cwd: ROOT, stdio: 'pipe' })
  } catch (cause) {
    throw new Error(`There is no commit ${commit}. Make the tag with npm version, or name a commit.`, { cause })
  }
  run('tar', '-xf', archive)
  rmSync(archive)
}

/** Takes the text from the entry of the version in CHANGELOG.md, and says how to use the files. */
function makeNotes(version) {
  const section = readFileSync(join(tree, 'CHANGELOG.md'), 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no entry for ${version}.`)
  return `# Greenroom ${version}

${section.slice(section.indexOf('\n') + 1).trim()}

## The files

\`sha256sum --check SHA256SUMS\` verifies them. Then \`npm install --global ./greenroom-${version}.tgz\` installs the service.

- \`greenroom-${version}.tgz\`: the service, its command line and the demo
- \`greenroom-client-${version}.tgz\`: the client for Node and browsers
- \`greenroom-sandbox-${version}.tgz\`: a stand-in for Meta's Graph API and for shops
- \`greenroom-${version}.cdx.json\`: the software bill of materials (CycloneDX 1.6)
`
}

function packLibraries() {
  for (const name of ['client', 'sandbox']) run('npm', 'pack', '--pack-destination', RELEASE, `./packages/${name}`)
}

/**
 * npm packs no package-lock.json, so the package has the part of it that the service runs on as npm-shrinkwrap.json:
 * an installation gets the versions that were tested. npm would also install the development packages that package.json
 * names beside a shrinkwrap, so the packed package.json names none.
 */
function packService() {
  const path = (name) => join(tree, name)
  const write = (name, value) => writeFileSync(path(name), `${JSON.stringify(value, null, 2)}\n`)
  const withoutDevelopment = ({ devDependencies: _, ...rest }) => rest
  const lock = readJson(path('package-lock.json'))
  const { '': self, ...packages } = lock.packages
  const needed = Object.entries(packages).filter(([, { dev }]) => !dev)
  write('npm-shrinkwrap.json', { ...lock, packages: { '': withoutDevelopment(self), ...Object.fromEntries(needed) } })
  write('package.json', withoutDevelopment(readJson(path('package.json'))))
  run('npm', 'pack', '--ignore-scripts', '--pack-destination', RELEASE)
}

function sumUp(version) {
  const names = [
    ...['', '-client', '-sandbox'].map((part) => `greenroom${part}-${version}.tgz`),
    `greenroom-${version}.cdx.json`,
    'release-notes.md',
  ]
  const sums = names.map((name) => {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(RELEASE, name)))
      .digest('hex')
    return `${sha256}  ${name}\n`
  })
  writeFileSync(join(RELEASE, 'SHA256SUMS'), sums.join(''))
  say(`Made in release/:\n${sums.join('')}`)
}
