import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { findDirectoryMistake } from '../backup/storage/directory.js'
import { judgeRoom, listDirectories, readDisk } from '../observability/disks.js'
import { type Examined, type Findings, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('disk')

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Checks that the configured directories are writable, and that their disks have space. */
export async function* checkDisks({ config, statfs }: Examined): Findings {
  yield* await Promise.all(
    listDirectories(config).map(async ({ setting, path }) => {
      const mistake = setting === 'BACKUP_DIR' ? findDirectoryMistake(config) : undefined
      if (mistake !== undefined) return problem(mistake, 'The finding says what to do.')
      let there = path
      while (!existsSync(there)) there = dirname(there)
      try {
        accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
      } catch {
        return problem(
          `${setting} ${path} cannot be written by this user.`,
          `chown it to the user of the service, or set another ${setting}.`,
        )
      }
      if (!statSync(there).isDirectory()) return problem(`${there} is not a directory.`, `Set another ${setting}.`)
      const disk = await readDisk(path, statfs)
      const { freeBytes } = disk
      const room = judgeRoom(disk)
      if (room === 'full') {
        return problem(
          `The disk of ${setting} ${path} is full: ${Math.floor(freeBytes / MIB)} MiB are free.`,
          'Free some space now: nothing can be written there.',
        )
      }
      const found = `${setting} ${path}: ${(freeBytes / GIB).toFixed(1)} GiB free`
      return room === 'low'
        ? warning(
            found,
            'Free some space: a full disk refuses every write, and a backup of the embedded database needs as much space as the database.',
          )
        : ok(found)
    }),
  )
}
