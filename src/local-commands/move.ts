import { resolve } from 'node:path'
import type { Cli } from '../cli/io.js'
import { note, printObject } from '../cli/output.js'
import { toShellWord } from '../lib/shell-word.js'
import { placeOf, readPlaceConfig } from './place.js'
import { sayProgress } from './say.js'

export interface MoveOptions {
  to: string
  again?: boolean
}

export async function move(cli: Cli, { to, again = false }: MoveOptions): Promise<void> {
  const { moveDatabase } = await import('../backup/move.js')
  const { describePlace } = await import('../backup/place.js')
  const config = readPlaceConfig(cli)
  const [from, target] = [await placeOf(undefined, config), await placeOf(to, config)]
  const hex = (key: Buffer | undefined): string[] => (key === undefined ? [] : [key.toString('hex')])
  const { rows, tables, resumed } = await moveDatabase({
    from,
    to: target,
    // In the order of a data directory's files: during a rotation, the previous key comes first.
    masterKeys: [...hex(config.masterKeys.previous), ...hex(config.masterKeys.current)],
    again,
    clock: cli.clock,
    wait: cli.wait,
    onProgress: sayProgress(cli, 'Moved'),
  })
  printObject(cli, { from: describePlace(from), to: describePlace(target), tables, rows, resumed })
  if ('dataDir' in from && 'url' in target && config.masterKeys.current === undefined) {
    note(
      cli,
      `Start it with DATABASE_URL, and with MASTER_KEY_FILE=${toShellWord(resolve(from.dataDir, 'master.key'))}`,
    )
  }
  note(cli, `The source ${describePlace(from)} keeps its data, but a service starts on it only with --again.`)
}
