// `npm run audit` checks the lock file against the registry's advisories. It fails if an advisory affects a shipped
// package, and only reports advisories for development packages. If the registry does not answer, it prints a warning and
// succeeds.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shippedPackages } from './shipped.mjs'

const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical']
const FAILS_FROM = 'moderate'
const say = (line) => process.stdout.write(`${line}\n`)

const { stdout, error } = spawnSync(
  'npm',
  ['audit', '--json', '--package-lock-only', '--fetch-retries=1', '--fetch-timeout=20000'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    timeout: 120_000,
  },
)
const report = parse(stdout)
if (report?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? error?.message ?? 'it sent no report'
  say(`The lock file was not checked against advisories, because the registry did not answer: ${why}`)
} else {
  process.exitCode = await judge(Object.values(report.vulnerabilities))
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the exit code. `nodes` are paths in the lock file. */
async function judge(found) {
  const shipped = await shippedPackages()
  const isShipped = ({ nodes }) => nodes.some((path) => shipped.has(path))
  const isGrave = ({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(FAILS_FROM)
  for (const each of found) {
    const use = isShipped(each) ? 'It is shipped.' : 'It is only for development.'
    const titles = each.via.map((via) => (typeof via === 'string' ? `through ${via}` : `${via.title} (${via.url})`))
    say(`${each.name} ${each.range || '(any version)'}: ${each.severity}. ${use} ${titles.join('; ')}`)
  }
  const refused = found.filter((each) => isShipped(each) && isGrave(each))
  say(
    refused.length === 0
      ? `No advisory of severity ${FAILS_FROM} or higher affects a shipped package.`
      : `Advisories affect shipped packages: ${refused.map(({ name }) => name).join(', ')}. Update to a fixed version.`,
  )
  return refused.length === 0 ? 0 : 1
}
