import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { openMasterKeys } from '../access/master-keys.js'
import { countSealed, judgeMasterKey } from '../access/sealed-values.js'
import { listTokenProblems } from '../channels/channels.store.js'
import { SEALED_COLUMNS } from '../database/sealed-column.js'
import { MASTER_KEY_ADVICE } from '../interface/server.js'
import type { Sealer } from '../lib/seal.js'
import { toShellWord } from '../lib/shell-word.js'
import { StartError } from '../lib/start-error.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const masterKey = findingsOf('master key')
const tokens = findingsOf('tokens')

/** Checks that the master key belongs to the database, and that it decrypts every secret. */
export async function* checkKeys({ database, config, clock }: ExaminedDatabase): Findings {
  const file = join(config.database.dataDir, 'master.key')
  if (config.masterKeys.current === undefined && !existsSync(file)) {
    return yield masterKey.problem(
      `${file} is missing.`,
      'Restore it from a backup: no secret can be opened without it.',
    )
  }
  let sealer: Sealer
  try {
    ;({ sealer } = await openMasterKeys(database, { config, log: pino({ level: 'silent' }), clock }))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return yield masterKey.problem(error.message, 'The finding says what to do.')
  }
  if (config.masterKeys.current === undefined && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    yield masterKey.problem(`${file} can be accessed by other users of this machine.`, `chmod 600 ${toShellWord(file)}`)
  }
  const { state, found, otherSecrets, lostSecrets } = await judgeMasterKey(database, sealer)
  yield masterKey.judged(state, MASTER_KEY_ADVICE[found](found === 'lost' ? lostSecrets : otherSecrets))
  for (const column of SEALED_COLUMNS) {
    const { count, unopened } = await countSealed(database, column, sealer)
    if (count === 0) continue
    yield unopened.length === 0
      ? tokens.ok(`${count} ${column.holds} open.`)
      : tokens.problem(
          `${unopened.length} of ${count} ${column.holds} cannot be opened, such as that of ${unopened[0]}.`,
          'Connect it again, or issue another key.',
        )
  }
  const refused = await listTokenProblems(database)
  const [first] = refused
  if (first !== undefined) {
    const { organization_id, channel_id, token_problem } = first
    yield tokens.warning(
      `The platform refused the tokens of ${refused.length} channels, such as ${channel_id}: ${token_problem}`,
      `greenroom channels connect-platform ${organization_id} ${channel_id} < token.txt`,
    )
  }
}
