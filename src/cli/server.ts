import type { HealthPart, RotationStep, ServerHealth } from '../client/index.js'
import { BACKUP_WEAKNESSES, MASTER_KEY_ADVICE, PLATFORM_ADVICE } from '../interface/server.js'
import { CliError } from './io.js'
import { note, printObject } from './output.js'
import { countWhile, toCount } from './progress.js'
import { group, row, type TableCall } from './table-command.js'

/** Returns the advice of `greenroom doctor`. */
function adviceOn({ parts, backup, masterKey: { found, otherSecrets, lostSecrets } }: ServerHealth) {
  const ofKey = MASTER_KEY_ADVICE[found](found === 'lost' ? lostSecrets : otherSecrets)
  return [
    ...parts.flatMap((part) =>
      part.part === 'platform' && part.state !== 'good' ? [PLATFORM_ADVICE[part.found](part)] : [],
    ),
    ...backup.weaknesses.map((weakness) => BACKUP_WEAKNESSES[weakness]),
    ...(found === 'good' ? [] : [ofKey]),
  ]
}

const nameOf = (part: HealthPart): string => (part.part === 'disk' ? `disk of ${part.directory}` : part.part)

const toLines = ({ version, database, parts, backup, masterKey }: ServerHealth): Record<string, string> => ({
  version,
  database,
  ...Object.fromEntries(
    parts.map((part) => [
      nameOf(part),
      `${part.state}: ${part.found}${'since' in part ? ` since ${part.since}` : ''}${part.part === 'platform' ? `, ${part.version}` : ''}`,
    ]),
  ),
  backup: `${backup.state}: ${backup.found}${backup.madeAt === undefined ? '' : `, the last at ${backup.madeAt}`}${backup.fetched === undefined ? '' : `, the last fetched at ${backup.fetched.madeAt}`}${backup.weaknesses.map((weakness) => `, ${weakness}`).join('')}`,
  'master key': `${masterKey.state}: ${masterKey.keyId}, ${masterKey.otherSecrets} secrets under another key`,
})

async function showHealth({ cli, send }: TableCall): Promise<void> {
  const health: ServerHealth = await send()
  printObject(cli, cli.format() === 'json' || cli.format() === 'ndjson' ? health : toLines(health))
  for (const { finding, remedy } of adviceOn(health)) note(cli, `${finding} ${remedy}`)
  const isBad = [...health.parts, health.backup, health.masterKey].some(({ state }) => state === 'bad')
  if (isBad) throw new CliError(1, 'Something is wrong: run `greenroom doctor` on the server to see what to do.')
}

/** Runs all steps of a rotation and prints the totals. */
async function rotate({ cli, body, send }: TableCall): Promise<void> {
  const { keyId, resealed, unopened } = await countWhile(cli, 'secrets', false, async (count) => {
    let soFar: RotationStep = await send()
    while (soFar.after !== undefined) {
      count(soFar.resealed, soFar.resealed + soFar.remaining)
      body.after = soFar.after
      const step: RotationStep = await send()
      soFar = { ...step, resealed: soFar.resealed + step.resealed, unopened: soFar.unopened + step.unopened }
    }
    return soFar
  })
  if (cli.stderr.isTTY) note(cli, 'The old key is no longer needed.')
  printObject(cli, { keyId, resealed, unopened })
  if (unopened > 0) {
    throw new CliError(
      1,
      `Secrets that could not be opened with either key: ${toCount(unopened)}. The server's log names them.`,
    )
  }
}

export const SERVER = [
  group('master-key', 'the key that seals the secrets in the database', [
    row('rotate', 'rotateMasterKey', {
      description: 'seal every secret under a new master key while the servers run; if it is interrupted, run it again',
      fields: '',
      run: rotate,
    }),
  ]),
  group('server', 'the server as a whole', [
    row('health', 'getServerHealth', {
      description: 'show the health of its parts, its last backup, and the master key that seals its secrets',
      run: showHealth,
    }),
  ]),
]
