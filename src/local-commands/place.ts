import { resolve } from 'node:path'
import type { BackupSource } from '../backup/open-backup.js'
import { type Cli, CliError } from '../cli/io.js'
import { type Config, readConfig, readEnvironment } from '../config/index.js'
import { isPipe } from '../lib/is-pipe.js'

/** A placeholder for the master key of a service on PostgreSQL, which a restore may provide. */
const NO_KEY = '00'.repeat(32)

const read = new WeakMap<Cli, Config>()

/**
 * Reads the environment as a service does, but also accepts one without MASTER_KEY. It is read once per command, because a
 * secret may come from a pipe.
 */
export function readPlaceConfig(cli: Cli): Config {
  const known = read.get(cli) ?? readPlaceConfigOnce(cli)
  read.set(cli, known)
  return known
}

function readPlaceConfigOnce(cli: Cli): Config {
  const config = readConfig(readEnvironment(cli.env), { MASTER_KEY: NO_KEY })
  const { current, previous } = config.masterKeys
  return { ...config, masterKeys: { current: current?.toString('hex') === NO_KEY ? undefined : current, previous } }
}

export async function placeOf(given: string | undefined, { database: { url: databaseUrl, dataDir } }: Config) {
  const { toPlace } = await import('../backup/place.js')
  if (given === undefined) return databaseUrl === undefined ? { dataDir } : { url: databaseUrl }
  const place = toPlace(given)
  return 'dataDir' in place ? { dataDir: resolve(place.dataDir) } : place
}

/** Finds a backup from what was typed: a path on this machine, or the address of an object in a bucket. */
export async function sourceOf(cli: Cli, file: string): Promise<BackupSource> {
  if (!file.startsWith('s3:')) {
    if (isPipe(file)) throw new CliError(2, `${file} is a pipe, but a backup is read more than once: use a file.`)
    return file
  }
  const { findBackup } = await import('../backup/storage/open-storage.js')
  return await findBackup(file, () => readPlaceConfig(cli))
}
