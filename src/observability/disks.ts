import { statfs as readFilesystem, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config/index.js'
import { type AbortableWait, waitUntilAborted, within } from './answer-within.js'

/** The space on the disk of a directory. */
export interface Disk extends Directory {
  /** The space that this user may use. */
  freeBytes: number
  sizeBytes: number
  /** Identifies the disk, as far as the system does: volumes of one disk may have separate numbers. */
  device: number
}

/** A directory, with its name in the metrics, its setting and its path. */
type Directory = ReturnType<typeof listDirectories>[number]

export type Statfs = (path: string) => Promise<{ bavail: number; bsize: number; blocks: number; dev: number }>

const readStatfs: Statfs = async (path) => {
  const { bavail, bsize, blocks } = await readFilesystem(path)
  return { bavail, bsize, blocks, dev: (await stat(path)).dev }
}

/** Returns the directories that the configuration names, under the operator's names for them. */
export function listDirectories({
  database: { dataDir, url: databaseUrl },
  media,
  backup,
  retention: { audit },
}: Pick<Config, 'database' | 'media' | 'backup' | 'retention'>) {
  const all = [
    ['data', 'DATA_DIR', databaseUrl === undefined ? dataDir : undefined],
    ['media', 'MEDIA_DIR', media?.dir],
    ['backups', 'BACKUP_DIR', backup?.dir],
    ['audit-exports', 'AUDIT_EXPORT_DIR', audit?.exportDir],
  ] as const
  return all.flatMap(([directory, setting, path]) => (path === undefined ? [] : [{ directory, setting, path }]))
}

/** Measures the disk of a path. For a path that does not exist yet, uses the nearest existing parent directory. */
export async function readDisk(
  path: string,
  statfs: Statfs = readStatfs,
): Promise<Pick<Disk, 'freeBytes' | 'sizeBytes' | 'device'>> {
  try {
    const { bavail, bsize, blocks, dev } = await statfs(path)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, device: dev }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return await readDisk(dirname(path), statfs)
  }
}

const GIB = 1024 ** 3
/** The embedded database writes its log in files of 16 MiB. */
const FREE_BYTES_NEEDED = 64 * 1024 ** 2
const FREE_SHARE_MIN = 0.05

/** Returns whether a disk has enough space, little, or too little to write anything. */
export function judgeRoom({ freeBytes, sizeBytes }: Pick<Disk, 'freeBytes' | 'sizeBytes'>): 'room' | 'low' | 'full' {
  if (freeBytes < FREE_BYTES_NEEDED) return 'full'
  return freeBytes < GIB || freeBytes / Math.max(1, sizeBytes) < FREE_SHARE_MIN ? 'low' : 'room'
}

/** The embedded database may need another log file at any commit. */
const LOG_FILE_BYTES = 16 * 1024 ** 2

/** Returns whether the embedded database has space for changes. True if its disk does not say. */
export async function hasRoomForChanges(readDisks: () => Promise<Disk[]>): Promise<boolean> {
  const disk = (await readDisks()).find(({ directory }) => directory === 'data')
  return disk === undefined || disk.freeBytes >= LOG_FILE_BYTES
}

/** A network disk that is unavailable may never answer, and each question would hold a thread of the process. */
const ANSWER_MS = 1_000

/** Measures the disks. A disk that does not answer is left out, and is not asked again until it has answered. */
export function createDiskReader(
  config: Parameters<typeof listDirectories>[0],
  statfs: Statfs = readStatfs,
  wait: AbortableWait = waitUntilAborted,
): () => Promise<Disk[]> {
  const asked = new Set<Disk['setting']>()

  async function measure(directory: Directory): Promise<Disk | undefined> {
    const { setting, path } = directory
    if (asked.has(setting)) return undefined
    asked.add(setting)
    const measured = readDisk(path, statfs)
      .then((disk) => ({ ...directory, ...disk }))
      .catch(() => undefined)
      .finally(() => asked.delete(setting))
    return await within(ANSWER_MS, measured, () => undefined, wait)
  }

  return async () => {
    const disks = await Promise.all(listDirectories(config).map(measure))
    return disks.filter((disk) => disk !== undefined)
  }
}
