import type { Config } from '../config/index.js'
import type { BackupHealth } from '../interface/generated/types.js'
import type { Disk } from '../observability/disks.js'
import type { FetchedBackup, LastBackup } from './last-backup.store.js'

interface Facts {
  backup: Config['backup']
  /** The last automatic backup. */
  last: Pick<LastBackup, 'master_key'> | undefined
  fetched: Pick<FetchedBackup, 'master_key'> | undefined
}

/**
 * Returns the reasons why the backups may be useless after a loss. PostgreSQL may keep its data on any disk, which cannot be
 * seen from here, and a bucket is on no disk of this machine.
 */
export function findBackupWeaknesses(
  { backup, last, fetched }: Facts,
  disks: readonly Disk[],
): BackupHealth['weaknesses'] {
  const hasKey =
    backup === null ? fetched?.master_key !== false : backup.passphrase !== undefined && last?.master_key !== false
  return [
    ...(findSharedDisk(disks) === undefined ? [] : (['same_disk'] as const)),
    ...(hasKey ? [] : (['no_master_key'] as const)),
  ]
}

/** Returns what shares the backups' disk; undefined if that is nothing, or unknown. */
export function findSharedDisk(disks: readonly Disk[]): Disk | undefined {
  const backups = disks.find(({ directory }) => directory === 'backups')
  return disks.find(
    ({ directory, device }) =>
      ['data', 'media'].includes(directory) && device !== undefined && device === backups?.device,
  )
}
