import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { openMasterKeys } from '../access/master-keys.js'
import { listTokenProblems } from '../channels/channels.store.js'
import type { Database } from '../database/database.js'
import { pagesOfOthers, SEALED_COLUMNS, type SealedColumn } from '../database/sealed-column.js'
import { type Sealer, UnsealError } from '../lib/seal.js'
import { StartError } from '../lib/start-error.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const masterKey = findingsOf('master key')
const tokens = findingsOf('tokens')

const NO_KEY = '-'

/** Checks that the master key is that of the database, and that it opens every secret. */
export async function* checkKeys({ database, config, clock }: ExaminedDatabase): Findings {
  const file = join(config.database.dataDir, 'master.key')
  if (config.masterKeys.current === undefined && !existsSync(file)) {
    return yield masterKey.problem(`${file} is missing.`, 'Restore it from a backup: without it no secret opens.')
  }
  let sealer: Sealer
  try {
    ;({ sealer } = await openMasterKeys(database, { config, log: pino({ level: 'silent' }), clock }))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return yield masterKey.problem(error.message, 'As it says.')
  }
  if (config.masterKeys.current === undefined && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    yield masterKey.problem(`${file} is open to others on this machine.`, `chmod 600 ${file}`)
  }
  yield masterKey.ok('It is that of the database.')
  for (const column of SEALED_COLUMNS) {
    const { count, unopened } = await countSealed(database, column, sealer)
    if (count === 0) continue
    yield unopened.length === 0
      ? tokens.ok(`${count} ${column.holds} open.`)
      : tokens.problem(
          `${unopened.length} of ${count} ${column.holds} do not open, such as that of ${unopened[0]}.`,
          'Connect it again, or issue another key.',
        )
  }
  const refused = await listTokenProblems(database)
  const [first] = refused
  if (first !== undefined) {
    const { organization_id, channel_id, token_problem } = first
    yield tokens.warning(
      `The platform has refused the tokens of ${refused.length} channels, such as ${channel_id}: ${token_problem}`,
      `greenroom channels connect-platform ${organization_id} ${channel_id} < token.txt`,
    )
  }
}

async function countSealed(database: Database, column: SealedColumn, sealer: Sealer) {
  const found = { count: 0, unopened: [] as string[] }
  for await (const values of pagesOfOthers(column, database, NO_KEY)) {
    for (const { place, sealed } of values) {
      found.count += 1
      try {
        sealer.open(sealed, column.contextOf(place))
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error
        found.unopened.push(place[1])
      }
    }
  }
  return found
}
