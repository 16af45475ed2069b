import type { Command } from 'commander'
import type { HealthPart, ServerHealth } from '../client/index.js'
import { BACKUP_WEAKNESSES, MASTER_KEY_ADVICE, PLATFORM_ADVICE } from '../interface/server.js'
import { api } from './client.js'
import { addCommand, groupNamed } from './command.js'
import { type Cli, CliError } from './io.js'
import { note, printObject } from './output.js'

export function addServer(program: Command, cli: Cli): void {
  groupNamed(program, 'server').description('the server as a whole')
  const does = 'show how its parts are, its last backup, and which master key seals its secrets'
  addCommand(program, 'server health', does, '', async () => {
    const health = await api(cli).call('getServerHealth')
    printObject(cli, cli.format() === 'json' || cli.format() === 'ndjson' ? health : toLines(health))
    for (const { finding, remedy } of adviceOn(health)) note(cli, `${finding} ${remedy}`)
    const isBad = [...health.parts, health.backup, health.masterKey].some(({ state }) => state === 'bad')
    if (isBad) throw new CliError(1, 'Something is bad: `greenroom doctor` on the server says what to do.')
  })
}

/** In the words of `greenroom doctor`. */
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
  'master key': `${masterKey.state}: ${masterKey.keyId}, ${masterKey.otherSecrets} secrets under another`,
})
