import { statfs as readFilesystem, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config/index.js'
import { type AbortableWait, waitUntilAborted, within } from './answer-within.js'

/** The room on the disk of a directory. */
export interface Disk extends Directory {
  /** The room that this user may take. */
  freeBytes: number
  sizeBytes: number
  /** Tells disks apart, as far as the system does: volumes of one disk may have numbers of their own. */
  device: number
}

/** A directory by its name in the metrics, its setting and its path. */
type Directory = ReturnType<typeof listDirectories>[number]

export type Statfs = (path: string) => Promise<{ bavail: number; bsize: number; blocks: number; dev: number }>

const readStatfs: Statfs = async (path) => {
  const { bavail, bsize, blocks } = await readFilesystem(path)
  return { bavail, bsize, blocks, dev: (await stat(path)).dev }
}

/** The directories that the configuration names, as the operator calls them. */
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

/** Measures the disk of a path. A path that is not there yet has the disk of the nearest directory above it. */
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

/** Tells if there is room on a disk, little of it, or too little to write anything. */
export function judgeRoom({ freeBytes, sizeBytes }: Pick<Disk, 'freeBytes' | 'sizeBytes'>): 'room' | 'low' | 'full' {
  if (freeBytes < FREE_BYTES_NEEDED) return 'full'
  return freeBytes < GIB || freeBytes / Math.max(1, sizeBytes) < FREE_SHARE_MIN ? 'low' : 'room'
}

/** The embedded database may need another file of its log at any commit. */
const LOG_FILE_BYTES = 16 * 1024 ** 2

/** Tells if changes of the embedded database would soon fail. True where its disk does not say. */
export async function hasRoomForChanges(readDisks: () => Promise<Disk[]>): Promise<boolean> {
  const disk = (await readDisks()).find(({ directory }) => directory === 'data')
  return disk === undefined || disk.freeBytes >= LOG_FILE_BYTES
}

/** A network disk that is away may answer no more, and each question would hold a thread of the process. */
const ANSWER_MS = 1_000

/** Measures the disks. One that gives no answer is left out, and is not asked again before it has answered. */
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
