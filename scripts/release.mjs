// Does the parts of `npm version` that npm does not do. CONTRIBUTING.md says when they run.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const UNRELEASED = '## Unreleased\n'
const [, , step] = process.argv
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const write = (path, text) => writeFileSync(new URL(`../${path}`, import.meta.url), text)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const changes = read('CHANGELOG.md')
const [before, after] = changes.split(UNRELEASED)
if (after === undefined) fail('CHANGELOG.md has no heading "Unreleased": what is in the new version?')
if (!/^- /m.test(after.split('\n## ')[0]))
  fail('CHANGELOG.md has no entry under "Unreleased": what is in the new version?')

if (step === 'write') {
  const { version } = JSON.parse(read('package.json'))
  if (changes.includes(`## ${version} `)) fail(`CHANGELOG.md already has ${version}.`)
  const today = new Date().toISOString().slice(0, 10)
  write('CHANGELOG.md', `${before}${UNRELEASED}\n## ${version} — ${today}\n${after}`)
  for (const path of ['packages/client/package.json', 'packages/sandbox/package.json']) {
    write(path, read(path).replace(/"version": "[^"]*"/, `"version": "${version}"`))
  }
} else if (step === 'check') {
  checkRepository()
} else fail('release.mjs check | write')

/** npm rejects provenance for another repository, and users would send their reports to a stranger. */
function checkRepository() {
  const { repository } = JSON.parse(read('package.json'))
  const named = toAddress(repository?.url ?? '')
  let origin
  try {
    const words = ['config', '--get', 'remote.origin.url']
    origin = execFileSync('git', words, { cwd: new URL('..', import.meta.url), encoding: 'utf8' })
  } catch {
    fail('The checkout has no remote "origin". Make releases in a checkout of the repository.')
  }
  if (toAddress(origin) === named) return
  fail(
    `package.json names the repository ${named}, and origin is ${toAddress(origin)}: set repository, homepage and bugs.`,
  )
}

/** Returns `host/owner/name` for every form of address, without a password. */
function toAddress(url) {
  return url
    .trim()
    .replace(/^(git\+)?\w+:\/\/([^@/]*@)?/, '')
    .replace(/^[^@/]*@([^:/]+):/, '$1/')
    .replace(/(\.git)?\/?$/, '')
}
