import { accessSync, constants, createReadStream, existsSync, realpathSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Config } from '../../config/index.js'
import { newId } from '../../lib/ids.js'
import { toShellWord } from '../../lib/shell-word.js'
import { PARTIAL, writeFileWhole } from '../write-file.js'
import { type BackupStorage, StorageError, type StoredBackup } from './backup-storage.js'

const READ_BYTES = 256 * 1024

export function openDirectory(directory: string): BackupStorage {
  const pathOf = (name: string): string => join(directory, name)
  return {
    title: directory,
    pathOf,
    async check() {
      // Nodes in containers have equal process ids, and may share the directory.
      const probe = pathOf(`.${newId('look')}${PARTIAL}`)
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        await (await open(probe, 'w', 0o600)).close()
        await rm(probe)
      } catch (error) {
        throw new StorageError(`BACKUP_DIR ${directory} cannot be written (${codeOf(error)}): ${remedyOf(error)}.`)
      }
    },
    write: (name, fill) => writeFileWhole(pathOf(name), fill),
    async list() {
      const found: StoredBackup[] = []
      const entries = await readdir(directory, { withFileTypes: true }).catch((error) => {
        throw new StorageError(`${directory} cannot be read (${codeOf(error)}): specify the directory of the backups.`)
      })
      for (const entry of entries) {
        if (!entry.isFile()) continue
        const { size } = await stat(pathOf(entry.name))
        found.push({ name: entry.name, bytes: size })
      }
      return found.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    has: async (name) => existsSync(pathOf(name)),
    read: (name) => createReadStream(pathOf(name), { highWaterMark: READ_BYTES }),
    remove: (name) => rm(pathOf(name), { force: true }),
    async removeUnfinished(pattern) {
      const names = await readdir(directory)
      const dead = names.filter((name) => name.endsWith(PARTIAL) && pattern.test(name.slice(0, -PARTIAL.length)))
      for (const name of dead) await rm(pathOf(name), { force: true })
      return dead
    },
  }
}

/** Returns, in a sentence, why a start must refuse BACKUP_DIR; undefined if there is no objection. Changes nothing. */
export function findDirectoryMistake({
  backup,
  database: { dataDir, url: databaseUrl },
  media,
}: Pick<Config, 'backup' | 'database' | 'media'>): string | undefined {
  const backupDir = backup?.dir
  if (backupDir === undefined) return undefined
  const named = `BACKUP_DIR ${backupDir}`
  const real = realPath(backupDir)
  const data = realPath(dataDir)
  if (databaseUrl === undefined && (real === data || isWithin(real, join(data, 'database')))) {
    return `${named} is the data directory: choose a separate directory, preferably on another disk.`
  }
  if (media !== null && isWithin(real, realPath(media.dir))) {
    return `${named} is inside MEDIA_DIR: choose a separate directory, preferably on another disk.`
  }
  // A disk that is not mounted must not look like an empty directory, so only the last part of the path is created.
  const there = existsSync(backupDir) ? backupDir : dirname(backupDir)
  // The first start creates the data directory.
  if (databaseUrl === undefined && !existsSync(there) && realPath(there) === data) return undefined
  if (!existsSync(there)) {
    return `${named} cannot be created, because ${there} does not exist. Create it (mkdir -p ${toShellWord(backupDir)}), or mount its disk.`
  }
  if (!statSync(there).isDirectory()) return `${there} is a file: set BACKUP_DIR to a directory.`
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return `${named} cannot be written (${codeOf(error)}): ${remedyOf(error)}.`
  }
  return undefined
}

const isWithin = (path: string, directory: string): boolean => path === directory || path.startsWith(directory + sep)

/** Resolves the links of a path whose end may not exist yet. */
function realPath(path: string): string {
  const whole = resolve(path)
  if (existsSync(whole)) return realpathSync(whole)
  const above = dirname(whole)
  return above === whole ? whole : join(realPath(above), whole.slice(above.length))
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown reason'

const REMEDIES: Record<string, string> = {
  ENOSPC: 'free some space on its disk',
  EDQUOT: 'free some space on its disk',
  EROFS: 'mount its disk for writing',
}

const remedyOf = (error: unknown): string =>
  REMEDIES[codeOf(error)] ?? 'chown it to the user that runs the service, or choose another directory'
