// `npm version` runs `check` before it writes the number into package.json and the lock file, and `write` after.
import { readFileSync, writeFileSync } from 'node:fs'

const UNRELEASED = '## Unreleased\n'
const PACKAGES = ['packages/client/package.json', 'packages/sandbox/package.json']
const [, , step] = process.argv
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const write = (path, text) => writeFileSync(new URL(`../${path}`, import.meta.url), text)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const changes = read('CHANGELOG.md')
const [before, after] = changes.split(UNRELEASED)
if (!/^- /m.test(after?.split('\n## ')[0] ?? '')) fail('CHANGELOG.md lists nothing under "## Unreleased".')

if (step === 'write') {
  const { version } = JSON.parse(read('package.json'))
  const today = new Date().toISOString().slice(0, 10)
  write('CHANGELOG.md', `${before}${UNRELEASED}\n## ${version} — ${today}\n${after}`)
  for (const path of PACKAGES) write(path, read(path).replace(/"version": "[^"]*"/, `"version": "${version}"`))
} else if (step !== 'check') fail('version.mjs check | write')
